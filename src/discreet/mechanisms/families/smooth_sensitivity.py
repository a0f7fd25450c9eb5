"""Smooth sensitivity with Cauchy noise for min, median and max (Nissim et al. 2007; 003 §4.3.5).

Noise of scale c·S/ε, where S is the β-smooth sensitivity, is private with β = ε·(1 − 1/c), for
every c > 1: docs/proofs/smooth-sensitivity.md. 003 has c = 8. The columns are databases.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations_with_replacement
from typing import Any

import numpy as np

from discreet.errors import DesignError, InvalidInput, NeighboursError, SpaceError
from discreet.exact import Epsilon, EpsilonLike, RationalLike, enclosed, rational, show, spendable
from discreet.exact.numbers import nearest_step, private_number
from discreet.mechanisms.discretisation import Bound, Floats, Noise
from discreet.mechanisms.smooth_bounds import SmoothBound, rank_of, smooth_bound
from discreet.model import (
    AllPairs,
    Graph,
    Grid,
    Labels,
    Mechanism,
    Neighbours,
    Space,
    category_of,
    edges,
)
from discreet.repair import integer_mechanism
from discreet.sampling import real_choice
from discreet.statistics import MEDIAN

_MOST_DATABASES = 5000
_SLACK = Fraction(1, 2**20)
"""The part of ε that pays for rounding in the search for S (see the proof page)."""


def databases(values: Grid, records: int) -> tuple[Labels, Graph]:
    """Every database of so many records, in order, with those one record apart as neighbours.

    >>> databases(Grid.between(0, 1), 2)[0].names
    ('0,0', '0,1', '1,1')
    """
    if isinstance(records, bool) or not isinstance(records, int) or records < 1:
        raise InvalidInput(f"a database needs at least 1 record, got {show(records)}")
    count = math.comb(records + len(values) - 1, records)
    if count > _MOST_DATABASES:
        raise SpaceError(
            f"{records} records of {len(values)} values make {count:,} databases, more than "
            f"{_MOST_DATABASES:,}; use fewer, or draw without a matrix"
        )
    nodes = list(combinations_with_replacement(range(len(values)), records))
    index = {node: place for place, node in enumerate(nodes)}
    pairs = [
        (index[node], index[tuple(sorted((*node[:at], value, *node[at + 1 :])))])
        for node in nodes
        for at in range(records)
        for value in range(node[at])
    ]
    names = tuple(",".join(str(values.value(place)) for place in node) for node in nodes)
    return Labels(names), Graph.of(len(nodes), pairs)


def cauchy_noise(scale: float) -> Noise:
    """The Cauchy density of a scale; the mass of an interval without cancellation."""

    def half(low: Bound, high: Bound, _: float) -> float:
        start, end = float(low) / scale, float(high) / scale
        if math.isinf(end):
            return math.atan2(1.0, start) / math.pi
        return math.atan((end - start) / (1.0 + start * end)) / math.pi

    return Noise(half)


def smooth_sensitivity(
    answers: Space,
    neighbours: Neighbours,
    epsilon: EpsilonLike,
    *,
    outputs: Space | None = None,
    statistic: str = MEDIAN.name,
    records: int = 3,
    multiplier: RationalLike = 8,
) -> Mechanism:
    """The matrix over all databases of `records` records whose values are the given answers.

    Its answers are databases such as "0,0,3", and its neighbours those one record apart; the
    outputs are the values themselves.

    >>> from discreet.model import AllPairs, Grid
    >>> smooth_sensitivity(Grid.between(0, 4), AllPairs(), 1, statistic="max", records=2)
    Mechanism(smooth-sensitivity: 5 outputs × 15 answers, total 2^62)
    """
    if not isinstance(answers, Grid):
        raise SpaceError(f"smooth sensitivity needs evenly spaced values, got {show(answers)}")
    if not isinstance(neighbours, AllPairs):
        raise NeighboursError(
            "one record can move a min, median or max anywhere: smooth sensitivity needs all "
            f"pairs as neighbours, got {show(neighbours)}"
        )
    rows = outputs if isinstance(outputs, Grid) else answers
    space, graph = databases(answers, records)
    rank, times = rank_of(statistic, records), float(_multiplier(multiplier))
    columns = list(combinations_with_replacement(range(len(answers)), records))
    homes = np.array(category_of(rows, answers))[[column[rank - 1] for column in columns]]
    bounds: list[Bound] = [-math.inf, *edges(rows)[1:-1], math.inf]

    def propose(at: float) -> Floats:
        beta, step = at * (1 - 1 / times), float(answers.step)
        masses = np.empty((len(rows), len(columns)))
        for j, column in enumerate(columns):
            smooth = smooth_bound(column, rank, 0, len(answers) - 1, beta)
            noise = cauchy_noise(times * smooth.at(beta) * step / at)
            truth = answers.value(column[rank - 1])
            for i in range(len(rows)):
                masses[i, j] = noise.mass(bounds[i] - truth, bounds[i + 1] - truth, at)
        return masses

    return integer_mechanism(
        space,
        rows,
        graph,
        propose,
        Epsilon.of(epsilon),
        name="smooth-sensitivity",
        notes={"statistic": statistic, "records": records},
        home=homes,
    )


@dataclass(frozen=True)
class SmoothSensitivityMechanism:
    """The same mechanism for one database of any size, drawn exactly and snapped to the values.

    >>> likert = SmoothSensitivityMechanism.of(Grid.between(1, 5), 1, "median")
    >>> likert.draw([3] * 1000)
    Fraction(3, 1)
    """

    values: Grid
    epsilon: Epsilon
    statistic: str
    multiplier: Fraction = Fraction(8)

    @classmethod
    def of(
        cls, values: Grid, epsilon: EpsilonLike, statistic: str, multiplier: RationalLike = 8
    ) -> "SmoothSensitivityMechanism":
        """Read the numbers exactly."""
        rank_of(statistic, 1)
        return cls(values, Epsilon.of(epsilon), statistic, _multiplier(multiplier))

    @property
    def _spent(self) -> Fraction:
        return spendable(self.epsilon) * (1 - _SLACK)

    @property
    def beta(self) -> Fraction:
        """How fast the smooth sensitivity may change, as a logarithm."""
        return self._spent * (1 - 1 / self.multiplier)

    def draw(self, records: Sequence[RationalLike]) -> Fraction:
        """A private statistic of the records, each first moved to the nearest declared value."""
        places = sorted(self._place(record) for record in records)
        self._check_rounding(len(places))
        rank = rank_of(self.statistic, len(places))
        smooth = smooth_bound(places, rank, 0, len(self.values) - 1, float(self.beta))
        return self.values.value(real_choice(lambda: self._ends(places[rank - 1], smooth)))

    def probabilities(self, records: Sequence[RationalLike]) -> Floats:
        """How likely each value is, in floats: for expected errors, never for draws.

        >>> likert = SmoothSensitivityMechanism.of(Grid.between(1, 3), 1, "median")
        >>> likert.probabilities([2, 2, 2]).round(3).tolist()
        [0.453, 0.095, 0.453]
        """
        places = sorted(self._place(record) for record in records)
        rank = rank_of(self.statistic, len(places))
        smooth = smooth_bound(places, rank, 0, len(self.values) - 1, float(self.beta))
        ends = [float(end.mid()) for end in self._ends(places[rank - 1], smooth)]
        return np.diff(ends, prepend=0.0)

    def _place(self, record: RationalLike) -> int:
        from_start = private_number(record) - self.values.start
        return min(max(nearest_step(from_start, self.values.step), 0), len(self.values) - 1)

    def _ends(self, truth: int, smooth: SmoothBound) -> list[Any]:
        """Pr(output ≤ v) for each value v, as Arb balls: the Cauchy cdf half a step above v."""
        half, one = enclosed(Fraction(1, 2)), enclosed(Fraction(1))
        decay = enclosed(self.beta * smooth.changes).exp()
        rate = enclosed(self._spent / (self.multiplier * max(smooth.gap, 1))) * decay
        steps = (Fraction(2 * (place - truth) + 1, 2) for place in range(len(self.values) - 1))
        return [half + (enclosed(step) * rate).atan() / one.pi() for step in steps] + [one]

    def _check_rounding(self, records: int) -> None:
        """Whether the search for S is exact enough for `_SLACK` to pay for it."""
        if records < 1:
            raise InvalidInput("a database needs at least 1 record, got none")
        spent, beta = float(self.epsilon), float(self.beta)
        error = (2.0**-45 + 2.0**-49 * beta * (records + 1)) * (math.log2(records) + 2)
        if 3 * error * max(1.0, spent) > spent * float(_SLACK):
            raise DesignError(
                f"smooth sensitivity of {records:,} records at ε = {self.epsilon} cannot be "
                "computed precisely enough; use a larger ε or fewer records"
            )


def _multiplier(given: RationalLike) -> Fraction:
    times = rational(given, "the multiplier of the noise")
    if times <= 1:
        raise InvalidInput(f"the multiplier of the noise must be above 1, got {show(given)}")
    return times
