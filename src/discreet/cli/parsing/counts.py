"""Reading counts: from the command line, a JSON list, or lines that end in a count."""

import json
from collections.abc import Sequence
from pathlib import Path

from discreet.errors import FileError, InvalidInput
from discreet.exact import show
from discreet.sorting.largest import MOST_COUNTS

_MOST_BYTES = 64 * 2**20
_MOST_DIGITS = 12


def whole_of(text: str, what: str) -> int:
    """A whole number as people write it.

    >>> whole_of(" 12 ", "--top")
    12
    """
    found = _count(text)
    if found is None:
        raise InvalidInput(f"{what} must be a whole number, got {show(text)}")
    return found


def listed_counts(text: str) -> list[int]:
    """Counts with commas between them.

    >>> listed_counts("40, 30,7")
    [40, 30, 7]
    """
    return _checked([_count(word) for word in text.split(",")], "--counts")


def counts_in(path: str) -> list[int]:
    """The counts in a file; its content is never quoted."""
    text = _text_of(path)
    if text.lstrip().startswith("["):
        try:
            data = json.loads(text)
        except (ValueError, RecursionError):
            raise FileError(f"{show(path)} begins like a JSON list and is none") from None
        return _checked(
            [number if type(number) is int and number >= 0 else None for number in data], show(path)
        )
    lines = [line for line in text.splitlines() if line.strip()]
    read = [_count(line.rsplit(",", 1)[-1].rsplit("\t", 1)[-1]) for line in lines]
    if len(read) > 1 and read[0] is None:
        del read[0]
    return _checked(read, show(path))


def _text_of(path: str) -> str:
    try:
        source = Path(path)
        if source.stat().st_size > _MOST_BYTES:
            raise FileError(f"{show(path)} is larger than {_MOST_BYTES >> 20} MB")
        return source.read_text(encoding="utf-8-sig")
    except OSError as problem:
        raise FileError(f"cannot read the counts {show(path)}: {problem.strerror}") from None
    except ValueError:
        raise FileError(f"{show(path)} is not a text file of counts") from None


def _count(word: str) -> int | None:
    bare = word.strip()
    fits = bare.isascii() and bare.isdigit() and len(bare) <= _MOST_DIGITS
    return int(bare) if fits else None


def _checked(counts: Sequence[int | None], what: str) -> list[int]:
    kept = [count for count in counts if count is not None]
    if len(kept) != len(counts) or any(count >= 10**_MOST_DIGITS for count in kept):
        raise InvalidInput(
            f"{what} must hold whole numbers below 10^{_MOST_DIGITS}, one for each value, "
            "such as 40,30,7"
        )
    if not 1 <= len(kept) <= MOST_COUNTS:
        raise InvalidInput(f"{what} must hold from 1 to {MOST_COUNTS:,} counts")
    return kept
