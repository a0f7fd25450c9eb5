"""Accounts: who may sign in, to which datasets, until when; tokens are kept as digests alone."""

from discreet.accounts.accounts import Accounts
from discreet.accounts.moving import move
from discreet.accounts.postgresql.store import prepare, schema_sql
from discreet.accounts.store import Account, NewToken, Role, read_expiry

__all__ = [
    "Account",
    "Accounts",
    "NewToken",
    "Role",
    "move",
    "prepare",
    "read_expiry",
    "schema_sql",
]
