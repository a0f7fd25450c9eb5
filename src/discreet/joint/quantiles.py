"""Several quantiles of one column for one charge (docs/proofs/quantiles-together.md).

Told values y have a probability in proportion to e^(−rate·score): the exponential mechanism over
all rising lists of values, drawn value by value without listing them.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from discreet.errors import InvalidInput
from discreet.exact import Epsilon, spendable
from discreet.joint.magnitudes import Integers, InWords, PythonNumbers, Scaled, common_words
from discreet.joint.quantile_recursion import START, Level, Recursion, State, Steps
from discreet.joint.quantile_score import QuantileScore
from discreet.model import Relation
from discreet.sampling.choices import choose_once

Told = tuple[int, ...]
"""The run of values that was drawn for each quantile, rising."""

MOST_STATES = 1_000_000
"""Runs of values times quantiles squared; beyond, neighbouring values are put together in runs."""
MOST_RUNS = 1 << 16
"""So many runs are drawn from in half a second, and in less than 100 MB."""


@dataclass(frozen=True, kw_only=True)
class QuantileChoice:
    """Quantiles of a column of so many values, of at most so many rows, at a rate of the score."""

    score: QuantileScore
    values: int
    most_rows: int
    rate: Fraction
    """What one row of the score costs: ε/(2·slope), over the rows of a person."""
    run: int = 1
    """How many neighbouring values are put together: public facts decide."""

    @classmethod
    def of(
        cls,
        score: QuantileScore,
        epsilon: Epsilon,
        *,
        values: int,
        most_rows: int,
        rows_per_unit: int = 1,
    ) -> "QuantileChoice":
        """The choice that is ε-private for people with at most so many rows."""
        if not score.suits(most_rows):
            raise InvalidInput("the shares of these quantiles have too many digits")
        rate = spendable(epsilon) / (2 * score.slope * rows_per_unit)
        states = values * len(score.shares) ** 2
        run = max(1, -(-states // MOST_STATES), -(-values // MOST_RUNS))
        return cls(score=score, values=values, most_rows=most_rows, rate=rate, run=run)

    @property
    def runs(self) -> int:
        """How many runs of values there are."""
        return -(-self.values // self.run)

    def ends(self, run: int) -> tuple[int, int]:
        """The first and the last value of a run."""
        first = run * self.run
        return first, min(first + self.run, self.values) - 1

    def place(self, run: int) -> int:
        """The value that is told for a run: the middle one."""
        return sum(self.ends(run)) // 2

    @property
    def step(self) -> Fraction:
        """What it costs when the surplus moves by one part of a row."""
        return self.rate / (2 * self.score.parts)

    def steps(self, counts: Integers) -> Steps:
        """What is drawn from: rows up to the end of each run, and the targets."""
        if self.run > 1:
            counts = np.add.reduceat(counts, np.arange(0, self.values, self.run))
        return Steps(self.score.points(counts), tuple(self.score.targets(int(counts.sum()))))

    def sampler(self, counts: Integers) -> Callable[[], Told]:
        """What draws runs for these rows: everything that depends on them is worked out here."""
        rows = max(self.most_rows, int(counts.sum()))  # more than declared are no obstacle
        return _Draw.of(self.steps(counts), self.step, self.score.farthest(rows)).draw

    def rows_off(self, failure: float) -> int:
        """How many rows at most must change for any of the told runs to hold its quantile.

        For all of them at once and for every table with rows, but for this chance of failure
        (docs/proofs/quantiles-together.md, Claim 9).
        """
        many, quantiles = self.runs, len(self.score.shares)
        others = math.comb(many + quantiles - 1, quantiles) - 1
        if others == 0:
            return 0
        allowed = failure / (1 - failure)
        far = max(0.0, (math.log(others) - math.log(allowed)) / float(self.rate))
        far = min(far, self._near(others, allowed)) * (1 + 1e-12) - self.score.spare
        return min(max(0, math.ceil(far)), self.most_rows)

    def _near(self, others: int, allowed: float) -> float:
        """The same from the lists whose quantiles each have values of their own.

        Closer than half of the way between two targets no value serves both but those that reach
        from one to the other. Of a private number of rows that way is not known.
        """
        if self.score.relation != Relation.CHANGE or len(self.score.shares) == 1:
            return math.inf
        targets = self.score.targets(self.most_rows)
        half = min(b - a for a, b in pairwise(targets)) / self.score.parts / 2
        left = allowed - math.exp(math.log(others) - float(self.rate) * half)
        each, more = divmod(self.runs + len(targets) - 1, len(targets))
        own = each ** (len(targets) - more) * (each + 1) ** more - 1
        if left <= 0 or own == 0:
            return math.inf if own else 0.0
        far = max(0.0, (math.log(own) - math.log(left)) / float(self.rate))
        return far if far <= half else math.inf


@dataclass(frozen=True, eq=False)
class _Draw:
    """Weights of all states in machine words, ready to be drawn from."""

    recursion: Recursion[Scaled]
    levels: list[Level[Scaled]]
    step: Fraction

    @classmethod
    def of(cls, steps: Steps, step: Fraction, most_steps: int) -> "_Draw":
        recursion = Recursion(steps, InWords(step, most_steps))
        return cls(recursion, recursion.levels(), step)

    def draw(self) -> Told:
        """One value after the other, each by the weights of all that may follow.

        Or all the true ones at once, by what they weigh besides.
        """
        state, values = START, []
        for level in range(len(self.levels)):
            value = self._next(level, state)
            if value == self.recursion.steps.values:
                return self.recursion.ahead.places
            state = state.told(self.recursion.steps, level, value)
            values.append(value)
        return tuple(values)

    def _next(self, level: int, state: State) -> int:
        weights = self.recursion.next(level, self.levels[level], state)
        words, slack = common_words(weights)
        return choose_once(words, slack, partial(self._balls, level, state))

    def _balls(self, level: int, state: State) -> list[Any]:
        """The same weights at the working precision: where words leave a draw undecided."""
        finer = Recursion(self.recursion.steps, PythonNumbers.balls(self.step))
        return list(finer.next(level, finer.levels()[level], state))
