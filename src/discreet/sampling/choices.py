"""One of several candidates, the better the likelier: exact draws (docs/proofs/exact-draws.md)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial
from itertools import accumulate
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from discreet.exact import RationalLike, uniform_below_each, uniform_bits, uniform_words
from discreet.exact.randomness import Words
from discreet.sampling.tables import BITS, Indices, LazyTable, checked_count, refinement, settle
from discreet.sampling.weights import SCALE, Scores, Weights

_CELLS = 1 << 20
_UNUSED = np.uint64(64 - BITS)
_SPARE = np.uint64(BITS - SCALE)


@overload
def exponential_choice(
    log_weights: Scores, count: None = None, *, rate: RationalLike = ...
) -> int: ...
@overload
def exponential_choice(log_weights: Scores, count: int, *, rate: RationalLike = ...) -> Indices: ...
def exponential_choice(
    log_weights: Scores, count: int | None = None, *, rate: RationalLike = Fraction(1)
) -> int | Indices:
    """The index i with probability ∝ e^(rate·log_weights[i]).

    The exponential mechanism (001 Prop. 7) for scores multiplied by rate = ε/(2Δ). Whole scores
    with their rate said apart are quickest. The same law as noisy max with Gumbel noise.

    >>> exponential_choice([0, 200]), exponential_choice([5, 5, 5], 4, rate="1/2").shape
    (1, (4,))
    """
    table = _running_table(Weights.of(log_weights, rate))
    return table.draw() if count is None else table.draw_many(checked_count(count))


@overload
def permute_and_flip_choice(
    log_weights: Scores, count: None = None, *, rate: RationalLike = ...
) -> int: ...
@overload
def permute_and_flip_choice(
    log_weights: Scores, count: int, *, rate: RationalLike = ...
) -> Indices: ...
def permute_and_flip_choice(
    log_weights: Scores, count: int | None = None, *, rate: RationalLike = Fraction(1)
) -> int | Indices:
    """The index that permute-and-flip chooses (McKenna & Sheldon 2020), never worse in expectation.

    In a random order, each candidate is taken with probability e^(−rate·(best − its own)), until
    one is. The same law as noisy max with exponential noise. All coins are flipped at once and one
    of the heads is taken uniformly, so the time tells nothing of the result.

    >>> permute_and_flip_choice([0, 200]), permute_and_flip_choice([5, 5], 4).shape
    (1, (4,))
    """
    flips = Flips.of(log_weights, rate)
    return flips.draw() if count is None else flips.draw_many(checked_count(count))


@dataclass(frozen=True, eq=False)
class Flips:
    """Permute-and-flip over scores whose weights are worked out, ready to be drawn from."""

    weights: Weights

    @classmethod
    def of(cls, log_weights: Scores, rate: RationalLike = Fraction(1)) -> "Flips":
        """Work out the weights e^(rate·score)."""
        return cls(Weights.of(log_weights, rate))

    def draw(self) -> int:
        """The index that is chosen; as many steps whatever the weights are.

        The coins and the words by which one of their heads is taken are drawn at once.
        """
        words, size = uniform_words(2 * len(self.weights)), len(self.weights)
        return _picked(_decided(self.weights, words[:size] >> _UNUSED, self._ends), words[size:])

    @cached_property
    def _ends(self) -> tuple[Words, np.uint64]:
        """The weights at the scale of the coins, and how far above them they may end."""
        return _ends_of(self.weights)

    def draw_many(self, count: int) -> Indices:
        """`count` independent choices."""
        width = len(self.weights)
        return in_blocks(lambda rows: pick_each(_heads(self.weights, rows)), count, width)


def pick_one(allowed: npt.NDArray[np.bool_]) -> int:
    """The index of one of the allowed, uniformly: that with the largest random word.

    As much work for few of them as for many. Where two words are the same, all are drawn again.
    """
    return _picked(allowed, uniform_words(len(allowed)))


def _picked(allowed: npt.NDArray[np.bool_], words: Words) -> int:
    """The same by these random words, or by new ones where two of them are the same.

    Words of what is not allowed become 0: if the largest is 0, all are the same.
    """
    while True:
        ranked = words * allowed
        place = int(ranked.argmax())
        if np.count_nonzero(ranked == ranked[place]) == 1:
            return place
        words = uniform_words(len(allowed))


def pick_each(allowed: npt.NDArray[np.bool_]) -> Indices:
    """In each row, the index of one of the allowed, uniformly."""
    counts = np.cumsum(allowed, axis=1, dtype=np.int64)
    wanted = uniform_below_each(counts[:, -1]) + 1
    return np.asarray((counts >= wanted[:, None]).argmax(axis=1), dtype=np.int64)


def in_blocks(rows: Callable[[int], Indices], count: int, width: int) -> Indices:
    """`count` results, so many rows at a time that a block of them stays small."""
    block = max(1, _CELLS // width)
    parts = [rows(min(block, count - start)) for start in range(0, count, block)]
    return np.concatenate(parts) if parts else np.empty(0, dtype=np.int64)


def _heads(weights: Weights, rows: int) -> npt.NDArray[np.bool_]:
    """Independent coins, a row for each draw: heads with the probability of the weight."""
    words = uniform_words(rows * len(weights)) >> _UNUSED
    return _decided(weights, words.reshape(rows, -1), _ends_of(weights))


def _decided(
    weights: Weights, words: Words, ends: tuple[Words, np.uint64]
) -> npt.NDArray[np.bool_]:
    """For each word of 63 random bits, whether the random real it begins is below its weight."""
    low, slack = ends
    heads = words < low
    undecided = words - low < slack
    if np.count_nonzero(undecided):
        for place in map(tuple, np.argwhere(undecided)):
            refine = refinement(partial(weights.balls, [place[-1]]))
            heads[place] = settle(int(words[place]), refine) == 0
    return heads


def _ends_of(weights: Weights) -> tuple[Words, np.uint64]:
    """The weights at the scale of 63-bit words, and how far above that they may end."""
    return weights.low << _SPARE, np.uint64(weights.slack << (BITS - SCALE))


def choose_once(low: Words, slack: int, balls: Callable[[], Sequence[Any]]) -> int:
    """An index by weights that are enclosed: low ≤ weight·2^62 ≤ low + slack, the largest near 1.

    One random word is stretched over all that the weights sum up to, so that none is thrown away
    and the time does not tell the sum (docs/proofs/exact-draws.md). `balls` gives the weights at
    the working precision, where the word leaves the choice open.
    """
    ends, lacking, _ = _running_sums(low, slack)
    word, total = uniform_bits(BITS), int(ends[-1])
    least, most = word * total >> BITS, (word + 1) * (total + lacking) >> BITS
    inner = ends[:-1]
    surely = int(inner.searchsorted(np.uint64(max(least - lacking, 0)), "right"))
    possibly = int(inner.searchsorted(np.uint64(most), "right"))
    if surely == possibly and least >= lacking:
        return surely
    return settle(word, refinement(partial(_shares, balls)))


def _shares(balls: Callable[[], Sequence[Any]]) -> list[Any]:
    """The inner ends of weights that fill all of [0, 1]."""
    sums = list(accumulate(balls()))
    return [one / sums[-1] for one in sums[:-1]]


def _running_table(weights: Weights) -> LazyTable:
    """Running sums of the weights, over the least power of 2 that holds them all."""
    ends, lacking, power = _running_sums(weights.low, weights.slack)
    return LazyTable(ends, lacking, refinement(partial(_running_balls, weights, power)))


def _running_sums(low: Words, slack: int) -> tuple[Words, int, int]:
    """Running sums, the last of 63 bits, what they lack at most, and the power of 2 that is 1."""
    size = len(low)
    spare = np.uint64(size.bit_length())
    fractions = low & ((np.uint64(1) << spare) - np.uint64(1))
    sums = np.cumsum(low >> spare) + (np.cumsum(fractions) >> spare)
    lacking = (slack * size >> int(spare)) + 2
    bits = (int(sums[-1]) + lacking).bit_length()
    return sums << np.uint64(BITS - bits), lacking << (BITS - bits), bits + int(spare) - SCALE


def _running_balls(weights: Weights, power: int) -> list[Any]:
    return list(accumulate(ball / (1 << power) for ball in weights.balls()))
