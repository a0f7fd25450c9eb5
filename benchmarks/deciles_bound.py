"""How little any mechanism can err that releases several deciles: a bound with its certificate.

Claim 13 of docs/proofs/quantiles-together.md. Deciles are taken in groups; some rows move at a
time. A point says by how many such steps each decile of a group is told too low; its cost is what
that errs. A certificate ships weight along moves between points. It is found by cuts and checked
in whole numbers. `python -m benchmarks deciles_bound` takes a minute or two.
"""

import time
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import combinations, product
from math import ceil, floor

from benchmarks.cuts import shipped
from discreet.exact import exp_lower, exp_upper

Point = tuple[int, ...]
Potentials = dict[Point, int]
Shipment = dict[tuple[Point, Point], int]
SCALE = 10**15


@dataclass(frozen=True, kw_only=True)
class Group:
    """Some deciles, and what is claimed of them."""

    apart: tuple[Fraction, ...]
    """How many steps apart rows lie around each."""
    least: Fraction
    """What the sum of their errors is at least, in steps: the claim."""
    rows: int = 1
    """How many rows move at a time."""
    near: int = 12
    """Points this many moves from the truth are taken, and all that cost less than `least`."""
    epsilon: Fraction = Fraction(1, 2)

    def cost(self, point: Point) -> Fraction:
        """What the point errs, in steps."""
        return self.rows * sum(
            (apart * abs(far) for apart, far in zip(self.apart, point, strict=True)), Fraction(0)
        )

    def room(self, point: Point, potential: int) -> int:
        """At most SCALE·e^(−ε·rows·potential)·(cost − least), of the point and its opposite."""
        above = self.cost(point) - self.least
        low, high = _weight(-self.epsilon * self.rows * potential)
        return floor((low if above > 0 else high) * above * SCALE * (2 if any(point) else 1))


@cache
def _weight(exponent: Fraction) -> tuple[Fraction, Fraction]:
    return exp_lower(exponent), exp_upper(exponent)


def one_of_two(point: Point) -> Point:
    """A point and its opposite are one: the one whose first part that is not 0 is positive."""
    first = next((part for part in point if part), 0)
    return tuple(-part for part in point) if first < 0 else point


def moves(point: Point) -> Iterator[Point]:
    """The points next to it: some consecutive deciles told one step lower or higher."""
    for start, end in combinations(range(len(point) + 1), 2):
        for step in (1, -1):
            yield (*point[:start], *(one + step for one in point[start:end]), *point[end:])


def points(group: Group) -> Potentials:
    """The points that are taken, each with its number of moves from the truth."""
    found = {}
    reach = [max(group.near, int(group.least / (apart * group.rows))) for apart in group.apart]
    for point in product(*(range(-most, most + 1) for most in reach)):
        if point == one_of_two(point):
            ends = (0, *point, 0)
            away = sum(max(0, ends[at] - ends[at - 1]) for at in range(1, len(ends)))
            if away <= group.near or group.cost(point) < group.least:
                found[point] = away
    return found


def certificate(group: Group) -> tuple[Potentials, Shipment]:
    """Ship along moves that raise the potential by 1; while something is left, lower it there.

    Lowering the potential of all that can still be reached makes noise with weights
    e^(−ε·rows·potential) err less, so that this ends at the least error or before.
    """
    away = points(group)
    names = list(away)
    number = {point: at for at, point in enumerate(names)}
    beside = [[number[one] for one in _beside(point, away)] for point in names]
    potentials = list(away.values())
    while True:
        edges = [
            (at, other)
            for at, others in enumerate(beside)
            for other in others
            if potentials[other] == potentials[at] + 1
        ]
        rooms = [group.room(*pair) for pair in zip(names, potentials, strict=True)]
        if sum(rooms) < 0:
            raise ValueError(f"noise that errs less than {float(group.least)} was found")
        done = shipped(edges, rooms)
        if not any(done.reached):
            flows = zip(edges, done.flows, strict=True)
            sent = {(names[tail], names[head]): flow for (tail, head), flow in flows if flow}
            return dict(zip(names, potentials, strict=True)), sent
        slack = min(
            1 + potentials[at] - potentials[other]
            for at, others in enumerate(beside)
            if done.reached[at]
            for other in others
            if not done.reached[other]
        )
        for at, reached in enumerate(done.reached):
            potentials[at] -= slack * reached


def _beside(point: Point, among: Mapping[Point, int]) -> set[Point]:
    return {one for one in map(one_of_two, moves(point)) if one in among}


def check(group: Group, potentials: Potentials, sent: Shipment) -> bool:
    """Whether the shipment proves the claim: whole numbers and rational bounds on e^x alone."""
    balance: dict[Point, int] = defaultdict(int)
    if any(end not in potentials for ends in sent for end in ends):
        return False
    for (tail, head), flow in sent.items():
        difference = [there - here for here, there in zip(tail, head, strict=True)]
        opposite = [-there - here for here, there in zip(tail, head, strict=True)]
        if flow < 0 or potentials[head] != potentials[tail] + 1:
            return False
        if not (_is_move(difference) or _is_move(opposite)):
            return False
        balance[tail] -= flow
        balance[head] += flow
    if any(balance[point] > group.room(point, height) for point, height in potentials.items()):
        return False
    reach = [ceil(group.least / (apart * group.rows)) for apart in group.apart]
    return all(
        point in potentials
        for point in product(*(range(-most, most + 1) for most in reach))
        if point == one_of_two(point) and group.cost(point) < group.least
    )


def _is_move(difference: list[int]) -> bool:
    """Whether consecutive parts are 1, or −1, and all others 0."""
    there = [at for at, part in enumerate(difference) if part]
    parts = {difference[at] for at in there}
    return parts in ({1}, {-1}) and there[-1] - there[0] == len(there) - 1


INCOMES = tuple(
    Fraction(text) for text in ("2.4", "2.1", "2.1", "2.3", "2.6", "3.3", "4.4", "6.8", "14.7")
)
"""Steps of 20 between 1,000 lognormal incomes, median 30,000 and shape 0.7, at their deciles."""
GROUPS = (
    Group(apart=INCOMES[:5], least=Fraction("40.5"), rows=3, near=7),
    Group(apart=INCOMES[5:], least=Fraction("94"), rows=2, near=12),
)


def main() -> None:
    """Find both certificates, check them, and add up."""
    total = Fraction(0)
    for group in GROUPS:
        begun = time.process_time()
        potentials, sent = certificate(group)
        found = time.process_time() - begun
        if not check(group, potentials, sent):
            raise ValueError("the certificate does not hold")
        took = time.process_time() - begun - found
        print(
            f"{len(group.apart)} deciles, {group.rows} rows at a time: at least "
            f"{float(group.least):g} steps; {len(potentials):,} points, {len(sent):,} shipments; "
            f"found in {found:.0f} s, checked in {took:.0f} s"
        )
        total += group.least
    print(f"the mean of {len(INCOMES)} deciles is off by at least {float(total / 9):.2f} steps")
