"""LIKE, decided on a word of a public list."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import takewhile


def matches(word: str, pattern: str, any_case: bool = False) -> bool:
    r"""Whether a word is of a pattern: % is anything, _ one character, all else itself.

    >>> matches("Northside", "North%"), matches("Northside", "north%"), matches("A1", "a_", True)
    (True, False, True)
    """
    first, *others = _split(pattern)
    if sum(map(len, (first, *others))) > len(word):
        return False
    if not others:
        return _form(first, any_case).fullmatch(word) is not None
    if not _form(first, any_case).match(word):
        return False
    at, ends = len(first), len(word) - len(others[-1])
    for piece in others[:-1]:  # where it is found first, most is left for those after it
        match = _form(piece, any_case).search(word, at)
        if match is None:
            return False
        at = match.end()
    return at <= ends and _form(others[-1], any_case).match(word, ends) is not None


@lru_cache(maxsize=64)
def _split(pattern: str) -> tuple[str, ...]:
    """What stands between the %, at both ends too."""
    return tuple(re.sub("%+", "%", pattern).split("%"))


@lru_cache(maxsize=4096)
def _form(piece: str, any_case: bool) -> re.Pattern[str]:
    """As many characters as the piece has: nothing to try again, so that no word takes long."""
    flags = re.DOTALL | (re.IGNORECASE if any_case else 0)
    return re.compile("".join("." if one == "_" else re.escape(one) for one in piece), flags)


def pattern_of(places: Sequence[int], names: Sequence[str]) -> str | None:
    """A pattern that these words and no others are of; None without one that is easily found.

    Args:
        places: Of the words that are meant; only words in the order of the list have a pattern.
        names: The whole public list.

    Returns:
        What they begin with, end with or hold, in the words of LIKE.

    >>> towns = ["Newark", "Newport", "Southport", "York"]
    >>> pattern_of([0, 1], towns), pattern_of([1, 2], towns), pattern_of([0, 2], towns)
    ('New%', '%port', None)
    """
    words = [names[place] for place in places]
    begun, ended = _beginning(words), _beginning([word[::-1] for word in words])[::-1]
    pieces = _pieces(min(words, key=len))
    held = next((one for one in pieces if all(one in word for word in words)), "")
    for pattern, piece, of_it in (
        (f"{begun}%", begun, str.startswith),
        (f"%{ended}", ended, str.endswith),
        (f"%{held}%", held, str.__contains__),
    ):
        plain = piece and not set(piece) & set("%_")
        if plain and list(places) == [at for at, name in enumerate(names) if of_it(name, piece)]:
            return pattern
    return None


def _beginning(words: Sequence[str]) -> str:
    """What all begin with: the first and the last in order do."""
    first, last = min(words), max(words)
    alike = takewhile(lambda pair: pair[0] == pair[1], zip(first, last, strict=False))
    return "".join(letter for letter, _ in alike)


_LONGEST = 40
"""Of longer words no parts are tried."""


def _pieces(word: str) -> Iterator[str]:
    """The parts of a word, long ones first."""
    for many in range(len(word) if len(word) <= _LONGEST else 0, 0, -1):
        yield from (word[start : start + many] for start in range(len(word) - many + 1))
