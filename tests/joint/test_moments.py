"""Noise on count, sum and squares: privacy, laws and draws, against sums over all noises."""

import itertools
import math
from dataclasses import replace
from fractions import Fraction
from functools import partial

import numpy as np
import pytest

from discreet.certifier.gauges import certify_gauge
from discreet.errors import NotCertified
from discreet.exact import Epsilon
from discreet.exact.randomness import uniform_below
from discreet.joint import moments
from discreet.joint.box_law import BoxLaw
from discreet.joint.forms import form_reach
from discreet.joint.moment_groups import GroupedMoments
from discreet.joint.moment_laws import Company, PairLaw
from discreet.joint.moment_mechanism import MomentMechanism
from discreet.joint.moment_trials import even_noises
from discreet.joint.moments import (
    MomentNoise,
    boxed,
    count_and_sum,
    squares_of_known,
    with_squares,
)
from discreet.model import Relation
from statistics_bounds import assert_follows

HALF = Fraction(1, 2)
COMING, EITHER, CHANGE = Relation.ADD_OR_REMOVE, Relation.EITHER, Relation.CHANGE
OUT = None
"""A row that the condition leaves out."""


def _noise(shape, relation, rate=HALF, rows=1):
    return MomentNoise.of(shape, Epsilon.of(rate), relation=relation, rate=rate, rows_per_unit=rows)


def _most(*sizes):
    return np.maximum.reduce(np.broadcast_arrays(*sizes))


def _box(far):
    return count_and_sum(far), lambda z: _most(far * abs(z[0]), abs(z[1]))


def _family(far, p, q):
    shape = count_and_sum(far, alone=(0, q - p), joint=p)
    return shape, lambda z: _most(q * abs(z[1]), p * far * abs(z[0]) + (q - p) * abs(z[1]))


def _product(far):
    return count_and_sum(far, alone=(1, 1), joint=0), lambda z: far * abs(z[0]) + abs(z[1])


def _changing(far):
    shape = count_and_sum(far, alone=(1, 0), joint=1)
    return shape, lambda z: _most(2 * far * abs(z[0]), far * abs(z[0]) + abs(z[1]))


def _squares(far):
    return with_squares(far), lambda z: _most(far**2 * abs(z[0]), far * abs(z[1]), abs(z[2]))


def _squares_changing(far):
    def gauge(z):
        count = far**2 * abs(z[0])
        return _most(2 * count, count + far * abs(z[1]), count + abs(z[2]))

    return with_squares(far, alone=1), gauge


def _known(far):
    return squares_of_known(far), lambda z: _most(far * abs(z[0]), abs(z[1]))


def _moments(table, far, many, counted=True):
    """Count, sum and squares of the selected rows, half steps from the middle."""
    halves = [2 * value - far for value in table if value is not OUT]
    found = (len(halves), sum(halves), sum(2 * u * u - far * far for u in halves))
    return found[:many] if counted else found[1 : many + 1]


SHAPES = {
    "box": (_box, COMING),
    "p/q = 0.6": (lambda far: _family(far, 3, 5), COMING),
    "p/q = 0.3": (lambda far: _family(far, 3, 10), COMING),
    "product": (_product, EITHER),
    "changing": (_changing, EITHER),
    "squares": (_squares, COMING),
    "squares changing": (_squares_changing, EITHER),
    "known size": (_known, CHANGE),
}


def _neighbours(rows, values, relation, where, most):
    """All pairs of tables of so many rows that differ in at most `most` rows."""
    cells = [*range(values), *([OUT] if where else [])]
    for table in itertools.combinations_with_replacement(range(len(cells)), rows):
        ours = [cells[one] for one in table]
        if relation == COMING:
            for more in range(1, most + 1):
                for added in itertools.combinations_with_replacement(cells[:values], more):
                    yield ours, [*ours, *added]
        else:
            for changed in itertools.product(cells, repeat=most):
                yield ours, [*changed, *ours[most:]]


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("most", [1, 2, 3])
def test_neighbouring_tables_lead_to_any_output_within_epsilon(name, most):
    """All small tables, both ways, all outputs near: never above the width, and just that far."""
    make, relation = SHAPES[name]
    for values in (2, 3):
        shape, gauge = make(far := values - 1)
        certified = _noise(shape, relation, rows=most).certified.mechanism
        many, counted = len(shape.reaches), shape.counted
        steps, seen = 0, set()
        for one, other in _neighbours(most, values, relation, counted, most):
            moved = np.array(_moments(one, far, many, counted))
            moved -= np.array(_moments(other, far, many, counted))
            if tuple(moved) in seen:
                continue
            seen.add(tuple(moved))
            outputs = _every([4] * many)
            farther = gauge(outputs + moved.reshape(many, *[1] * many))
            steps = max(steps, int(abs(gauge(outputs) - farther).max()))
        assert steps == certified.width
        assert certified.rate * certified.width == HALF


TWO_COLUMNS = {"comes or goes": COMING, "changes, WHERE": EITHER, "changes": CHANGE}


@pytest.mark.parametrize("rows", [1, 2, 3])
@pytest.mark.parametrize("name", TWO_COLUMNS)
def test_two_columns_with_squares_and_product_are_private_by_every_move(name, rows):
    """CORR and its kin: whatever a person of so many rows can do, all outputs near and where it
    leads; the gauge and what a row adds are written out here."""
    fars, relation = (1, 2), TWO_COLUMNS[name]
    counted = relation != CHANGE
    reaches = np.array([1, 1, 2, 1, 2, 4][0 if counted else 1 :])
    alone = int(relation == EITHER)
    shape = boxed(tuple(reaches.tolist()), counted=counted, alone=alone)
    noise = _noise(shape, relation, rows=rows).certified.mechanism
    units = np.lcm.reduce(reaches) // reaches

    def gauge(z):
        sizes = units * abs(z)
        return sizes.max(axis=-1) + alone * sizes[..., 0]

    def added(row):
        if row is OUT:
            return np.zeros(len(reaches), dtype=int)
        u, v = (2 * place - far for place, far in zip(row, fars, strict=True))
        found = np.array([1, u, v, 2 * u * u - 1, u * v, 2 * v * v - 4])
        return found if counted else found[1:]

    cells = list(itertools.product(range(2), range(3)))
    ours = [added(row) for row in (cells if relation != EITHER else [*cells, OUT])]
    if relation == COMING:
        single = {tuple(sign * row) for row in ours for sign in (1, -1)}
        many = [[one for one in single if one[0] == sign] for sign in (1, -1)]
    else:
        many = [sorted({tuple(a - b) for a in ours for b in ours})]
    moves = {
        tuple(np.sum(some, axis=0))
        for one in many
        for some in itertools.combinations_with_replacement(one, rows)
    }
    lines = np.array(sorted(moves))
    near = np.array(list(itertools.product((-1, 0, 1), repeat=len(reaches))))
    steps = int(gauge(lines).max())  # from the output 0; no other output is led farther
    assert steps == noise.width
    assert [noise.gauge(one) for one in lines.tolist()] == gauge(lines).tolist()
    for some in np.array_split(lines, -(-len(lines) // 500)):
        away = gauge(near[:, None] + some[None, :]) - gauge(near)[:, None]
        assert abs(away).max() <= steps
    assert noise.rate * noise.width == HALF
    with pytest.raises(NotCertified):
        certify_gauge(replace(noise, width=noise.width - 1), HALF)


@pytest.mark.parametrize("name", SHAPES)
def test_the_certificate_is_of_the_gauge_and_no_step_narrower(name):
    make, relation = SHAPES[name]
    shape, gauge = make(3)
    noise = _noise(shape, relation, rows=2).certified.mechanism
    for output in itertools.product(range(-3, 4), repeat=len(shape.reaches)):
        assert noise.gauge(output) == shape.gauge(output) == gauge(np.array(output))
    with pytest.raises(NotCertified, match="move the answers"):
        certify_gauge(replace(noise, width=noise.width - 1), HALF)
    with pytest.raises(NotCertified, match="cost more"):
        certify_gauge(replace(noise, rate=noise.rate + Fraction(1, 10**12)), HALF)


def test_whatever_a_row_adds_lies_in_the_corners_box():
    for values in range(2, 9):
        far = values - 1
        for value in range(values):
            count, total, squares = _moments([value], far, 3)
            assert (count, abs(total) <= far, abs(squares) <= far**2) == (1, True, True)


def _every(reach):
    """All noises so near to 0: an array for each coordinate."""
    return np.array(np.meshgrid(*(np.arange(-one, one + 1) for one in reach), indexing="ij"))


def _weights(make, relation, rate, reach, far=2):
    """A noise, its gauge, all noises near 0, and how likely they are, to six digits and more."""
    shape, gauge = make(far)
    noise = _noise(shape, relation, rate)
    noises = _every(reach[: len(shape.reaches)])
    weights = np.exp(-float(noise.rate) * gauge(noises))
    return noise, gauge, noises, weights / weights.sum()


PAIRS = [name for name in SHAPES if name not in ("squares", "squares changing", "known size")]


@pytest.mark.parametrize("name", PAIRS)
def test_the_law_of_count_and_sum_is_that_of_all_noises_summed(name):
    noise, gauge, z, chances = _weights(*SHAPES[name], Fraction(3), (60, 240))
    law = PairLaw(noise.shape, noise.rate)
    for count in (0, 1, 3):
        assert law.counts[count] == pytest.approx(chances[z[0] == count].sum(), rel=1e-6)
    assert law.count_error == pytest.approx((abs(z[0]) * chances).sum(), rel=1e-6)
    for slope in (0, 1, 2):
        away = abs(z[1] - slope * z[0])
        assert law.sum_error(slope) == pytest.approx((away * chances).sum(), rel=1e-6)
        far = law.sum_reach(0.1, slope) - (slope != 0)
        assert chances[away > far].sum() <= 0.1 < chances[away > far - 1].sum()
    _check_reach(law, gauge, z, chances)


@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.parametrize("slope", [0, 2.5])
def test_the_reach_of_a_long_law_holds_and_is_the_least_but_for_one_part_in_a_thousand(name, slope):
    (make, relation), rate = SHAPES[name], Fraction(1, 500)
    noise = _noise(make(4)[0], relation, rate)
    law = PairLaw(noise.shape, noise.rate)
    assert len(law.sizes) > 2048  # else it is gone through in full
    moved, far = np.ceil(slope * law.sizes), law.sum_reach(0.05, slope) - (slope != 0)
    assert law.sided @ law.beyond(moved, far) <= 0.05
    assert law.sided @ law.beyond(moved, far - 1 - far // 1000) > 0.05 * (1 - 2e-6)


def _check_reach(law, gauge, z, chances):
    far, sizes = law.reach(0.1), gauge(z)
    beyond = chances[sizes > far].sum()
    assert law.chance_beyond(far) == pytest.approx(beyond, rel=1e-4)
    assert beyond <= 0.1 < chances[sizes > far - 1].sum()
    reaches = np.array(law.reaches(0.1)).reshape(-1, *[1] * len(z))
    assert chances[(abs(z) > reaches).any(axis=0)].sum() <= beyond + 1e-12


@pytest.mark.parametrize("name", ["squares", "squares changing"])
def test_the_law_with_squares_is_that_of_all_noises_summed(name):
    noise, gauge, z, chances = _weights(*SHAPES[name], Fraction(5), (10, 24, 48))
    law = BoxLaw(noise.shape, noise.rate)
    for count in (0, 1, 3):
        assert law.counts[count] == pytest.approx(chances[z[0] == count].sum(), rel=1e-4)
    _check_reach(law, gauge, z, chances)


def test_the_reach_with_a_known_size_is_the_least_that_holds():
    noise, _, z, chances = _weights(*SHAPES["known size"], Fraction(3), (60, 120))
    first, second = BoxLaw(noise.shape, noise.rate).reaches(0.1)

    def beyond(most, largest):
        return chances[(abs(z[0]) > most) | (abs(z[1]) > largest)].sum()

    assert beyond(first, second) <= 0.1 < beyond(first - 1, second - 2)


@pytest.mark.parametrize(
    ("name", "rate", "ends"),
    [
        ("squares", 3, (12, 28, 56)),
        ("squares changing", 5, (10, 24, 48)),
        ("known size", 3, (60, 120)),
    ],
)
def test_weighted_sums_of_noises_reach_no_farther_than_is_said(name, rate, ends):
    """Summed over all noises; for wide noise, what is said is hardly more than what is needed."""
    noise, _, z, chances = _weights(*SHAPES[name], Fraction(rate), ends)
    law, dice = BoxLaw(noise.shape, noise.rate), np.random.default_rng()
    for failure in (0.2, 0.05):
        for _ in range(8):
            weights = dice.random(len(z)) * dice.integers(0, 2, len(z)) / law.shape.reaches
            signed = weights * dice.choice([-1, 1], len(z))
            away = abs(np.tensordot(signed, z, axes=1))
            assert chances[away > form_reach(law, weights.tolist(), failure)].sum() <= failure


@pytest.mark.parametrize("small", [0, 0.001, 0.01, 0.1])
def test_a_count_that_outweighs_all_else_reaches_as_far_as_it_does(small):
    """A sum of values far from 0 errs by the count: wide noise beside it does not lead it back."""
    noise, _, z, chances = _weights(*SHAPES["squares"], Fraction(3), (12, 28, 56))
    law = BoxLaw(noise.shape, noise.rate)
    for others in ([1, 0], [0, 1], [1, 1]):
        weights = np.array([1, *(small * np.array(others))]) / law.shape.reaches
        away = abs(np.tensordot(weights, z, axes=1))
        for failure in (0.2, 0.1, 0.05, 0.01):
            assert chances[away > form_reach(law, weights.tolist(), failure)].sum() <= failure


def test_weighted_sums_of_wide_noise_reach_hardly_farther_than_they_must():
    shape = with_squares(81)
    mechanism = MomentMechanism.of(shape, Epsilon.of("0.5"), COMING, 1)
    weights = [0.6, 0.5 / 81, 0.4 / 6561]
    away = abs(mechanism.even @ np.array(weights))
    assert form_reach(mechanism.law, weights, 0.05) <= 1.05 * np.quantile(away, 0.95)
    assert form_reach(mechanism.law, weights, 0.05) < 0.75 * np.dot(
        weights, mechanism.law.reaches(0.05)
    )


def test_the_law_of_many_values_is_that_of_few_but_for_its_enclosure():
    """Where radii are put together, reaches are never shorter than they must be, and hardly longer.

    Read from a million radii one by one, the sums are those of the lines.
    """
    noise = _noise(with_squares(81), COMING)
    law, rate = BoxLaw(noise.shape, noise.rate), float(noise.rate)
    radii = np.arange(1_500_000.0)
    balls = (2 * (radii // 6561) + 1) * (2 * (radii // 81) + 1) * (2 * radii + 1)
    beyond = np.cumsum((np.exp(-rate * radii) * balls)[::-1])[::-1]
    for far in (20_000, 80_000, 150_000):
        over = (beyond[far] - np.exp(-rate * far) * balls[far] / -math.expm1(-rate)) / beyond[0]
        assert over <= law.chance_beyond(far) <= 1.02 * over
    assert law.count_error == pytest.approx(3.986, rel=1e-3)


@pytest.mark.parametrize("name", SHAPES)
def test_evenly_likely_noises_have_the_errors_of_the_law(name):
    make, relation = SHAPES[name]
    shape, _ = make(81)
    noise = _noise(shape, relation)
    law = (PairLaw if name in PAIRS else BoxLaw)(shape, noise.rate)
    even = even_noises(shape, noise.rate, law.counts if shape.counted else None)
    if shape.counted:
        assert abs(even[:, 0]).mean() == pytest.approx(law.count_error, rel=0.01)
    if name in PAIRS:
        for slope in (0, 40, 81):
            off = abs(even[:, 1] - slope * even[:, 0]).mean()
            assert off == pytest.approx(law.sum_error(slope), rel=0.01)
    sizes = np.array([shape.gauge(tuple(one)) for one in even.astype(int).tolist()])
    far = law.reach(0.2)
    assert (sizes > far).mean() == pytest.approx(law.chance_beyond(far), abs=0.01)


@pytest.mark.parametrize("name", SHAPES)
def test_draws_follow_the_law(name):
    noise, gauge, z, chances = _weights(*SHAPES[name], Fraction(5), (10, 24, 48))
    drawn = np.array([noise.draw() for _ in range(3_000)]).T
    top = noise.certified.mechanism.width

    def size(noises):
        return np.minimum(5, gauge(noises) * 5 // (3 * top))

    readings = [size, *(partial(_nearby, place) for place in range(len(drawn)))]
    for read in readings:
        law = np.bincount(read(z).ravel(), chances.ravel(), minlength=6)
        assert_follows(read(drawn), law)


@pytest.mark.parametrize("cost", ["0.9", "5"])
@pytest.mark.parametrize(
    "shape",
    [
        with_squares(1),
        boxed((2, 1, 3), counted=False),
        boxed((1, 2, 1, 2), counted=True),
        boxed((1, 2, 3), counted=True, alone=1),
        boxed((1, 4, 4), counted=True),
    ],
)
def test_noise_that_is_drawn_by_its_radius_follows_the_law(shape, cost):
    """Wide and narrow: every noise within reach, weighed by the gauge as it is written."""
    rate = Fraction(cost) / shape.top
    many = len(shape.reaches)
    reach = [(12 if many > 3 else 16) * one for one in shape.reaches]
    z = _every(reach)
    sizes = _box_gauge(shape, z)
    weights = np.exp(-float(rate) * sizes)
    chances = weights / weights.sum()
    drawn = np.array([moments.drawn(shape, rate) for _ in range(3_000)]).T
    within = (abs(drawn) <= np.array(reach)[:, None]).all(axis=0)
    assert within.mean() > 0.97
    for place in range(many):
        law = np.bincount((_nearby(place, z)).ravel(), chances.ravel(), minlength=9)
        assert_follows(_nearby(place, drawn[:, within]), law)
    step = -(-2 * shape.top // int(2 * float(cost) + 1))
    law = np.bincount(np.minimum(sizes // step, 5).ravel(), chances.ravel(), minlength=6)
    assert_follows(np.minimum(_box_gauge(shape, drawn[:, within]) // step, 5), law)


@pytest.mark.parametrize("cost", [1, 6, 20, 100])
def test_few_radii_are_thrown_away_whatever_a_row_moves(monkeypatch, cost):
    """A row moves eight coordinates by 1 and one far: blocks that are too short take 10⁵ tries."""
    tries = []

    def watched(*numbers):
        tries.append(numbers)
        return uniform_below(*numbers)

    shape = boxed((1,) * 8 + (1_600,), counted=True)
    monkeypatch.setattr(moments, "uniform_below", watched)
    for _ in range(3):
        moments.drawn(shape, Fraction(cost, shape.top))
    assert len(tries) < 20_000


def _box_gauge(shape, noises):
    """M of an array of noises for each coordinate."""
    sizes = [scale * abs(one) for scale, one in zip(shape.scales, noises, strict=True)]
    return np.maximum.reduce(sizes) + shape.alone[0] * sizes[0]


def _nearby(place, noises):
    return np.clip(noises[place], -4, 4) + 4


def test_the_lines_of_the_theory_are_met():
    """134 rows, 82 values, ε = 0.5: half steps off at three means, and the count."""
    found = {}
    for name, (make, relation) in SHAPES.items():
        if name in PAIRS:
            noise = _noise(make(81)[0], relation)
            law = PairLaw(noise.shape, noise.rate)
            errors = [law.sum_error(81 * share) / 134 for share in (0, 0.3, 0.8)]
            found[name] = ([round(one, 2) for one in errors], round(law.count_error, 2))
    assert found == {
        "box": ([1.81, 1.87, 2.2], 2.98),
        "p/q = 0.6": ([1.66, 1.82, 2.54], 4.07),
        "p/q = 0.3": ([1.49, 2.04, 3.79], 7.12),
        "product": ([2.42, 2.58, 3.27], 3.96),
        "changing": ([2.82, 2.85, 3.07], 2.62),
    }
    box = _noise(count_and_sum(81), COMING)
    assert PairLaw(box.shape, box.rate).reaches(0.05) == (9, 766)


GROUPED = {
    "count and sum": (_box, False),
    "with a rest": (_box, True),
    "with squares": (_squares, False),
    "with squares and a rest": (_squares, True),
}


def _grouped(name, groups, rate=HALF, far=2, rows=1):
    make, rest = GROUPED[name]
    shape, gauge = make(far)
    return gauge, GroupedMoments.of(
        shape, groups, Epsilon.of(rate), rest=rest, rate=rate, rows_per_unit=rows
    )


@pytest.mark.parametrize("name", GROUPED)
@pytest.mark.parametrize("rows", [1, 2, 3])
def test_rows_that_change_their_group_lead_anywhere_within_epsilon(name, rows):
    """All changes of so many rows, all outputs near, gauges written out here."""
    far, groups = 2, 2
    gauge, grouped = _grouped(name, groups, rows=rows)
    noise, rest = grouped.certified.mechanism, grouped.rest
    many = len(grouped.shape.reaches)

    def whole(z):
        boxes = sum(gauge(z[many * g : many * (g + 1)]) for g in range(groups))
        return boxes + (far ** (many - 1) * abs(z[-1]) if rest else 0)

    def added(row):
        found = np.zeros(many * groups + rest, dtype=int)
        if row is OUT:
            found[-1] = 1
        else:
            group, value = row
            found[many * group : many * (group + 1)] = _moments([value], far, many)
        return found

    cells = [*itertools.product(range(groups), range(far + 1)), *([OUT] if rest else [])]
    pairs = {tuple(added(b) - added(a)) for a in cells for b in cells}
    moves = {
        tuple(np.sum(some, axis=0)) for some in itertools.combinations_with_replacement(pairs, rows)
    }
    dice = np.random.default_rng()
    outputs = np.concatenate(
        [np.array(sorted(moves)), dice.integers(-9, 10, (200, len(added(cells[0]))))]
    ).T
    assert [noise.gauge(one) for one in outputs.T[:50].tolist()] == whole(outputs)[:50].tolist()
    steps = max(
        int(abs(whole(outputs) - whole(outputs + np.array(move)[:, None])).max()) for move in moves
    )
    assert steps == noise.width
    assert noise.rate * noise.width == HALF
    with pytest.raises(NotCertified):
        certify_gauge(replace(noise, width=noise.width - 1), HALF)


@pytest.mark.parametrize(("name", "groups"), [(name, 3) for name in GROUPED] + [("with a rest", 1)])
def test_the_law_of_a_group_is_that_of_counts_that_cancel(name, groups):
    """Counts of independent boxes, given that they cancel: summed here, one cell after another."""
    gauge, grouped = _grouped(name, groups, Fraction(6))
    rate, many = float(grouped.rate), len(grouped.shape.reaches)
    noises = _every((10, 24, 48)[:many])
    weights = np.exp(-rate * gauge(noises)).sum(axis=tuple(range(1, many)))
    alone = dict(zip(range(-10, 11), weights.tolist(), strict=True))
    others = {0: 1.0}
    outer = [alone] * (groups - 1)
    if grouped.rest:
        top = grouped.shape.top
        outer.append({m: math.exp(-rate * top * abs(m)) for m in range(-30, 31)})
    for one in outer:
        others = _folded(others, one)
    expected = {m: alone[m] * others.get(-m, 0.0) for m in alone}
    total = sum(expected.values())
    kind = PairLaw if many == 2 else BoxLaw
    law = kind(grouped.shape, grouped.rate, Company(groups - 1, grouped.rest))
    for count in range(4):
        assert law.counts[count] == pytest.approx(expected[count] / total, rel=1e-3)
    drawn = [grouped.draw() for _ in range(2_000)]
    if not grouped.rest:
        assert all(sum(one[0] for one in noise) == 0 for noise in drawn)
    chances = [expected[m] / total for m in range(-2, 3)]
    tail = (1 - sum(chances)) / 2
    for group in {0, groups - 1}:
        seen = [max(-3, min(3, noise[group][0])) + 3 for noise in drawn]
        assert_follows(seen, [tail, *chances, tail])
    far = law.reach(0.2)
    seen = [int(gauge(np.array(noise[groups - 1])) > far) for noise in drawn]
    beyond = law.chance_beyond(far)
    assert beyond <= 0.2
    assert_follows(seen, [1 - beyond, beyond])


def _folded(one, other):
    found: dict[int, float] = {}
    for a, first in one.items():
        for b, second in other.items():
            found[a + b] = found.get(a + b, 0.0) + first * second
    return found
