"""Accounts: who may sign in, to which datasets, until when; tokens are kept as digests alone."""

from discreet.accounts.account import ROLES, Account, NewToken, read_expiry
from discreet.accounts.accounts import Accounts

__all__ = ["ROLES", "Account", "Accounts", "NewToken", "read_expiry"]
