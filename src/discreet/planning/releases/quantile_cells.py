"""Several quantiles read from noisy counts of every value (docs/proofs/quantiles-together.md).

Of few values that errs less than a choice among lists of them. Noise is drawn for the counts of all
values in all groups; what it leaves below 0 is mended, and all quantiles are read from what is
left.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache

import numpy as np

from discreet.errors import DesignError
from discreet.joint.quantiles import Told
from discreet.joint.sums import cancelling_chance
from discreet.joint.tables import TableNoise
from discreet.planning.consistency import consistent_counts
from discreet.planning.subjects.priors import Floats, Places
from discreet.statistics import Rank

_SEED = 20_261_116
_NOISES = 160
"""So many noises are imagined, for figures."""
_MOST_CANCELLING = 64
"""Beyond, the noise of a few cells is nearly that of cells by themselves."""
_IN_SIGHT = 60
"""e^−60: what is rarer is in no figure."""
_FURTHEST = 1 << 20
"""A noise that reaches further hides any table."""
_FINEST = 1 << 15
"""How many sums of noises have a chance of their own, at most."""


@dataclass(frozen=True, kw_only=True)
class CellReading:
    """Quantiles of these shares, read from noisy counts of so many values in each group."""

    shares: tuple[Fraction, ...]
    values: int
    noise: TableNoise
    total: int | None
    """How many rows there are, where that is public and there are no groups."""

    run = 1
    """Every value is told by itself."""

    @property
    def runs(self) -> int:
        """How many values there are."""
        return self.values

    def place(self, run: int) -> int:
        """The value itself."""
        return run

    def ends(self, run: int) -> tuple[int, int]:
        """The value itself, twice."""
        return run, run

    def read(self, noisy: Sequence[int]) -> Told:
        """The quantiles of noisy counts, brought to what is possible; of none, the middle."""
        total = max(0, sum(noisy)) if self.total is None else self.total
        mended = np.array(consistent_counts(noisy, total), dtype=np.int64)
        if total == 0:
            return ((self.values - 1) // 2,) * len(self.shares)
        return tuple(int(Rank(share).places(mended)) for share in self.shares)

    def sampler(self, counts: Places) -> Callable[[], Told]:
        """None for a single group: the noise of all groups is drawn once, or paid again."""
        raise TypeError("quantiles that are read from noisy counts are drawn together")

    def rows_off(self, failure: float) -> int:
        """How many rows at most must change for each to be exact, in every table with rows.

        For all of them at once, but for this chance (docs/proofs/quantiles-together.md, Claim 11).
        """
        return _most_misplaced(self.noise, self.values, failure)

    def chances(self, lines: Places) -> Floats:
        """By quantile, table and value: how likely it is told, over imagined noises: for figures.

        Counts are mended in fractions here.
        """
        noisy = lines[:, None, :] + self._imagined[None, :, :]
        totals = np.maximum(noisy.sum(axis=2), 0)
        up_to = np.cumsum(_projected(noisy, totals), axis=2)
        chances = np.zeros((len(self.shares), *lines.shape))
        for which, share in enumerate(self.shares):
            ranks = np.maximum(1, np.ceil(float(share) * totals - 1e-9))
            values = (up_to >= ranks[:, :, None] - 1e-6).argmax(axis=2)
            values = np.where(totals > 0, values, (self.values - 1) // 2)
            for table, places in enumerate(values):
                chances[which, table] = np.bincount(places, minlength=self.values)
        return np.asarray(chances / _NOISES)

    @cached_property
    def _imagined(self) -> Places:
        many = self.noise.cancelling
        cancelling = None if many is None or many > _MOST_CANCELLING else many
        return _noises(float(self.noise.rate), self.values, cancelling)


def _projected(noisy: Places, totals: Places) -> Floats:
    """The nearest numbers that are not below 0 and sum to the totals, on the last axis."""
    down = -np.sort(-noisy.astype(np.float64), axis=2)
    levels = (np.cumsum(down, axis=2) - totals[:, :, None]) / np.arange(1, noisy.shape[2] + 1)
    last = np.maximum((down > levels).sum(axis=2) - 1, 0)
    level = np.take_along_axis(levels, last[:, :, None], axis=2)
    return np.asarray(np.maximum(noisy - level, 0.0))


@lru_cache(maxsize=64)
def _noises(rate: float, values: int, cancelling: int | None) -> Places:
    """Imagined noises on so many values, always the same ones, of cells that cancel or do not."""
    dice, ratio = np.random.default_rng(_SEED), 1 - math.exp(-rate)

    def drawn(shape: tuple[int, int]) -> Places:
        return np.asarray(dice.geometric(ratio, shape) - dice.geometric(ratio, shape))

    if cancelling is None:
        return drawn((_NOISES, values))
    kept: list[Places] = []
    while sum(map(len, kept)) < _NOISES:
        tried = drawn((8 * _NOISES, cancelling - 1))
        last = -tried.sum(axis=1)
        stays = dice.random(len(tried)) < np.exp(-rate * np.abs(last))
        kept.append(np.column_stack([tried, last])[stays])
    return np.concatenate(kept)[:_NOISES, :values]


@lru_cache(maxsize=256)
def _most_misplaced(noise: TableNoise, values: int, failure: float) -> int:
    """What max(Σz⁺, Σz⁻) over some cells does not exceed, but for this chance."""
    rate, every = float(noise.rate), noise.cancelling
    if every is None:
        return _exceeded(_upwards(rate, values), failure / 2)
    whole = _exceeded(_radius(2 * rate, every), failure)
    if every == values:
        return whole
    rest, all_of_them = (cancelling_chance(many, noise.rate) for many in (every - values, every))
    return min(whole, _exceeded(_upwards(rate, values), failure / 2 * all_of_them / rest))


@dataclass(frozen=True, kw_only=True)
class _Law:
    """How likely each multiple of a block of rows is."""

    chances: Floats
    block: int


def _exceeded(law: _Law, failure: float) -> int:
    """The least number that is exceeded with this chance at most."""
    beyond = np.append(law.chances[::-1].cumsum()[::-1][1:], 0.0) + math.exp(-_IN_SIGHT / 2)
    return law.block * int((beyond > failure * (1 - 1e-9)).argmin())


def _upwards(rate: float, cells: int) -> _Law:
    """The law of Σz⁺ over so many cells with noises of their own."""
    block, one = _blocks(rate, cells)
    ratio = math.exp(-rate)
    one[1:] /= 1 + ratio
    one[0] = 1 / (1 + ratio)
    return _Law(chances=_convolved(None, one, cells), block=block)


def _radius(rate: float, cells: int) -> _Law:
    """The law of ½Σ|z| over all cells, whose noises cancel (docs/proofs/cells.md)."""
    block, step = _blocks(rate, cells)
    start = _beginning(rate, cells - 1)
    up = -(-np.arange(cells) // block)
    raised = np.bincount(up, start / start.sum(), len(step)).astype(np.float64)
    return _Law(chances=_convolved(raised, step, cells - 1), block=block)


def _blocks(rate: float, cells: int) -> tuple[int, Floats]:
    """A geometric number raised to the next multiple of a block: how likely each multiple is.

    Sums of such numbers are never below what they stand for, and above it by less than a block for
    each; so wide noises take no more work than others.
    """
    far = _reach(rate, cells)
    block = -(-far // _FINEST)
    multiples = np.arange(-(-far // block))
    chances = np.exp(-rate * ((multiples - 1) * block + 1)) * -math.expm1(-rate * block)
    chances[0] = -math.expm1(-rate)
    return block, chances


def _reach(rate: float, cells: int) -> int:
    """As far as a sum of noises is worked out; DesignError where that is out of all proportion."""
    far = (_IN_SIGHT + 4 * cells) / rate
    if far > _FURTHEST:
        raise DesignError("ε is too small: noise on every value would hide any table")
    return math.ceil(far)


def _convolved(start: Floats | None, step: Floats, times: int) -> Floats:
    """The law of a sum of so many independent steps, from a start or from 0, as far as steps go."""
    points = 1 << (2 * len(step) - 1).bit_length()
    product = np.fft.rfft(step, points) ** times
    if start is not None:
        product *= np.fft.rfft(start, points)
    return np.maximum(np.fft.irfft(product, points)[: len(step)], 0.0)


def _beginning(rate: float, many: int) -> Floats:
    """C(many, k)² e^(−rate·k) up to a factor, by logarithms: of a thousand cells it is beyond a
    floating-point number."""
    places = np.arange(1, many + 1)
    choices = np.cumsum(np.log(many + 1 - places) - np.log(places))
    logs = np.append(0.0, 2 * choices - rate * places)
    return np.asarray(np.exp(logs - logs.max()))
