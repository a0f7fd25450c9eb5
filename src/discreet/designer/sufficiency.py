"""Which of two mechanisms tells more: the axiom of sufficiency and the order of paper 003, decided.

M₁ is sufficient for M₂ when a random function of M₁'s output is M₂ (003 §3.1): a linear program for
the function, or for a decision in which M₂ does better. Both ends of the answer are exact
fractions. M₁ is smaller than M₂ when it has its mass nearer to every true answer (003 Definitions 5
and 7). Proofs: docs/proofs/sufficiency.md.
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from discreet.designer.programs.program import NO_BOUND, Floats, Program, ProgramRows
from discreet.designer.programs.solver import solve
from discreet.errors import MechanismError
from discreet.measures import PropertyVerdict
from discreet.model import Integers, Mechanism, numbers_of

MOST_CELLS = 40_000
"""Outputs of the one times outputs of the other: more takes too long."""

_FINE = 1 << 40
_ORDER = "an order by distance"


@dataclass(frozen=True, eq=False, kw_only=True)
class Simulation:
    """How nearly outputs of one mechanism can be turned into those of another.

    No random function does it with a total variation below `least` for every true answer, and
    `function` does it with `most`; both are exact. `function[i2][i1]` is how often output i1 of the
    one is turned into output i2 of the other, in units of 1/2^40.
    """

    least: Fraction
    most: Fraction
    function: Integers

    @property
    def simulates(self) -> bool | None:
        """True when a function is as good as exact, False when there is none, None when open."""
        if self.least > 0:
            return False
        return True if self.most <= Fraction(1, 10**6) else None


def simulation(one: Mechanism, other: Mechanism) -> Simulation:
    """Whether whoever holds outputs of `one` could have made outputs of `other` (003 §3.1).

    Raises:
        MechanismError: They are for different answers, or too large.

    >>> from discreet.model import AllPairs, Labels
    >>> coins = Labels.of(["no", "yes"])
    >>> sharp = Mechanism.of(coins, coins, AllPairs(), [[3, 1], [1, 3]])
    >>> blunt = Mechanism.of(coins, coins, AllPairs(), [[5, 3], [3, 5]])
    >>> simulation(sharp, blunt).simulates, simulation(blunt, sharp).least
    (True, Fraction(1, 8))
    """
    _check_alike(one, other)
    rows, columns = len(other.outputs), len(one.outputs)
    if rows * columns > MOST_CELLS:
        raise MechanismError(
            f"{columns:,} by {rows:,} outputs are too many to compare, at most {MOST_CELLS:,} "
            f"pairs; use mechanisms with fewer outputs"
        )
    program = _program(one.probabilities(), other.probabilities())
    solution = solve(program, "simplex")
    function = _whole(solution.x[: rows * columns].reshape(rows, columns))
    return Simulation(
        least=max(_least(one, other, payoff) for payoff in _payoffs(solution.duals, one, other)),
        most=_most(one, other, function),
        function=function,
    )


def smaller(one: Mechanism, other: Mechanism) -> PropertyVerdict:
    """Whether `one` has its mass nearer to every true answer than `other` (003 Definition 7).

    For every answer and every distance, `one` stays within it at least as often, in integers. Then
    its expected loss is no larger, whatever loss grows with the distance (003 Theorem 3).

    >>> from discreet.model import AllPairs, Grid
    >>> line = Grid.between(0, 1)
    >>> sharp = Mechanism.of(line, line, AllPairs(), [[3, 1], [1, 3]])
    >>> blunt = Mechanism.of(line, line, AllPairs(), [[5, 3], [3, 5]])
    >>> smaller(sharp, blunt).holds, smaller(blunt, sharp).counterexample
    (True, 'true answer 0: within 0 of it with probability 0.625, and 0.75')
    """
    _check_alike(one, other)
    truths = list(numbers_of(one.answers, _ORDER).values())
    tables = [
        (mechanism, list(numbers_of(mechanism.outputs, _ORDER).values()))
        for mechanism in (one, other)
    ]
    for answer, truth in enumerate(truths):
        apart = sorted({abs(output - truth) for _, outputs in tables for output in outputs})
        for distance in apart:
            mine, theirs = (
                Fraction(
                    sum(
                        int(weight)
                        for weight, output in zip(mechanism.column(answer), outputs, strict=True)
                        if abs(output - truth) <= distance
                    ),
                    mechanism.total,
                )
                for mechanism, outputs in tables
            )
            if mine < theirs:
                return PropertyVerdict(
                    False,
                    f"true answer {truth}: within {distance} of it with probability "
                    f"{_told_apart(mine, theirs)}",
                )
    return PropertyVerdict(True)


def _told_apart(less: Fraction, more: Fraction) -> str:
    """Two probabilities that differ, in as many digits as it takes to see it.

    >>> _told_apart(Fraction(5, 8), Fraction(3, 4))
    '0.625, and 0.75'
    >>> _told_apart(Fraction(1, 3), Fraction(1, 3) + Fraction(1, 10**9))
    '0.333333333, and 0.333333334'
    >>> _told_apart(Fraction(1, 2), Fraction(1, 2) + Fraction(1, 2**70))
    '0.5, and 8.5e-22 more'
    """
    for digits in (6, 9, 12, 15):
        one, other = f"{float(less):.{digits}g}", f"{float(more):.{digits}g}"
        if one != other:
            return f"{one}, and {other}"
    return f"{float(less):.6g}, and {float(more - less):.1e} more"


def _check_alike(one: Mechanism, other: Mechanism) -> None:
    if one.answers != other.answers:
        raise MechanismError(
            "only mechanisms for the same answers can be compared, got "
            f"{len(one.answers)} and {len(other.answers)} of them"
        )


def _program(one: Floats, other: Floats) -> Program:
    """The least d with |T·M₁ − M₂| summing to 2d or less in every column.

    Variables: T by rows, the surplus of each cell of T·M₁ over M₂, and d. A surplus is at least 0
    and at least the difference; in a column differences sum to 0, so surpluses to d or less.
    """
    rows, (columns, answers) = len(other), one.shape
    cells, surplus = rows * columns, rows * answers
    last = cells + surplus
    whole = ProgramRows.equal("sums", np.arange(cells).reshape(rows, columns).T, np.ones(rows), 1.0)
    line, place, value, upper = [], [], [], []
    for i in range(rows):
        for j in range(answers):
            row = i * answers + j
            line += [row] * (columns + 1)
            place += [*range(i * columns, (i + 1) * columns), cells + row]
            value += [*one[:, j].tolist(), -1.0]
            upper.append(float(other[i, j]))
    within = ProgramRows(
        name="surplus",
        row=np.array(line),
        column=np.array(place),
        value=np.array(value),
        lower=np.full(surplus, -NO_BOUND),
        upper=np.array(upper),
    )
    sums = np.concatenate(
        [cells + np.arange(surplus).reshape(rows, answers).T, np.full((answers, 1), last)], axis=1
    )
    total = ProgramRows.at_most("total", sums, np.append(np.ones(rows), -1.0))
    cost = np.zeros(last + 1)
    cost[last] = 1.0
    highest = np.concatenate([np.ones(cells + surplus), [1.0]])
    return Program.of(cost, np.zeros(last + 1), highest, [whole, within, total])


def _payoffs(duals: Floats, one: Mechanism, other: Mechanism) -> list[Integers]:
    """Whole payoffs of telling i when j is true, from the multipliers of the surpluses."""
    rows, answers = len(other.outputs), len(one.answers)
    inside = duals[len(one.outputs) : len(one.outputs) + rows * answers].reshape(rows, answers)
    scaled = inside / max(float(np.abs(inside).max()), 1e-300)
    payoffs = []
    for unit in (1 << 40, 1 << 20, 840):
        whole: Integers = np.rint(scaled * unit).astype(np.int64).astype(object)
        payoffs += [whole, -whole]
    return payoffs


def _least(one: Mechanism, other: Mechanism, payoff: Integers) -> Fraction:
    """What a decision shows: how much more M₂ earns than the best use of M₁, by the spread."""
    spread = int((payoff.max(axis=0) - payoff.min(axis=0)).sum())
    if spread == 0:
        return Fraction(0)
    theirs = Fraction(int((payoff * other.weights.astype(object)).sum()), other.total)
    use = payoff @ one.weights.astype(object).T
    best = Fraction(int(use.max(axis=0).sum()), one.total)
    return max(Fraction(0), (theirs - best) / spread)


def _whole(function: Floats) -> Integers:
    """A random function in whole parts of 2^40; the likeliest of each column takes the rest."""
    share = np.maximum(function, 0.0)
    share = share / share.sum(axis=0)
    parts: Integers = np.floor(share * float(_FINE)).astype(np.int64).astype(object)
    places = np.arange(parts.shape[1])
    parts[share.argmax(axis=0), places] += _FINE - parts.sum(axis=0)
    return parts


def _most(one: Mechanism, other: Mechanism, function: Integers) -> Fraction:
    """The largest total variation that this very function leaves, in exact fractions."""
    made = function @ one.weights.astype(object) * other.total
    wanted = other.weights.astype(object) * (one.total * _FINE)
    worst = max(np.abs(made - wanted).sum(axis=0).tolist())
    return Fraction(int(worst), 2 * one.total * other.total * _FINE)
