"""Reading counts: from the command line, a JSON list, or lines that end in a count."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from discreet.cli.parsing.files import text_of
from discreet.errors import FileError, InvalidInput, named
from discreet.exact import Epsilon, show
from discreet.model import ONE_RECORD, Relation
from discreet.requests.spaces import read_whole
from discreet.sorting import (
    LAPLACE,
    PARTITIONS,
    LargestCounts,
    PartitionMechanism,
    SimulatedError,
    try_methods,
)
from discreet.sorting.largest import MOST_COUNTS

_MOST_DIGITS = 12


_METHODS = ("auto", LAPLACE, PARTITIONS)


@dataclass(frozen=True)
class CountsRequest:
    """The counts, and how they are to be released."""

    counts: Sequence[int]
    laplace: LargestCounts
    method: str

    @property
    def records(self) -> int | None:
        """The total, where it is public."""
        return sum(self.counts) if self.laplace.public_total else None

    def trials(self) -> tuple[SimulatedError, ...]:
        """How both methods do on random tables, where the total is public and both are asked."""
        if self.records is None or self.method == LAPLACE:
            return ()
        return try_methods(self.laplace, self.records)

    def released(self, method: str) -> dict[str, Any]:
        """The largest counts, drawn by a method."""
        if method == LAPLACE:
            drawn = self.laplace.draw(self.counts)
            return {
                "noisy": list(drawn.noisy),
                "fitted": [float(entry) for entry in drawn.fitted],
                "counts": list(drawn.whole),
            }
        largest = self.laplace.largest
        counts = [*self.partitions().draw(self.counts), *[0] * largest][:largest]
        return {"noisy": None, "fitted": None, "counts": counts}

    def partitions(self) -> PartitionMechanism:
        """The other method; InvalidInput where the total does not allow it."""
        laplace = self.laplace
        return PartitionMechanism.of(self.records or 0, laplace.epsilon, laplace.values)


def read_counts(
    file: str | None,
    counts: str | None,
    *,
    top: str | None,
    neighbours: str,
    values: str | None,
    method: str,
    epsilon: Epsilon,
) -> CountsRequest:
    """Read every word; InvalidInput names the one that cannot be used."""
    if (file is None) == (counts is None):
        raise InvalidInput(
            f"give the counts in exactly one way: a FILE, or {named('counts', '40,30,7')}"
        )
    if top is None:
        raise InvalidInput(
            f"{named('top')} is required: how many counts to release, for example {named('top', 3)}"
        )
    relation = Relation.of(neighbours, ONE_RECORD)
    word = method.strip().lower()
    if word not in _METHODS:
        raise InvalidInput(
            f"{named('method')} must be one of {', '.join(_METHODS)}, got {show(method)}"
        )
    if word == PARTITIONS and relation != Relation.CHANGE:
        raise InvalidInput(
            f"partitions need a public sum: use {named('neighbours', 'change')} or "
            f"{named('method', 'laplace')}"
        )
    most = None if values is None else read_whole(values, "values", error=InvalidInput)
    laplace = LargestCounts.of(read_whole(top, "top", error=InvalidInput), epsilon, relation, most)
    given = counts_in(file) if file is not None else listed_counts(counts or "")
    request = CountsRequest(given, laplace, word)
    if word == PARTITIONS:
        request.partitions()
    return request


def listed_counts(text: str) -> list[int]:
    """Counts with commas between them.

    >>> listed_counts("40, 30,7")
    [40, 30, 7]
    """
    return _checked([_count(word) for word in text.split(",")], named("counts"))


def counts_in(path: str) -> list[int]:
    """The counts in a file; its content is never quoted."""
    text = text_of(path, "counts", "utf-8-sig")
    if text.lstrip().startswith("["):
        try:
            data = json.loads(text)
        except (ValueError, RecursionError):
            raise FileError(f"{show(path)} is not a JSON list of counts") from None
        return _checked(
            [number if type(number) is int and number >= 0 else None for number in data], show(path)
        )
    lines = [line for line in text.splitlines() if line.strip()]
    read = [_count(line.rsplit(",", 1)[-1].rsplit("\t", 1)[-1]) for line in lines]
    if len(read) > 1 and read[0] is None:
        del read[0]
    return _checked(read, show(path))


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
