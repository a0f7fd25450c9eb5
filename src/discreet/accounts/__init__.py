"""Accounts: who may sign in, to which datasets, until when; tokens are kept as digests alone."""

from discreet.accounts.account import Account, NewToken, Role, read_expiry
from discreet.accounts.accounts import Accounts

__all__ = ["Account", "Accounts", "NewToken", "Role", "read_expiry"]
