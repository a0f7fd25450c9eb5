"""The samplers of joint noise have the law of their gauge: run along all that chance may say.

Tables and uniform numbers are scripted; outcomes that are too rare are left out, and what they
weigh in all bounds how far the law may be off. Rates are high, so that few outcomes weigh much.
"""

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from discreet.attack.finite import of_table
from discreet.exact import Epsilon
from discreet.joint import cells, count_laws, marginals, moments
from discreet.joint.cells import CellNoise
from discreet.joint.counts import CountNoise
from discreet.joint.marginals import MarginalNoise
from discreet.joint.moments import MomentNoise, count_and_sum, squares_of_known
from discreet.model import Relation
from discreet.sampling import LazyTable

RATE = Fraction(4)
EPSILON = Epsilon.of(4)


class Explorer:
    """Runs a draw along all choices that weigh enough."""

    def __init__(self, cut):
        self.cut, self.left_out = cut, 0.0

    def law(self, draw):
        found, waiting = {}, [()]
        while waiting:
            self.prefix, self.met, self.weight = waiting.pop(), [], 1.0
            self.more = []
            outcome = draw()
            found[outcome] = found.get(outcome, 0.0) + self.weight
            waiting += self.more
        return found

    def choose(self, chances):
        place = len(self.met)
        if place < len(self.prefix):
            chosen = self.prefix[place]
        else:
            order = sorted(range(len(chances)), key=lambda i: -chances[i])
            chosen = order[0]
            for other in order[1:]:
                if self.weight * chances[other] >= self.cut:
                    self.more.append((*self.met, other))
                else:
                    self.left_out += self.weight * chances[other]
        self.met.append(chosen)
        self.weight *= chances[chosen]
        return chosen


@pytest.fixture
def explorer(monkeypatch):
    made = Explorer(cut=3e-7)
    known = {}

    def table(self):
        if id(self) not in known:
            found = of_table(self)
            known[id(self)] = self, [low / found.whole for low in found.low]
        return made.choose(known[id(self)][1])

    def below(bound):
        return made.choose([1 / bound] * bound)

    monkeypatch.setattr(LazyTable, "draw", table)
    monkeypatch.setattr(
        LazyTable, "draw_many", lambda self, count: np.array([table(self) for _ in range(count)])
    )
    monkeypatch.setattr(
        LazyTable, "draw_few", lambda self, many: [table(self) for _ in range(many)]
    )
    for module in (count_laws, marginals, moments):
        monkeypatch.setattr(module, "uniform_below", below)
    return made


def check(explorer, draw, dimension, gauge, rate, cancels=()):
    found = explorer.law(draw)
    box = [
        z
        for z in product(range(-6, 7), repeat=dimension)
        if all(sum(z[first:last]) == 0 for first, last in cancels)
    ]
    whole = sum(math.exp(-rate * gauge(z)) for z in box)
    assert explorer.left_out < 3e-3
    for z in box:
        expected = math.exp(-rate * gauge(z)) / whole
        if expected > 1e-4:
            told = found.get(z, 0.0)
            assert told <= expected * (1 + 1e-6)
            assert told >= expected - explorer.left_out


@pytest.mark.parametrize("relation", Relation)
def test_counts_together(explorer, relation):
    noise = CountNoise.of(2, EPSILON, relation=relation, rate=RATE)

    def gauge(z):
        if relation == Relation.ADD_OR_REMOVE:
            return max(0, *z) + max(0, *(-one for one in z))
        return max(map(abs, z))

    check(explorer, lambda: tuple(noise.draw()), 2, gauge, 4)


def test_marginals_with_one_radius(explorer):
    explorer.cut = 1e-6
    noise = MarginalNoise.of([2, 2], EPSILON)

    def gauge(z):
        return max(sum(map(abs, z[:2])), sum(map(abs, z[2:]))) / 2

    def draw():
        return tuple(int(one) for line in noise.draw() for one in line)

    check(explorer, draw, 4, gauge, 4, cancels=[(0, 2), (2, 4)])


@pytest.mark.parametrize("shape", [count_and_sum(2), squares_of_known(1)])
def test_moments(explorer, shape):
    explorer.cut, rate = 1e-6, Fraction(12)
    noise = MomentNoise.of(shape, Epsilon.of(12), relation=Relation.ADD_OR_REMOVE, rate=rate)
    check(explorer, noise.draw, 2, shape.gauge, float(noise.rate))


@pytest.mark.parametrize("one_by_one", [True, False])
def test_cells(explorer, monkeypatch, one_by_one):
    monkeypatch.setattr(CellNoise, "_tries", 1)
    monkeypatch.setattr(cells, "_MOST_ONE_BY_ONE", 12 if one_by_one else 0)
    explorer.cut = 1e-6
    noise = CellNoise.of(2, EPSILON, rate=RATE)

    def draw():
        return tuple(int(one) for one in noise.draw())

    check(explorer, draw, 2, lambda z: sum(map(abs, z)) / 2, 4, cancels=[(0, 2)])
