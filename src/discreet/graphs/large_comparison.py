"""How far the exponentials are from the optimum on histograms that no program could take."""

import math

import numpy as np

from discreet.designer.tight.solving import float_powers
from discreet.errors import DesignError
from discreet.exact import Epsilon, EpsilonLike
from discreet.graphs.comparison import MECHANISM, PROGRAM, TIGHT, Comparison, CostLine
from discreet.graphs.histogram_mechanism import TightHistograms, tight_histograms
from discreet.graphs.large_histograms import LargeHistograms
from discreet.graphs.theorem_1 import Conditions
from discreet.measures import PropertyVerdict

OPTIMAL = 1e-9
"""A proven gap of no more than this is told as the value of LP[1]."""


def compare_large(graph: LargeHistograms, epsilon: EpsilonLike) -> Comparison:
    """Tight constraints, the exponentials and a constant; LP[1] where the gap is next to nothing.

    >>> compared = compare_large(LargeHistograms(12, 3), 2)
    >>> [round(compared.line(name).value, 6) for name in ("LP[1]", "exp(-ε d/2)")]
    [0.579749, 1.474728]
    """
    eps = Epsilon.of(epsilon)
    tight: TightHistograms | str
    try:
        tight = tight_histograms(graph, eps)
    except DesignError as problem:
        tight = str(problem)
    half = Epsilon(max(1, eps.billionths // 2))
    costs, constant = _exponentials(graph, (half, eps))
    lines = [
        *_tight_lines(tight),
        CostLine(name="exp(-ε d/2)", kind=MECHANISM, value=costs[0], note="keeps ε on any graph"),
        CostLine(name="exp(-ε d)", kind=MECHANISM, value=costs[1], note="keeps 2ε, not ε"),
        constant,
    ]
    return Comparison(
        name=graph.name,
        nodes=graph.size,
        layers=graph.diameter + 1,
        epsilon=eps,
        conditions=_conditions(graph),
        lines=tuple(lines),
        best=None if isinstance(tight, str) else tight,
    )


def _tight_lines(tight: TightHistograms | str) -> list[CostLine]:
    if isinstance(tight, str):
        return [
            CostLine(
                name="LP[1]", kind=PROGRAM, value=math.nan, note="too large for a linear program"
            ),
            CostLine(name=TIGHT, kind=MECHANISM, value=math.nan, note=tight),
        ]
    proved = tight.gap <= OPTIMAL
    return [
        CostLine(
            name="LP[1]",
            kind=PROGRAM,
            value=tight.value if proved else math.nan,
            lower_bound=tight.lower_bound,
            note="optimal, by tight constraints" if proved else "too large for a linear program",
        ),
        CostLine(
            name=TIGHT,
            kind=MECHANISM,
            value=tight.value,
            keeps=float(tight.certified.guarantee.epsilon),
            lower_bound=tight.lower_bound,
            note="optimal" if proved else f"proven gap {100 * tight.gap:.2g} %",
        ),
    ]


def _exponentials(
    graph: LargeHistograms, rates: tuple[Epsilon, ...]
) -> tuple[list[float], CostLine]:
    """What exp(−rate·d) costs, and the best constant: one row of distances for each class."""
    powers = [float_powers(graph.diameter, rate) for rate in rates]
    members = np.bincount(graph.classes)
    sums, means = [0.0] * len(rates), []
    for row in range(len(graph.models)):
        sizes = np.bincount(graph.rows[row], minlength=graph.diameter + 1).astype(np.float64)
        layers = np.arange(len(sizes))
        means.append(float(sizes @ layers) / graph.size)
        for place, power in enumerate(powers):
            weights = sizes * power
            sums[place] += float(members[row]) * float(weights @ layers / weights.sum())
    middle = int(np.argmin(means))
    constant = CostLine(
        name="a constant",
        kind=MECHANISM,
        value=means[middle],
        keeps=0.0,
        note=f"always {graph.label(int(graph.models[middle]))}",
    )
    return [total / graph.size for total in sums], constant


def _conditions(graph: LargeHistograms) -> Conditions:
    """Neither holds: a corner has fewer neighbours, and its second layer is mixed (002 §4)."""
    n, t = graph.records, graph.values
    corner, beside, zeros = ".".join(["0"] * (t - 1) + [str(n)]), t - 1, ["0"] * (t - 3)
    if t < 3 or n < 2:
        raise DesignError(f"{graph.name} is a path or a complete graph; write it as one")
    near = ".".join([*zeros, "0", "1", str(n - 1)])
    one, other = (".".join([*zeros, *last, str(n - 2)]) for last in (("0", "2"), ("1", "1")))
    return Conditions(
        PropertyVerdict(
            False,
            f"no automorphism leads from {corner} to {near}: {corner} has {beside} neighbours, "
            f"{near} has {2 * beside}",
        ),
        PropertyVerdict(
            False,
            f"around {corner}, at distance 2: {one} has 1 neighbour one layer nearer, {other} has "
            "2",
        ),
    )
