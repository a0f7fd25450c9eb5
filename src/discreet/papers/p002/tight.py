"""The conjecture of §4 where two linear solves prove the optimum: ours, not the paper's."""

import math
from dataclasses import astuple, dataclass

from discreet.designer.tight import TightProblem, tight_constraints
from discreet.graphs import LargeHistograms, compare_large, half_exponential, sorted_histograms
from discreet.graphs.tight import tight_mechanism
from discreet.papers.checking import statement
from discreet.papers.item import (
    Check,
    Figure,
    Outcome,
    Panel,
    PaperItem,
    PrintedTable,
    Series,
    Step,
)

HISTOGRAMS = ((10, 3), (20, 3), (40, 3), (10, 4), (20, 4), (10, 5))
SORTED = ((20, 3), (8, 8), (10, 10), (12, 12))
EPSILONS = ("0.5", "1", "2", "3")


@dataclass(frozen=True, kw_only=True)
class Reached:
    """What the test says of one graph at one ε, and how far exp(−ε d/2) is off."""

    family: str
    records: int
    values: int
    nodes: int
    epsilon: float
    verdict: str
    cost: float | None
    bound: float
    half: float

    @property
    def ratio(self) -> float | None:
        """How many times the tight-constraints cost exp(−ε d/2) costs."""
        return None if self.cost is None else self.half / self.cost


def _histograms(records: int, values: int, epsilon: str) -> Reached:
    comparison = compare_large(LargeHistograms(records, values), epsilon)
    tight = comparison.line("tight constraints")
    known = tight.value == tight.value
    return Reached(
        family="histograms",
        records=records,
        values=values,
        nodes=comparison.nodes,
        epsilon=float(epsilon),
        verdict=tight.note if known else "a weight is negative",
        cost=tight.value if known else None,
        bound=tight.lower_bound or 0.0,
        half=comparison.line("exp(-ε d/2)").value,
    )


def _sorted(records: int, values: int, epsilon: str) -> Reached:
    graph = sorted_histograms(records, values)
    tight = tight_mechanism(graph, epsilon)
    design = tight.design
    gap = "" if design is None else f"proven gap {100 * design.gap:.2g} %"
    return Reached(
        family="sorted",
        records=records,
        values=values,
        nodes=graph.size,
        epsilon=float(epsilon),
        verdict="optimal" if tight.optimal else gap or "a weight is negative",
        cost=None if design is None else design.value,
        bound=float(tight.solved.lower_bound),
        half=half_exponential(graph, epsilon).cost,
    )


def least_epsilon(records: int, values: int) -> float:
    """The ε from which the test holds on histograms, to two digits, by bisection."""
    graph = LargeHistograms(records, values)
    problem = TightProblem.of_rows(graph.rows, graph.classes, graph.diameter)
    low, high = 1, 400
    while high - low > 1:
        middle = (low + high) // 2
        holds = tight_constraints(problem, f"{middle / 100:.2f}").optimal
        low, high = (low, middle) if holds else (middle, high)
    return high / 100


def _run(step: Step) -> Outcome:
    reached = []
    for place, shape in enumerate(HISTOGRAMS):
        step(place / 12, f"histograms {shape}")
        reached += [_histograms(*shape, epsilon) for epsilon in EPSILONS]
    for place, shape in enumerate(SORTED):
        step(0.5 + place / 12, f"sorted histograms {shape}")
        reached += [_sorted(*shape, epsilon) for epsilon in EPSILONS]
    step(0.9, "from which ε on")
    shapes = ((2, 3), (5, 3), (10, 3), (20, 3), (5, 4), (10, 4), (5, 5), (10, 5))
    starts = [(n, t, least_epsilon(n, t)) for n, t in shapes]
    return Outcome(
        tables=(
            PrintedTable(
                "reached",
                (
                    "family",
                    "records",
                    "values",
                    "nodes",
                    "ε",
                    "tight constraints",
                    "cost",
                    "proven bound",
                    "exp(-ε d/2)",
                    "÷ cost",
                ),
                tuple((*astuple(one), one.ratio) for one in reached),
                "two linear solves, and what they prove",
            ),
            PrintedTable(
                "from-epsilon",
                ("records", "values", "optimal from ε"),
                tuple(starts),
                "the least ε, in hundredths, for which tight constraints are proved best",
            ),
        ),
        figures=(_figure(reached),),
        checks=_checks(reached, starts),
        notes=(
            "The mechanism is that of ElSalamouny, Chatzikokolakis & Palamidessi (2013); the test "
            "that decides optimality is in docs/proofs/tight-constraints.md.",
        ),
    )


def _figure(reached: list[Reached]) -> Figure:
    panels = []
    for values in (3, 4):
        series = []
        for epsilon in EPSILONS[1:]:
            here = [
                one
                for one in reached
                if one.family == "histograms"
                and one.values == values
                and one.epsilon == float(epsilon)
                and one.ratio is not None
            ]
            at = tuple(float(one.records) for one in here)
            ratios = tuple(one.ratio or 0.0 for one in here)
            series.append(Series(f"ε = {epsilon}", at, ratios, "ours"))
        panels.append(
            Panel(
                title=f"histograms over {values} values",
                x_label="records N",
                y_label="exp(-ε d/2) ÷ tight constraints",
                series=tuple(series),
            )
        )
    return Figure(
        "off",
        "With more records exp(-ε d/2) stays two to three times as costly as what is proved best.",
        tuple(panels),
    )


def _checks(reached: list[Reached], starts: list[tuple[int, int, float]]) -> tuple[Check, ...]:
    proved = [one for one in reached if one.verdict == "optimal"]
    least = min(one.ratio or math.inf for one in proved)
    at_two = [one for one in proved if one.epsilon == 2.0 and one.values == 3]
    by_values = {t: [e for _, v, e in starts if v == t] for t in {v for _, v, _ in starts}}
    return (
        statement(
            "conjectured: the exponential mechanism that keeps ε is approximately optimal on "
            "histograms",
            least < 1.1,
            f"wherever the optimum is proved here, it costs {least:.2f} times as much or more",
            printed="approximately optimal",
            note="the largest such graphs that were computed have 135,751 nodes (40 records over "
            "five values, ε = 3: 3.15 times)",
        ),
        statement(
            "tight constraints are proved optimal at ε = 2 on histograms over three values",
            len(at_two) >= 3,
            f"on {len(at_two)} graphs here",
        ),
        statement(
            "the ε from which they are optimal grows with the number of values, and settles with "
            "the number of records",
            by_values[3][-1] < by_values[4][-1] < by_values[5][-1]
            and by_values[3][-1] - by_values[3][-2] <= 0.02,
            "; ".join(f"{t} values: {reached[-1]:.2f}" for t, reached in sorted(by_values.items())),
        ),
    )


ITEMS: tuple[PaperItem, ...] = (
    PaperItem(
        id="002/tight-constraints",
        title="The optimum on histograms by two linear solves",
        paper="002",
        claim="Ours: where the tight-constraints mechanism is proved best, it shows how far the "
        "exponential mechanism is from the optimum on graphs that no program reaches.",
        run=_run,
        seconds=8,
    ),
)
