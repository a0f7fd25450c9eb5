"""How often to draw."""

from discreet.errors import InvalidInput, named
from discreet.exact import show

MOST_DRAWS = 1_000_000


def times_of(text: str) -> int:
    """How many draws: a whole number from one to a million."""
    word = text.strip()
    if word.isascii() and word.isdigit() and len(word) <= 9 and 1 <= int(word) <= MOST_DRAWS:
        return int(word)
    raise InvalidInput(
        f"{named('times')} must be a whole number from 1 to {MOST_DRAWS:,}, got {show(text)}"
    )
