"""Propositions 3 and 4: what two answers cost together, whether or not the second waits."""

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from discreet.budget import Sequential, Single
from discreet.certifier import certify, tight_epsilon
from discreet.exact import Epsilon
from discreet.measures import testing_bounds, total_variation
from discreet.mechanisms import exponential, geometric, laplace, randomized_response
from discreet.model import AllPairs, Grid, Labels, Mechanism, Within
from discreet.papers.checking import at_most, equal, statement
from discreet.papers.item import Figure, Outcome, Panel, PaperItem, PrintedTable, Series, Step

ANSWERS = Grid.between(0, 4)


def side_by_side(first: Mechanism, second: Mechanism) -> Mechanism:
    """(A₁(D), A₂(D)), each with randomness of its own (001 Prop. 3)."""
    return one_after_another(first, [second] * len(first.outputs))


def one_after_another(first: Mechanism, second: Sequence[Mechanism]) -> Mechanism:
    """(A₁(D), A₂(D, A₁(D))): `second` holds A₂(·, y) for each output y (001 Prop. 4)."""
    total = math.lcm(*(after.total for after in second))
    rows = [
        first.weights[y].astype(object) * after.weights.astype(object) * (total // after.total)
        for y, after in enumerate(second)
    ]
    weights = np.concatenate(rows)
    names = Grid.between(0, len(weights) - 1)
    return Mechanism.of(first.answers, names, first.neighbours, weights)


def _families(epsilon: str) -> dict[str, Mechanism]:
    return {
        "randomized response": randomized_response(ANSWERS, AllPairs(), epsilon),
        "laplace": laplace(ANSWERS, AllPairs(), epsilon),
        "exponential": exponential(ANSWERS, AllPairs(), epsilon),
    }


def _proposition_3(step: Step) -> Outcome:
    lines, checks = [], []
    for one, other in (("0.1", "0.1"), ("0.3", "0.7"), ("1", "1"), ("log 2", "log 3")):
        cost = Fraction(
            Sequential((Single.of(Epsilon.of(one)), Single.of(Epsilon.of(other)))).total, 10**9
        )
        for left, first in _families(one).items():
            for right, second in _families(other).items():
                tight = tight_epsilon(side_by_side(first, second))
                lines.append((left, one, right, other, float(cost), float(tight)))
    over = max(line[5] - line[4] for line in lines)
    twice = tight_epsilon(
        side_by_side(_families("log 2")["laplace"], _families("log 3")["laplace"])
    )
    coins = side_by_side(*(_families(e)["randomized response"] for e in ("log 2", "log 3")))
    ratio = tight_epsilon(coins).witness
    checks += [
        at_most(f"{len(lines)} pairs: none needs more than ε₁ + ε₂", over, 0.0, printed="ε₁ + ε₂"),
        statement(
            "the sum is reached: coins at log 2 and log 3 need exactly log 6",
            ratio is not None and ratio.ratio == 6,
            f"worst ratio {ratio.ratio if ratio else None}",
            printed="exp(ε₁ + ε₂)",
        ),
        at_most("two Laplace answers at log 2 and log 3", float(twice), math.log(6)),
        statement(
            "the pair is certified at the sum",
            certify(coins, "log 6").guarantee.epsilon.log_of == 6,
            "certified at log 6",
        ),
    ]
    return Outcome(
        tables=(
            PrintedTable(
                "pairs",
                ("A₁", "ε₁", "A₂", "ε₂", "ε₁ + ε₂ as booked", "the pair needs"),
                tuple(lines),
                "two answers about the same records, independent; 5 answers, all neighbours",
            ),
        ),
        figures=(_many_coins(),),
        checks=tuple(checks),
    )


def _many_coins() -> Figure:
    """How fast k independent answers about one person let a test tell two tables apart."""
    times = range(1, 13)
    panels = []
    for epsilon in ("0.1", "0.5"):
        single = randomized_response(Labels.of(["0", "1"]), AllPairs(), epsilon)
        joint, errors, floors = single, [], []
        for many in times:
            joint = single if many == 1 else side_by_side(joint, single)
            joint = _sorted_out(joint)
            errors.append(float(1 - total_variation(joint)))
            floors.append(testing_bounds(Fraction(epsilon) * many).tight)
        at = tuple(float(many) for many in times)
        panels.append(
            Panel(
                title=f"ε = {epsilon} each",
                x_label="answers k",
                y_label="false alarms + misses",
                series=(
                    Series("2/(e^(kε) + 1): lower bound at kε", at, tuple(floors), "bound"),
                    Series("best test on k answers", at, tuple(errors), "ours"),
                ),
            )
        )
    return Figure(
        "composition",
        "k answers at ε are together kε-private, and a test of all of them learns less than that "
        "allows.",
        tuple(panels),
    )


def _sorted_out(joint: Mechanism) -> Mechanism:
    """Outputs with proportional rows told as one: a test cannot use the difference."""
    kinds: dict[tuple[int, ...], list[int]] = {}
    for row in joint.weights.tolist():
        common = math.gcd(*row)
        key = tuple(cell // common for cell in row)
        kinds.setdefault(key, []).append(common)
    weights = [[cell * sum(times) for cell in key] for key, times in kinds.items()]
    outputs = Grid.between(0, len(weights) - 1)
    return Mechanism.of(joint.answers, outputs, joint.neighbours, weights)


def _proposition_4(step: Step) -> Outcome:
    lines = []
    for one, other in (("0.1", "0.4"), ("0.5", "0.5"), ("1", "2")):
        count = Grid.between(0, 6)
        first = geometric(count, Within(1), one)
        means = {
            "repeat": [geometric(count, Within(1), other)] * 7,
            "choose the mechanism by y": [
                (geometric if y % 2 else laplace)(count, Within(1), other) for y in range(7)
            ],
            "ask whether the count is at least y": [
                _at_least(count, max(y, 1), other) for y in range(7)
            ],
            "ask again only if y > 3": [
                geometric(count, Within(1), other) if y > 3 else _at_least(count, 4, other)
                for y in range(7)
            ],
        }
        for name, second in means.items():
            joint = one_after_another(first, second)
            lines.append((name, one, other, float(one) + float(other), float(tight_epsilon(joint))))
    over = max(lines, key=lambda line: line[4] - line[3])
    repeat = next(line for line in lines if line[0] == "repeat" and line[1] == "0.5")
    return Outcome(
        tables=(
            PrintedTable(
                "adaptive",
                ("second question", "ε₁", "ε₂", "ε₁ + ε₂", "both need"),
                tuple(lines),
                "a noisy count y of 6 records, then a question that depends on y",
            ),
        ),
        checks=(
            at_most(
                "no second question that depends on the first answer needs more than ε₁ + ε₂",
                over[4] - over[3],
                0.0,
                printed="ε₁ + ε₂",
                note=f"nearest: {over[0]}, ε₁ = {over[1]}, ε₂ = {over[2]}",
            ),
            equal("asking the same count twice reaches the sum", repeat[4], 1.0, within=1e-6),
        ),
    )


def _at_least(count: Grid, bound: int, epsilon: str) -> Mechanism:
    """Whether a count is at least so many, by randomized response."""
    bit = Labels.of(["no", "yes"])
    coins = randomized_response(bit, AllPairs(), epsilon).weights
    return Mechanism.of(
        count, bit, Within(1), coins[:, [int(c >= bound) for c in range(len(count))]]
    )


ITEMS: tuple[PaperItem, ...] = (
    PaperItem(
        id="001/proposition-3",
        title="Parallel composition",
        paper="001",
        claim="Two independent answers that are ε₁- and ε₂-private are together ε₁ + ε₂-private.",
        run=_proposition_3,
        seconds=1,
    ),
    PaperItem(
        id="001/proposition-4",
        title="Sequential composition",
        paper="001",
        claim="So are two answers of which the second question depends on the first answer.",
        run=_proposition_4,
        seconds=1,
    ),
)
