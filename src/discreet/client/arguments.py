"""What a client is given, checked before anything is sent."""

import os
import re
from numbers import Integral

from discreet.errors import BudgetError, InvalidInput
from discreet.exact import show
from discreet.requests import read_number

_LONGEST_NAME = 400
_KEY = re.compile(r"(?! )[ -9;-~]{1,100}(?<! )")
_MOST_RETRIES = 100
_LONGEST_WAIT = 86_400


def checked_name(given: object, what: str) -> str:
    """The name of a dataset, or a receipt: some printable text."""
    if (
        not isinstance(given, str)
        or not given.isprintable()
        or not 1 <= len(given) <= _LONGEST_NAME
    ):
        raise InvalidInput(f"{what} must be given by its name, a short text, got {show(given)}")
    return given


def checked_key(given: object) -> str:
    """A question id that can travel as an Idempotency-Key."""
    if isinstance(given, str) and _KEY.fullmatch(given):
        return given
    raise BudgetError(
        "a question id is sent as an Idempotency-Key, so it must have 1 to 100 printable ASCII "
        f"characters, no colon and no blanks around it, got {show(given)}"
    )


def checked_token(given: object) -> str | None:
    """A token without blanks around it, or none; a message never repeats it."""
    if given is None:
        return None
    if not isinstance(given, str) or not given.isascii() or not given.strip().isprintable():
        raise InvalidInput(
            "a token must be one line of text, as it was printed when it was created"
        )
    return given.strip() or None


def token_of(given: object) -> str | None:
    """The token that is given, or the one in DISCREET_TOKEN."""
    return checked_token(given) or checked_token(os.environ.get("DISCREET_TOKEN"))


def checked_seconds(given: object) -> float:
    """How long to wait for a reply."""
    seconds = read_number(given, "timeout")
    if not 0 < seconds <= _LONGEST_WAIT:
        raise InvalidInput(f"timeout must be a number of seconds, at most a day, got {show(given)}")
    return float(seconds)


def checked_retries(given: object) -> int:
    """How often to try again."""
    whole = int(given) if isinstance(given, Integral) and not isinstance(given, bool) else -1
    if not 0 <= whole <= _MOST_RETRIES:
        raise InvalidInput(
            f"retries must be a whole number from 0 to {_MOST_RETRIES}, got {show(given)}"
        )
    return whole
