"""The law of what comes out of a draw for one table, and how far two laws are apart."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations_with_replacement, product
from typing import Any

from discreet.attack.wire import Mark, Marked, NoiseDraw, Script, ScriptedWire
from discreet.errors import InvalidInput

_MOST_RUNS = 20_000
_MOST_TRIED = 20_000
_MOST_PAIRS = 250_000

Entry = tuple[int, ...]


@dataclass(frozen=True)
class Shape:
    """What of an outcome is not hidden by noise, and which noise hides the rest."""

    plain: tuple[Any, ...]
    hidden: tuple[tuple[tuple[Mark, int], ...], ...]
    kinds: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Leaf:
    """One outcome: its chance, low/whole to high/whole, and the numbers under the noise."""

    low: int
    high: int
    whole: int
    truths: Entry
    noises: tuple[NoiseDraw, ...]
    trusted: int

    @property
    def is_rough(self) -> bool:
        """Whether it is too rare to tell how rare."""
        return self.whole.bit_length() - self.high.bit_length() > self.trusted

    def plus(self, other: "Leaf") -> "Leaf":
        """The chance of either."""
        return Leaf(
            low=self.low * other.whole + other.low * self.whole,
            high=self.high * other.whole + other.high * self.whole,
            whole=self.whole * other.whole,
            truths=self.truths,
            noises=self.noises,
            trusted=min(self.trusted, other.trusted),
        )


Law = dict[Any, Leaf]


def law_of(wire: ScriptedWire, draw: Callable[[], Any]) -> Law:
    """Every outcome of a draw, along every script."""
    law: Law = {}
    chosen: list[int] | None = []
    runs = 0
    while chosen is not None:
        runs += 1
        if runs > _MOST_RUNS:
            raise InvalidInput(
                f"there are more than {_MOST_RUNS:,} ways to draw this; attack a question with "
                "fewer statistics, fewer groups or a coarser column"
            )
        wire.script = script = Script(chosen)
        drawn = draw()
        shape, leaf = _outcome(script, script.tapped or drawn)
        key: Any = shape
        if key in law and law[key].truths != leaf.truths:
            key = shape, tuple(script.chosen)
        law[key] = leaf if key not in law else law[key].plus(leaf)
        chosen = script.next()
    return law


def _outcome(script: Script, drawn: Any) -> tuple[Shape, Leaf]:
    flat = list(_flat(drawn))
    hidden = [one for one in flat if isinstance(one, Marked)]
    plain = tuple(None if isinstance(one, Marked) else one for one in flat)
    met = list(zip(script.met, script.chosen, strict=True))
    shape = Shape(
        plain,
        tuple(tuple(sorted(one.marks.items())) for one in hidden),
        tuple(noise.kind for noise in script.noises),
    )
    leaf = Leaf(
        low=math.prod(chances.low[place] for chances, place in met),
        high=math.prod(chances.high[place] for chances, place in met),
        whole=math.prod(chances.whole for chances, _ in met),
        truths=tuple(int(one) for one in hidden),
        noises=tuple(script.noises),
        trusted=min((chances.trusted for chances, _ in met), default=1),
    )
    return shape, leaf


def _flat(drawn: Any) -> Iterator[Any]:
    if isinstance(drawn, tuple | list):
        for one in drawn:
            yield from _flat(one)
    elif hasattr(drawn, "tolist") and not isinstance(drawn, Marked):
        yield from _flat(drawn.tolist())
    else:
        yield drawn


@dataclass(frozen=True)
class PrivacyLoss:
    """ln(ratio) + cost: what an outcome tells of one table against another, at the most."""

    ratio: Fraction | None
    """Of the chances of choices; None where an outcome of one table is impossible for the other."""
    cost: Fraction
    """What the noise costs."""
    nats: float
    shape: Any = None

    @classmethod
    def infinite(cls, shape: Any) -> "PrivacyLoss":
        """That of an outcome that gives a table away."""
        return cls(None, Fraction(0), math.inf, shape)


NOTHING = PrivacyLoss(Fraction(1), Fraction(0), 0.0)


def loss(one: Law, other: Law, rows: int) -> PrivacyLoss:
    """The largest loss of any outcome of one table against another."""
    worst = NOTHING
    for shape, leaf in one.items():
        if leaf.high == 0 or leaf.is_rough:
            continue
        against = other.get(shape)
        if against is None or against.high == 0:
            return PrivacyLoss.infinite(shape)
        cost = _cost(shape, leaf, against, rows)
        if cost is None or against.low == 0:
            return PrivacyLoss.infinite(shape)
        over, under = leaf.high * against.whole, against.low * leaf.whole
        nats = math.log(over) - math.log(under) + float(cost)
        if nats > worst.nats:
            worst = PrivacyLoss(Fraction(over, under), cost, nats, shape)
    return worst


_costs: dict[Any, Fraction | None] = {}


def _cost(shape: Any, leaf: Leaf, against: Leaf, rows: int) -> Fraction | None:
    """What moving all truths under the noise costs; None where no noise makes up for it."""
    moved = tuple(a - b for a, b in zip(leaf.truths, against.truths, strict=True))
    if not any(moved):
        return Fraction(0)
    hidden = (shape if isinstance(shape, Shape) else shape[0]).hidden
    key = (tuple(noise.kind for noise in leaf.noises), hidden, moved, rows)
    if key not in _costs:
        if len(_costs) > 1 << 18:
            _costs.clear()
        _costs[key] = _least_cost(leaf.noises, hidden, moved, rows)
    return _costs[key]


def _least_cost(
    noises: Sequence[NoiseDraw],
    hidden: Sequence[tuple[tuple[Mark, int], ...]],
    moved: Entry,
    rows: int,
) -> Fraction | None:
    """Over all noises z with marks·z = moved, the least sum of rate·gauge(z)."""
    total = Fraction(0)
    for number, noise in enumerate(noises):
        lines = [
            ({place: entry for (_, place), entry in marks}, by)
            for marks, by in zip(hidden, moved, strict=True)
            if marks and marks[0][0][0] == number
        ]
        lines += [(dict(equation), 0) for equation in noise.equations]
        least = _least_gauge(noise, lines, rows)
        if least is None:
            return None
        total += noise.rate * least
    mixed = any(len({draw for (draw, _), _ in marks}) > 1 for marks in hidden)
    return None if mixed else total


def _least_gauge(
    noise: NoiseDraw, lines: list[tuple[dict[int, int], int]], rows: int
) -> int | None:
    """Of all whole z that fulfil the lines, the least gauge; None where there is none.

    What no line is about is 0: gauges rise from there.
    """
    solved = _solved(lines)
    if solved is None:
        return None
    coupled = sorted({place for row, _ in solved.values() for place in row})
    sparse = _sparsest(noise, lines, rows) if coupled else None  # else there is but one z
    if sparse is not None:
        return sparse
    few = (2 * rows + 1) ** len(coupled) <= _MOST_TRIED
    reach = range(-rows, rows + 1) if few else range(1)
    best: int | None = None
    for values in product(reach, repeat=len(coupled)):
        z = dict.fromkeys(range(noise.dimension), Fraction(0))
        z |= zip(coupled, map(Fraction, values), strict=True)
        for pivot, (row, by) in solved.items():
            z[pivot] = by - sum(entry * z[place] for place, entry in row.items())
        if all(one.denominator == 1 for one in z.values()):
            gauge = noise.gauge([int(z[place]) for place in range(noise.dimension)])
            best = gauge if best is None else min(best, gauge)
    return best


def _sparsest(noise: NoiseDraw, lines: list[tuple[dict[int, int], int]], rows: int) -> int | None:
    """The least gauge of those that so many rows make, if it is found by adding up moves of one.

    Gauges are subadditive, so those of the moves may be added. None where none is found.
    """
    forms = tuple(tuple(sorted(line.items())) for line, _ in lines)
    key = noise.kind, forms, rows > 1
    if key not in _known_moves:
        if len(_known_moves) > 1 << 6:
            _known_moves.clear()
        _known_moves[key] = _moves(noise, forms, two=rows > 1)
    moves = _known_moves[key]
    wanted = tuple(by for _, by in lines)
    for known in moves:
        if wanted in known:
            return known[wanted]
    if rows <= len(moves):
        return None
    gauges = []
    for image, gauge in moves[0].items():
        rest = moves[-1].get(tuple(a - b for a, b in zip(wanted, image, strict=True)))
        if rest is not None:
            gauges.append(gauge + rest)
    return min(gauges, default=None)


_known_moves: dict[Any, list[dict[Entry, int]]] = {}


def _moves(
    noise: NoiseDraw, lines: tuple[tuple[tuple[int, int], ...], ...], *, two: bool
) -> list[dict[Entry, int]]:
    """What one row, and two where they are few, do to the lines, with the least gauge of it.

    A row moves one noise up or down, or two against each other.
    """
    every = range(noise.dimension)
    moves = [{at: sign} for at in every for sign in (1, -1)]
    if noise.equations:
        moves = [{one: 1, other: -1} for one in every for other in every if one != other]
    known = [dict(line) for line in lines]
    single: dict[Entry, int] = {}
    for move in moves:
        image = tuple(sum(line.get(at, 0) * z for at, z in move.items()) for line in known)
        gauge = noise.gauge([move.get(at, 0) for at in every])
        single[image] = min(gauge, single.get(image, gauge))
    if not two or len(single) ** 2 > _MOST_PAIRS:
        return [single]
    double: dict[Entry, int] = {}
    for (one, its), (other, others) in combinations_with_replacement(single.items(), 2):
        image = tuple(a + b for a, b in zip(one, other, strict=True))
        double[image] = min(its + others, double.get(image, its + others))
    return [single, double]


def _solved(
    lines: list[tuple[dict[int, int], int]],
) -> dict[int, tuple[dict[int, Fraction], Fraction]] | None:
    """Elimination: for each pivot, what it is but for free places; None where lines conflict."""
    solved: dict[int, tuple[dict[int, Fraction], Fraction]] = {}
    for entries, by in lines:
        row, right = {place: Fraction(entry) for place, entry in entries.items()}, Fraction(by)
        for pivot in [place for place in row if place in solved]:
            times = row.pop(pivot)
            inner, value = solved[pivot]
            right -= times * value
            for place, entry in inner.items():
                row[place] = row.get(place, Fraction(0)) - times * entry
        row = {place: entry for place, entry in row.items() if entry}
        if not row:
            if right:
                return None
            continue
        pivot = min(row)
        first = row.pop(pivot)
        row, right = {place: entry / first for place, entry in row.items()}, right / first
        for other, (inner, value) in list(solved.items()):
            if pivot in inner:
                times = inner.pop(pivot)
                for place, entry in row.items():
                    inner[place] = inner.get(place, Fraction(0)) - times * entry
                solved[other] = ({p: e for p, e in inner.items() if e}, value - times * right)
        solved[pivot] = row, right
    return solved
