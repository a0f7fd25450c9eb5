"""Lazy tables: exact draws from probabilities that are real numbers (docs/proofs/lazy-tables.md).

A uniform random real is known by its first 63 bits, a boundary between two outcomes by two
integers around it at that scale. Where these decide, nothing more is needed; where they do not,
more bits of the random real are drawn and the boundaries enclosed more closely, until they do.
A column of a certified matrix is such a table with exact ends: one uniform word, a binary search.
"""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import accumulate
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from discreet.certifier import Certified
from discreet.errors import InvalidInput, MechanismError
from discreet.exact import integer_ends, show, uniform_bits, uniform_words, working_precision
from discreet.exact.randomness import Words, uniform_few, uniform_shorts
from discreet.model import Mechanism

BITS = 63
"""Bits of a random word. Boundaries run from 0 to 2^63, both ends included, so they fit uint64."""

Indices = npt.NDArray[np.int64]
Ends = Sequence[tuple[int, int]]
Refine = Callable[[int], Ends]
"""Given e, the two integers around every boundary at a scale of 2^(63 + e)."""

_UNUSED = np.uint64(64 - BITS)
_MORE = 64
_MOST = 1 << 14
_GUARD = 64
_BLOCK = 1 << 20
_PREFIX = 16
_GUIDED_FROM = 1 << 16
_MOST_DRAWS = 100_000_000
_MOST_CELLS = 1 << 20
_MOST_COLUMNS = 1 << 12


@dataclass(frozen=True, eq=False)
class LazyTable:
    """The upper ends of the outcomes in [0, 1], in order, enclosed at a scale of 2^63.

    A draw is the number of ends at or below a uniform random real; one beyond the last end is
    thrown away, so what lies below it need not fill [0, 1].
    """

    ends: Words
    """At or below each end, and nowhere decreasing."""
    slack: int
    """No end is further above its word than this; 0 when they are exact."""
    refine: Refine

    @classmethod
    def of_refinement(cls, refine: Refine) -> "LazyTable":
        """A table from a function that encloses the ends at any scale."""
        pairs = [(_clipped(low), _clipped(high)) for low, high in refine(0)]
        ends = np.array([low for low, _ in pairs], dtype=np.uint64)
        if len(pairs) == 0 or pairs[-1][0] < 1 << (BITS - 2):
            raise InvalidInput("the last end of a table must be at least 1/4; scale all ends up")
        if (ends[:-1] > np.array([high for _, high in pairs[1:]], dtype=np.uint64)).any():
            raise InvalidInput("the ends of a table must not decrease; give cumulative sums")
        sorted_ends = np.ascontiguousarray(np.minimum.accumulate(ends[::-1])[::-1])
        slack = max(high - int(end) for (_, high), end in zip(pairs, sorted_ends, strict=True))
        return cls(sorted_ends, slack, refine)

    @classmethod
    def of_reals(cls, balls: Callable[[], Sequence[Any]]) -> "LazyTable":
        """A table from a function that encloses the ends in Arb balls at the working precision.

        >>> from flint import arb
        >>> LazyTable.of_reals(lambda: [1 / arb(3), arb(1)]).draw() in (0, 1)
        True
        """
        return cls.of_refinement(refinement(balls))

    @classmethod
    def of_integers(cls, sums: Sequence[int]) -> "LazyTable":
        """A table from running sums of integer weights; outcome i owns sums[i − 1] … sums[i] − 1.

        >>> LazyTable.of_integers([0, 5, 5]).draw()
        1
        """
        bits = max(sums[-1] - 1, 0).bit_length()
        return cls.of_refinement(lambda more: [_scaled(end, BITS + more - bits) for end in sums])

    @classmethod
    def of_exact_ends(cls, ends: Words) -> "LazyTable":
        """A table from ends that are whole at scale 2^63; no draw from it is ever undecided."""
        return cls(ends, 0, lambda more: [_scaled(end, more) for end in ends.tolist()])

    def __len__(self) -> int:
        return len(self.ends)

    def draw(self) -> int:
        """One outcome."""
        ends = self._view
        while True:
            word = uniform_bits(BITS)
            outcome = bisect_right(ends, word)
            if outcome and word - ends[outcome - 1] < self.slack:
                outcome = settle(word, self.refine)
            if outcome < len(ends):
                return outcome

    def draw_evenly(self) -> int:
        """One outcome, by machine words: Python's integers take longer the longer they are."""
        return int(self._block(1, None)[0])

    def draw_few(self, count: int) -> list[int]:
        """`count` independent outcomes, one by one: quicker than arrays as long as they are few."""
        places = self.locate_few([word >> (64 - BITS) for word in uniform_few(count)])
        if self._is_full:
            return places
        return [place if place < len(self) else self.draw() for place in places]

    def draw_many(self, count: int) -> Indices:
        """`count` independent outcomes."""
        guide = self._guide() if count >= _GUIDED_FROM else None
        if count <= _BLOCK:
            return self._block(count, guide)
        sizes = (min(_BLOCK, count - start) for start in range(0, count, _BLOCK))
        return np.concatenate([self._block(size, guide) for size in sizes])

    def _block(self, count: int, guide: npt.NDArray[np.int32] | None) -> Indices:
        outcomes = self._tried(count, guide)
        if not self._is_full:
            beyond = np.flatnonzero(outcomes == len(self))
            while len(beyond):
                outcomes[beyond] = self._tried(len(beyond), guide)
                beyond = beyond[outcomes[beyond] == len(self)]
        return outcomes

    def locate(self, words: Words) -> Indices:
        """For each random word, the number of ends at or below the random real it begins."""
        places = self.ends.searchsorted(words, "right")
        if self.slack:
            undecided = words - self._before.take(places) < self._slack
            if np.count_nonzero(undecided):
                for position in np.flatnonzero(undecided):
                    places[position] = settle(int(words[position]), self.refine)
        return places

    def locate_few(self, words: Sequence[int]) -> list[int]:
        """The same for few words; each takes as many steps as any other, wherever it lies."""
        ends, before, slack = self._steps
        places = []
        for word in words:
            place = bisect_right(ends, word)
            if word - before[place] < slack:
                place = settle(word, self.refine)
            places.append(place)
        return places

    def _tried(self, count: int, guide: npt.NDArray[np.int32] | None) -> Indices:
        """As `locate` for fresh words; with a guide most need only their first 16 bits."""
        if guide is None:
            return self.locate(uniform_words(count) >> _UNUSED)
        prefixes = uniform_shorts(count)
        places = guide.take(prefixes).astype(np.int64)
        open_ = np.flatnonzero(places < 0)
        first = prefixes[open_].astype(np.uint64) << np.uint64(BITS - _PREFIX)
        rest = uniform_words(len(open_)) >> np.uint64(64 - BITS + _PREFIX)
        places[open_] = self.locate(first | rest)
        return places

    def _guide(self) -> npt.NDArray[np.int32]:
        """For each first 16 bits the outcome they decide, −1 where they do not."""
        first = np.arange(1 << _PREFIX, dtype=np.uint64) << np.uint64(BITS - _PREFIX)
        last = first + np.uint64((1 << (BITS - _PREFIX)) - 1)
        surely = np.searchsorted(self.ends + np.uint64(self.slack), first, side="right")
        possibly = np.searchsorted(self.ends, last, side="right")
        return np.where(surely == possibly, surely, -1).astype(np.int32)

    @cached_property
    def _is_full(self) -> bool:
        """Whether no random real lies beyond the last end."""
        return int(self.ends[-1]) == 1 << BITS

    @cached_property
    def _before(self) -> Words:
        """The end before each outcome; before the first, the last: that wraps past any slack."""
        return np.concatenate([self.ends[-1:], self.ends])

    @cached_property
    def _slack(self) -> np.uint64:
        return np.uint64(self.slack)

    @cached_property
    def _steps(self) -> tuple[list[int], list[int], int]:
        """The ends, the end before each outcome, and the slack, for few draws.

        Ends that no word reaches are put behind them: of 2^k − 1 a binary search always takes k
        steps, of others sometimes one less.
        """
        ends = self.ends.tolist()
        missing = (1 << len(ends).bit_length()) - 1 - len(ends)
        return [*ends, *[2 << BITS] * missing], [-self.slack, *ends], self.slack

    @cached_property
    def _view(self) -> memoryview:
        return self.ends.data


@overload
def real_choice(cumulative: Callable[[], Sequence[Any]], count: None = None) -> int: ...
@overload
def real_choice(cumulative: Callable[[], Sequence[Any]], count: int) -> Indices: ...
def real_choice(cumulative: Callable[[], Sequence[Any]], count: int | None = None) -> int | Indices:
    """The index i with probability (cumulative[i] − cumulative[i − 1]) / cumulative[last], exactly.

    `cumulative` gives Arb balls around the real numbers meant, in order, the last at least 1/4 and
    none above 1; it is called inside `working_precision`, again at a higher precision whenever a
    draw is undecided (docs/proofs/lazy-tables.md). Keep a `LazyTable.of_reals` to draw often.

    >>> from flint import arb
    >>> halves = lambda: [arb(0), arb(1) / 2 + arb(0).atan() / arb.pi(), arb(1)]
    >>> set(real_choice(halves, 200).tolist()) == {1, 2}
    True
    """
    table = LazyTable.of_reals(cumulative)
    return table.draw() if count is None else table.draw_many(checked_count(count))


def refinement(balls: Callable[[], Sequence[Any]]) -> Refine:
    """Integers around the Arb balls that a function gives at the working precision."""

    def refine(more: int) -> Ends:
        with working_precision(BITS + more + _GUARD):
            return [_ends_of(ball, BITS + more) for ball in balls()]

    return refine


def settle(word: int, refine: Refine) -> int:
    """The number of ends at or below the random real that begins with these 63 bits.

    An end is surely at or below it when its upper integer is, and possibly when its lower one is.
    """
    for more in range(_MORE, _MOST, _MORE):
        word = word << _MORE | uniform_bits(_MORE)
        ends = refine(more)
        surely = sum(high <= word for _, high in ends)
        if surely == sum(low <= word for low, _ in ends):
            return surely
    raise InvalidInput(
        f"the enclosures stay too wide at {_MOST} bits; they must narrow as precision grows"
    )


def _scaled(end: int, power: int) -> tuple[int, int]:
    """Integers around end·2^power."""
    if power >= 0:
        return end << power, end << power
    return end >> -power, -(-end >> -power)


def _clipped(end: int) -> int:
    return min(max(end, 0), 1 << BITS)


def _ends_of(ball: Any, bits: int) -> tuple[int, int]:
    """An infinite or undefined ball says nothing yet: a higher precision may."""
    return integer_ends(ball, bits) if ball.is_finite() else (0, 1 << bits)


def checked_count(count: int) -> int:
    """How many draws: a whole number, not negative."""
    if isinstance(count, bool) or not isinstance(count, (int, np.integer)) or count < 0:
        raise InvalidInput(f"the number of draws must be a whole number from 0, got {show(count)}")
    if count > _MOST_DRAWS:
        raise InvalidInput(
            f"at most {_MOST_DRAWS:,} draws can be made at once, got {show(count)}; draw in parts"
        )
    return int(count)


def draw(certified: Certified, answer: int) -> int:
    """The index of an output, drawn exactly for the true answer of this index.

    Args:
        certified: What `certify` or `design` returned.
        answer: The index of the true answer.

    Returns:
        The index of the output.

    Raises:
        MechanismError: This is not certified, or there is no answer of this index.
    """
    return _column(certified, answer).draw()


def column_table(certified: Certified, answer: int) -> LazyTable:
    """What is drawn from for the true answer of this index: to be drawn from later.

    It is a copy, so that the time of the draw does not tell where the column lies in memory.
    """
    table = _column(certified, answer)
    return LazyTable(table.ends.copy(), table.slack, table.refine)


def _column(certified: Certified, answer: int) -> LazyTable:
    mechanism = _checked(certified)
    return _table(mechanism, _index(mechanism, answer))


def draw_many(certified: Certified, answer: int, count: int) -> Indices:
    """`count` independent draws for one true answer, as indices of outputs.

    Args:
        certified: What `certify` or `design` returned.
        answer: The index of the true answer.
        count: How many draws.

    Returns:
        Indices of outputs. Each draw costs the full ε.

    Raises:
        MechanismError: This is not certified, or there is no answer of this index.
        InvalidInput: The count is not a whole number, or is too large.
    """
    return _column(certified, answer).draw_many(checked_count(count))


def draw_each(certified: Certified, answers: npt.ArrayLike) -> Indices:
    """One independent draw for each true answer, given by their indices."""
    mechanism = _checked(certified)
    truths = np.asarray(answers)
    if truths.ndim != 1 or (truths.size and truths.dtype.kind not in "iu"):
        raise MechanismError("the true answers must be given as a list of their indices")
    if truths.size == 0:
        return np.empty(0, dtype=np.int64)
    _index(mechanism, int(truths.min()))
    _index(mechanism, int(truths.max()))
    order = np.argsort(truths, kind="stable")
    distinct, starts = np.unique(truths[order], return_index=True)
    drawn = np.empty(len(truths), dtype=np.int64)
    for answer, where in zip(distinct, np.split(order, starts[1:]), strict=True):
        drawn[where] = _table(mechanism, int(answer)).draw_many(len(where))
    return drawn


def _checked(certified: Certified) -> Mechanism:
    # isinstance would believe what an object says of its own class.
    if type(certified) is not Certified or not isinstance(certified.mechanism, Mechanism):
        raise MechanismError(
            f"only a certified mechanism can be drawn from, got {show(certified)}; use certify "
            "first"
        )
    return certified.mechanism


def _index(mechanism: Mechanism, answer: int) -> int:
    """The index, if it is one; the message cannot show it, for it is the private answer."""
    size = len(mechanism.answers)
    if isinstance(answer, bool) or not isinstance(answer, (int, np.integer)):
        raise MechanismError("the true answer must be given by its index, a whole number")
    if not 0 <= answer < size:
        raise MechanismError(f"the index of the true answer must lie between 0 and {size - 1}")
    return int(answer)


def _table(mechanism: Mechanism, answer: int) -> LazyTable:
    rows, columns = mechanism.shape
    if rows * columns <= _MOST_CELLS and columns <= _MOST_COLUMNS:
        return _tables(mechanism)[answer]
    return _column_table(mechanism, answer)


@lru_cache(maxsize=32)
def _tables(mechanism: Mechanism) -> tuple[LazyTable, ...]:
    """The tables of all columns at once, so that the time does not tell which was asked for."""
    if mechanism.total > 1 << BITS:
        return tuple(_column_table(mechanism, j) for j in range(mechanism.shape[1]))
    columns = np.ascontiguousarray(mechanism.weights.T, dtype=np.uint64)
    ends = np.cumsum(columns, axis=1) << _shift(mechanism)
    return tuple(LazyTable.of_exact_ends(column) for column in ends)


def _column_table(mechanism: Mechanism, answer: int) -> LazyTable:
    column = mechanism.column(answer)
    if mechanism.total > 1 << BITS:
        return LazyTable.of_integers(list(accumulate(column.tolist())))
    return LazyTable.of_exact_ends(np.cumsum(column.astype(np.uint64)) << _shift(mechanism))


def _shift(mechanism: Mechanism) -> np.uint64:
    """How far sums are shifted for the total to become 2^63, or more than half of it."""
    return np.uint64(BITS - (mechanism.total - 1).bit_length())
