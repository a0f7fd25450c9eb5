"""A reconstruction attack (001 §1.2): counts of random groups give the whole column away.

Dinur & Nissim's attack in its plainest form: least squares, then rounding. The people are made up.
What can be proved of it: docs/proofs/reconstruction.md.
"""

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from discreet.budget import Sequential, Single
from discreet.errors import BudgetError
from discreet.exact import Epsilon
from discreet.mechanisms import GeometricMechanism
from discreet.papers.checking import (
    ALARM,
    at_most,
    brief,
    chance_of_as_odd,
    not_more_often,
    statement,
)
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

PEOPLE, TABLES = 64, 300
QUERIES = (4, 8, 16, 32, 48, 64, 104, 160, 256, 512)
TOTALS = ("1", "10", "50", "100")
EXACT, PLAIN = "exact", "plain"
SURE = PEOPLE + 40
"""So many random groups fail to tell all people apart with a chance of 2^−40 at most."""
_HARDLY = 1e-9
"""A ridge that decides where exact answers leave a choice, and nothing else."""

Whole = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Attacked:
    """How many bits of all tables were recovered, and how many are off by less than 1/2."""

    right: int
    pinned: int
    bits: int

    @property
    def share(self) -> float:
        """The share of bits recovered."""
        return self.right / self.bits


def private_counts(counts: Whole, total: str) -> Whole:
    """Tables × counts, answered privately: the answers about a table cost `total` together."""
    each = Epsilon.of(Fraction(total) / counts.shape[1])
    booked = Sequential((Single.of(each),) * counts.shape[1]).total
    if booked > Epsilon.of(total).billionths:
        raise BudgetError(f"{counts.shape[1]} answers at {each} cost more than {total}")
    return GeometricMechanism.counting(each).draw_counts(counts)


def noise_variance(total: str, queries: int) -> float:
    """The variance of each private count: 2α/(1 − α)² = 1/(2·sinh²(rate/2)), which is public."""
    rate = float(GeometricMechanism.counting(Fraction(total) / queries).rate())
    return 1 / (2 * math.sinh(rate / 2) ** 2)


def least_squares(groups: Floats, answers: Whole, ridge: float) -> Floats:
    """The bits that fit the answers of each table best, drawn toward one half by a ridge.

    With a ridge of 4 times the variance of the noise no linear attack errs less in squares: a fair
    bit has the variance 1/4.
    """
    across = groups.transpose(0, 2, 1)
    square = across @ groups + ridge * np.eye(groups.shape[2])
    about_half = answers - groups.sum(axis=2) / 2
    return np.asarray(np.linalg.solve(square, across @ about_half[..., None])[..., 0] + 0.5)


def attack(people: int, queries: int, totals: tuple[str, ...], tables: int) -> dict[str, Attacked]:
    """Made-up tables, random groups, exact answers and private ones of each total ε.

    Where there are groups enough, `PLAIN` is least squares without a ridge, at the first total.
    """
    random = np.random.default_rng()
    truth = random.integers(0, 2, (tables, people))
    groups = random.integers(0, 2, (tables, queries, people), np.int8).astype(np.float64)
    counts = (groups @ truth[..., None].astype(np.float64))[..., 0].astype(np.int64)
    answers = {total: private_counts(counts, total) for total in totals}
    fitted = {EXACT: least_squares(groups, counts, _HARDLY)}
    for total in totals:
        ridge = 4 * noise_variance(total, queries)
        fitted[total] = least_squares(groups, answers[total], ridge)
    if totals and queries >= people + 40:
        fitted[PLAIN] = least_squares(groups, answers[totals[0]], 0.0)
    return {name: _attacked(estimate, truth) for name, estimate in fitted.items()}


def _attacked(fitted: Floats, truth: Whole) -> Attacked:
    right = (fitted > 0.5) == truth
    pinned = np.abs(fitted - truth) < 0.5
    return Attacked(int(right.sum()), int(pinned.sum()), truth.size)


def at_best(total: str, queries: int) -> float:
    """On average no attack on random counts recovers more: 1/2 + ε/(4√m), or the ceiling."""
    return min(ceiling(total), 0.5 + float(Epsilon.of(total)) / (4 * math.sqrt(queries)))


def ceiling(total: str) -> float:
    """No attack on ε-private answers guesses a fair bit better: e^ε/(1 + e^ε) (001 Prop. 2).

    >>> round(ceiling("1"), 4), round(ceiling("log 3"), 4)
    (0.7311, 0.75)
    """
    return 1 / (1 + math.exp(-float(Epsilon.of(total))))


def _reconstruction(step: Step) -> Outcome:
    names, attacks = (EXACT, *TOTALS), {}
    for place, queries in enumerate(QUERIES):
        step(place / len(QUERIES), f"{queries} questions")
        for name, one in attack(PEOPLE, queries, TOTALS, TABLES).items():
            attacks[name, queries] = one
    return Outcome(
        tables=(
            PrintedTable(
                "recovered",
                ("questions", "exact answers", *(f"total ε = {total}" for total in TOTALS)),
                tuple((q, *(attacks[name, q].share for name in names)) for q in QUERIES),
                f"share of bits recovered, {TABLES} tables of {PEOPLE} people, random groups",
            ),
        ),
        figures=(_figure(attacks),),
        checks=_checks(attacks),
        notes=(
            "Guessing alone is right half of the time. The ceiling e^ε/(1 + e^ε) holds for every "
            "attack, also for one that knows all other bits; on m random counts no attack "
            "recovers more than 1/2 + ε/(4√m) on average (docs/proofs/reconstruction.md).",
            f"At a total of {TOTALS[-1]} the promise is empty, and the attack works again: ε "
            "must be small to protect.",
        ),
    )


def _checks(attacks: dict[tuple[str, int], Attacked]) -> tuple[Check, ...]:
    checks = []
    for queries in QUERIES:
        if queries >= SURE:
            exact = attacks[EXACT, queries]
            checks.append(
                statement(
                    f"{queries} exact counts reconstruct every bit of {PEOPLE} people",
                    exact.right == exact.bits,
                    f"{exact.right:,} of {exact.bits:,}",
                    note="“just” releasing statistics is providing too much information",
                )
            )
    worst = max((attacks[TOTALS[0], q] for q in QUERIES), key=lambda one: one.right)
    checks.append(
        not_more_often(
            f"total ε = {TOTALS[0]}: no more bits than any attack may recover, e^ε/(1 + e^ε)",
            worst.right,
            worst.bits,
            ceiling(TOTALS[0]),
        )
    )
    for queries in (q for q in QUERIES if q >= SURE):
        checks += _as_guessing(attacks[PLAIN, queries], queries)
    return tuple(checks)


def _as_guessing(one: Attacked, queries: int) -> list[Check]:
    """Bits whose error is 1/2 or more are right by luck: a fair coin each, whatever the noise.

    Without a ridge the error does not depend on the truth, and one beyond 1/2 upward makes the
    guess 1 whatever the bit is (docs/proofs/reconstruction.md).
    """
    lucky, free = one.right - one.pinned, one.bits - one.pinned
    chance = chance_of_as_odd(lucky, free, 0.5)
    what = f"total ε = {TOTALS[0]}, {queries} questions, plain least squares"
    return [
        statement(
            f"{what}: bits that the answers do not pin are right as often as a coin",
            chance >= ALARM,
            f"{lucky:,} of {free:,}, probability {chance:.2g}",
        ),
        at_most(
            f"{what}: about as good as guessing, the answers pin few bits",
            one.pinned / one.bits,
            0.2,
            note=f"recovered in all: {brief(one.share)}",
        ),
    ]


def _figure(attacks: dict[tuple[str, int], Attacked]) -> Figure:
    at = tuple(float(q) for q in QUERIES)
    series = [Series("exact answers", at, tuple(attacks[EXACT, q].share for q in QUERIES), "ours")]
    series += [
        Series(
            f"private, total ε = {total}",
            at,
            tuple(attacks[total, q].share for q in QUERIES),
            "ours",
        )
        for total in TOTALS
    ]
    series.append(Series("guessing", at, (0.5,) * len(at), "bound"))
    best = tuple(at_best(TOTALS[0], q) for q in QUERIES)
    series.append(
        Series(f"bound for any attack, on average, at ε = {TOTALS[0]}", at, best, "bound")
    )
    panel = Panel(
        title="",
        x_label="questions answered",
        y_label="share of bits recovered",
        series=tuple(series),
        log_x=True,
    )
    return Figure(
        "reconstruction",
        f"Exact counts give all {PEOPLE} bits away once there are as many questions as people; "
        "at a total ε of 1 the same attack is guessing.",
        (panel,),
    )


ITEMS: tuple[PaperItem, ...] = (
    PaperItem(
        id="001/attack-reconstruction",
        title="A reconstruction attack",
        paper="001",
        claim="“Just” releasing statistics is providing too much information (§1.2); no test can "
        "identify an individual in private ones (§2.4).",
        run=_reconstruction,
        seconds=2,
    ),
)
