"""Names that people give or get: of analysts, and of questions."""

import getpass
import os
import secrets

from discreet.errors import BudgetError
from discreet.exact import show


def default_analyst() -> str:
    """Who asks unless somebody is named: DISCREET_ANALYST, or the name of the login."""
    try:
        return os.environ.get("DISCREET_ANALYST") or getpass.getuser()
    except (KeyError, OSError):
        return "analyst"


def new_id() -> str:
    """A fresh question id."""
    return "q-" + secrets.token_hex(6)


def checked_id(given: str) -> str:
    """A question id as people may choose it: short, printable."""
    if not isinstance(given, str) or not 1 <= len(given) <= 200 or not given.isprintable():
        raise BudgetError(f"a question id has 1 to 200 printable characters, got {show(given)}")
    return given
