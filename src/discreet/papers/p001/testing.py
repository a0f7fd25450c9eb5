"""Proposition 2: no test can identify a specific individual. The bounds beside the best tests."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from discreet.certifier import Certified, certify
from discreet.exact import EpsilonLike
from discreet.measures import testing_bounds, total_variation
from discreet.mechanisms import exponential, geometric, laplace, randomized_response
from discreet.model import AllPairs, Grid, Labels, Mechanism, Within
from discreet.papers.checking import ALARM, at_most, chance_of_as_odd, equal, statement
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
from discreet.sampling import draw_many

EPSILONS = ("0.05", "0.1", "0.2", "0.35", "0.5", "0.75", "1", "1.5", "2", "2.5", "3", "4")
TRIED = ("0.1", "0.5", "1", "2", "4")
DRAWS = 20_000

_BIT = Labels.of(["0", "1"])
_COUNT = Grid.between(0, 20)
_LIKERT = Grid.between(1, 5)
MECHANISMS: dict[str, Callable[[EpsilonLike], Mechanism]] = {
    "randomized response": lambda e: randomized_response(_BIT, AllPairs(), e),
    "geometric noise on a count": lambda e: geometric(_COUNT, Within(1), e),
    "snapped Laplace on 1..5": lambda e: laplace(_LIKERT, AllPairs(), e),
    "exponential mechanism on 1..5": lambda e: exponential(_LIKERT, AllPairs(), e),
}


@dataclass(frozen=True, kw_only=True)
class TriedTest:
    """The best test between two neighbours, tried out: how often it errs on either side."""

    first: int
    second: int
    false_alarms: int
    misses: int
    draws: int
    alarm_rate: float
    miss_rate: float

    def rates(self) -> tuple[float, float, float, float]:
        """False alarms and misses, each measured and as computed."""
        return (
            self.false_alarms / self.draws,
            self.alarm_rate,
            self.misses / self.draws,
            self.miss_rate,
        )

    @property
    def chance(self) -> float:
        """How likely counts as odd as the odder of the two are."""
        return min(
            chance_of_as_odd(self.false_alarms, self.draws, self.alarm_rate),
            chance_of_as_odd(self.misses, self.draws, self.miss_rate),
        )

    @property
    def errors(self) -> float:
        """The sum of both measured error rates."""
        return (self.false_alarms + self.misses) / self.draws


def best_test(certified: Certified, draws: int) -> TriedTest:
    """Draw under both of the most different neighbours; say 1 where output is likelier under 1."""
    mechanism = certified.mechanism
    chances = mechanism.probabilities()
    pairs = list(mechanism.neighbours.pairs(len(mechanism.answers)))
    first, second = max(
        pairs, key=lambda p: float(np.abs(chances[:, p[0]] - chances[:, p[1]]).sum())
    )
    says_1 = chances[:, second] > chances[:, first]
    under_0 = says_1[draw_many(certified, first, draws)]
    under_1 = says_1[draw_many(certified, second, draws)]
    return TriedTest(
        first=first,
        second=second,
        false_alarms=int(under_0.sum()),
        misses=int((~under_1).sum()),
        draws=draws,
        alarm_rate=float(chances[says_1, first].sum()),
        miss_rate=float(chances[~says_1, second].sum()),
    )


def largest_divergence(mechanism: Mechanism) -> float:
    """max KL(P₀, P₁) over neighbouring columns, both ways, in nats."""
    logs = np.log(mechanism.probabilities())
    chances = np.exp(logs)
    pairs = np.array(list(mechanism.neighbours.pairs(len(mechanism.answers))))
    one, other = pairs[:, 0], pairs[:, 1]
    ways = [
        (chances[:, a] * (logs[:, a] - logs[:, b])).sum(axis=0)
        for a, b in ((one, other), (other, one))
    ]
    return float(np.max(ways))


def _proposition_2(step: Step) -> Outcome:
    lines, checks = [], []
    exact: dict[str, list[float]] = {name: [] for name in MECHANISMS}
    for place, epsilon in enumerate(EPSILONS):
        step(0.5 * place / len(EPSILONS), f"ε = {epsilon}")
        bounds = testing_bounds(epsilon)
        for name, make in MECHANISMS.items():
            mechanism = make(epsilon)
            errors = float(1 - total_variation(mechanism))
            divergence = largest_divergence(mechanism)
            exact[name].append(errors)
            lines.append((name, float(epsilon), errors, bounds.tight, bounds.pinsker, divergence))
    checks += _bounds_hold(lines)
    tried: dict[str, list[float]] = {name: [] for name in MECHANISMS}
    measured = []
    for place, epsilon in enumerate(TRIED):
        step(0.5 + 0.5 * place / len(TRIED), f"tests at ε = {epsilon}")
        for name, make in MECHANISMS.items():
            measurement = best_test(certify(make(epsilon), epsilon), DRAWS)
            tried[name].append(measurement.errors)
            measured.append((name, float(epsilon), *measurement.rates(), measurement.chance))
    least = min(line[-1] for line in measured)
    checks.append(
        statement(
            f"the best test, tried {DRAWS:,} times on either side, errs as computed, everywhere",
            least >= ALARM,
            f"the least likely of {2 * len(measured)} counts has probability {least:.2g}",
        )
    )
    return Outcome(
        tables=(
            PrintedTable(
                "tests",
                ("mechanism", "ε", "best test errs", "tight bound", "Pinsker bound", "largest KL"),
                tuple(lines),
                "the least sum of both error rates of any test between neighbours: 1 − total "
                "variation, in exact integers, beside both lower bounds",
            ),
            PrintedTable(
                "measured",
                (
                    "mechanism",
                    "ε",
                    "false alarms",
                    "expected",
                    "misses",
                    "expected there",
                    "probability of a count as unlikely",
                ),
                tuple(measured),
                f"the best test on {DRAWS:,} exact draws under either table",
            ),
        ),
        figures=(_figure(exact, tried),),
        checks=tuple(checks),
        notes=(
            "The printed bound 1 − √(ε/2) says nothing from ε = 2 on. Randomized response reaches "
            "2/(e^ε + 1), so no better bound exists.",
        ),
    )


def _bounds_hold(lines: list[tuple[str, float, float, float, float, float]]) -> list[Check]:
    gap = min(lines, key=lambda line: line[2] - line[4])
    near = min(lines, key=lambda line: line[2] - line[3])
    worst = max(lines, key=lambda line: line[5] / line[1])
    reached = max(abs(line[2] - line[3]) for line in lines if line[0] == "randomized response")
    return [
        at_most(
            "the sum of both error rates is at least 1 − √(ε/2), for all mechanisms and ε here",
            gap[4],
            gap[2],
            printed="1 − √(ε/2)",
            note=f"nearest: {gap[0]} at ε = {gap[1]:g}",
        ),
        at_most(
            "and at least 2/(e^ε + 1), which is tighter",
            near[3],
            near[2],
            note=f"nearest: {near[0]} at ε = {near[1]:g}",
        ),
        equal("randomized response reaches 2/(e^ε + 1) at every ε", 1.0, 1.0 - reached),
        at_most(
            "KL(P₀, P₁) ≤ ε in the proof",
            worst[5],
            worst[1],
            printed="KL ≤ ε",
            note=f"nearest: {worst[0]} at ε = {worst[1]:g}; in truth KL ≤ ε·tanh(ε/2)",
        ),
        at_most(
            "and even KL ≤ ε·tanh(ε/2)",
            max(line[5] / (line[1] * math.tanh(line[1] / 2)) for line in lines),
            1 + 1e-8,
        ),
    ]


def _figure(exact: dict[str, list[float]], tried: dict[str, list[float]]) -> Figure:
    at = tuple(float(epsilon) for epsilon in EPSILONS)
    bounds = [testing_bounds(epsilon) for epsilon in EPSILONS]
    series = [
        Series("1 − √(ε/2), as printed", at, tuple(b.pinsker for b in bounds), "paper"),
        Series("2/(e^ε + 1), tight", at, tuple(b.tight for b in bounds), "bound"),
    ]
    shown = [name for name in MECHANISMS if name != "geometric noise on a count"]
    series += [Series(f"{name}: best test", at, tuple(exact[name]), "ours") for name in shown]
    points = tuple(float(epsilon) for epsilon in TRIED)
    series += [Series(f"{name}: measured", points, tuple(tried[name])) for name in shown]
    panel = Panel(
        title="",
        x_label="ε",
        y_label="false alarms + misses of the best test",
        series=tuple(series),
        log_x=True,
    )
    return Figure(
        "proposition-2",
        "No test errs less than 2/(e^ε + 1); the printed bound is right but lower, and says "
        "nothing from ε = 2 on.",
        (panel,),
    )


ITEMS: tuple[PaperItem, ...] = (
    PaperItem(
        id="001/proposition-2",
        title="No test can identify a specific individual",
        paper="001",
        claim="The false alarms and misses of any test between two neighbours sum to 1 − √(ε/2) at "
        "least.",
        run=_proposition_2,
        seconds=1,
    ),
)
