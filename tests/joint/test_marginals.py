"""Several tables from one radius: privacy against every small table, exact laws, uniform draws."""

import itertools
import math
from collections import Counter
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from discreet.certifier.largest import certify_largest
from discreet.errors import MechanismError, NotCertified
from discreet.exact import Epsilon
from discreet.joint.levels import CellBlocks, OneRadius, PrivacyTerms, best_levels
from discreet.joint.marginals import MarginalNoise, _in_ball, _in_balls, ball_size
from discreet.model import Relation
from discreet.model.largest import LargestGauge
from statistics_bounds import assert_follows

ONE = Epsilon.of(1)
CELLS = list(itertools.product(range(2), range(3)))


def _marginals(table):
    """The counts of both columns of a 2 × 3 table."""
    rows = [sum(table[CELLS.index((i, j))] for j in range(3)) for i in range(2)]
    columns = [sum(table[CELLS.index((i, j))] for i in range(2)) for j in range(3)]
    return rows, columns


def _largest(told, table):
    """max of ½Σ|z|, doubled: from the definition."""
    pairs = zip(told, _marginals(table), strict=True)
    return max(sum(abs(a - b) for a, b in zip(one, other, strict=True)) for one, other in pairs)


@pytest.mark.parametrize("people", [1, 2, 3])
def test_no_output_tells_neighbouring_tables_apart_by_more_than_epsilon(people):
    """All tables of three rows, all that one person can do, all outputs near them."""
    noise = MarginalNoise.of((2, 3), ONE, rows_per_unit=people)
    tables = [
        tuple(Counter(rows)[cell] for cell in range(6))
        for rows in itertools.combinations_with_replacement(range(6), 3)
    ]
    outputs = [_marginals(table) for table in tables]
    farthest = 0
    for one, other in itertools.combinations(tables, 2):
        if sum(abs(a - b) for a, b in zip(one, other, strict=True)) <= 2 * people:
            for told in outputs:
                farthest = max(farthest, abs(_largest(told, one) - _largest(told, other)))
    assert noise.rate * farthest / 2 == 1


def test_the_certifier_takes_no_part_that_is_too_narrow_or_of_another_kind():
    parts = MarginalNoise.of((2, 3), ONE).certified.mechanism.parts
    dear = tuple(replace(one, rate=one.rate + Fraction(1, 10**9)) for one in parts)
    with pytest.raises(NotCertified, match="cost more"):
        certify_largest(LargestGauge(dear), ONE)
    with pytest.raises(NotCertified, match="one person can move"):
        certify_largest(LargestGauge(tuple(replace(p, rows_per_unit=2) for p in parts)), ONE)
    with pytest.raises(MechanismError, match="the same rate"):
        certify_largest(LargestGauge((parts[0], replace(parts[1], rate=parts[1].rate / 2))), ONE)
    with pytest.raises(MechanismError, match="at least one gauge"):
        certify_largest(LargestGauge(()), ONE)


def _balls(cells, radius):
    return [
        one
        for one in itertools.product(range(-radius, radius + 1), repeat=cells)
        if sum(one) == 0 and sum(map(abs, one)) <= 2 * radius
    ]


@pytest.mark.parametrize(("cells", "many"), [(2, 1), (3, 1), (4, 1), (4, 2)])
def test_balls_are_counted_as_by_enumeration(cells, many):
    for radius in range(4):
        ball = _balls(cells, radius)
        assert len(ball) == ball_size(cells, radius)
        sums = Counter(sum(one[:many]) for one in ball)
        assert _in_balls(cells, many, 4)[radius].tolist() == [sums[t] for t in range(4)]


def test_a_ball_is_drawn_from_evenly():
    ball = {one: place for place, one in enumerate(_balls(3, 3))}
    drawn = [ball[tuple(_in_ball(3, 3).tolist())] for _ in range(8000)]
    assert_follows(drawn, [Fraction(1, len(ball))] * len(ball))


def test_the_law_is_that_of_all_noises():
    """P(z) in proportion to e^(−max ½Σ|z|): added up here, over all noises that are not rare."""
    noise = MarginalNoise.of((2, 3), Epsilon.of(3))
    weights = Counter()
    for t in range(-9, 10):
        for a, b in itertools.product(range(-9, 10), repeat=2):
            size = max(2 * abs(t), abs(a) + abs(b) + abs(a + b))
            weights[(t, a)] += math.exp(-3 * size / 2)
    whole = sum(weights.values())
    for table in (0, 1):
        law = noise.chances(table, 1)
        for far in range(4):
            share = sum(one for pair, one in weights.items() if pair[table] == far) / whole
            assert law[far] == pytest.approx(share, rel=1e-5)


def test_draws_follow_the_law_and_are_within_reach():
    noise, draws = MarginalNoise.of((2, 3, 2), ONE), 3000
    drawn = [[int(one[0]) for one in noise.draw()] for _ in range(draws)]
    for table in range(3):
        law = noise.chances(table, 1)
        far = noise.reach(table, 1, Fraction(19, 20))
        both = [law[0], *(2 * law[1 : far + 1])]
        sizes = np.minimum(np.abs([one[table] for one in drawn]), far + 1)
        assert sum(both) >= 0.95
        assert_follows(sizes, [*both, 1 - sum(both)])


@pytest.mark.parametrize(
    ("sizes", "errors"),
    [((2, 2, 2, 2), [2.47]), ((3, 3, 3), [3.08]), ((5, 2, 5), [3.16, 4.96])],
)
def test_errors_are_as_promised(sizes, errors):
    noise = MarginalNoise.of(sizes, ONE)
    for table, error in enumerate(errors):
        assert noise.error(table, 1) == pytest.approx(error, abs=0.006)


def test_one_radius_is_taken_where_it_errs_less():
    """Small marginals gain; a small one beside a large one would lose."""
    first = CellBlocks(np.repeat([0, 1], 2), 2)
    second = CellBlocks(np.tile([0, 1], 2), 2)
    sums = [(0, 1), (2, 3), (0, 2), (1, 3)]
    charge = PrivacyTerms(epsilon=ONE, relation=Relation.CHANGE, total_is_public=True)
    assert isinstance(best_levels(4, [first, second], sums, charge), OneRadius)
    coming = replace(charge, relation=Relation.ADD_OR_REMOVE)
    assert not isinstance(best_levels(4, [first, second], sums, coming), OneRadius)
