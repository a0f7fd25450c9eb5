"""Counts and shares of conditions from one draw with sums and means of the same rows."""

import itertools
from fractions import Fraction

import numpy as np
import pytest

from discreet.joint.moment_mechanism import MomentMechanism
from discreet.planning.joint.moments import MOMENTS_TOGETHER
from discreet.statistics import Moments
from planning.test_moments import FAR, planned

ROWS = list(itertools.product([0, 1, 2], "ab", "ab"))


def sums(table, *, where, groups, counted, rest):
    """Rows, half steps of x and of "v is a" of each group: from the rows as such.

    v is g where there are no groups, else w.
    """
    width = 2 + counted
    found = [0] * (width * groups + rest)
    for x, w, g in table:
        if where and w == "b":
            found[-1] += rest
            continue
        at = width * (g == "b") if groups > 1 else 0
        meets = (w if groups > 1 else g) == "a"
        adds = [1, 2 * x - FAR, 1 if meets else -1][not counted :]
        for place, one in enumerate(adds):
            found[at + place] += one
    return tuple(found)


SITUATIONS = (
    "AVG(x), COUNT(g = 'a')",
    "SUM(x), SHARE(g = 'a')",
    "AVG(x), COUNT(*), COUNT(g = 'a') WHERE w = 'a'",
    "AVG(x), SHARE(g = 'a') WHERE w = 'a'",
    "AVG(x), COUNT(w = 'a') GROUP BY g",
)


@pytest.mark.parametrize("per_person", [1, 2])
@pytest.mark.parametrize("change", [True, False])
@pytest.mark.parametrize("ask", SITUATIONS)
def test_what_is_drawn_for_neighbouring_tables_is_within_epsilon(ask, change, per_person):
    """All rows a person may have before and after: the gauge moves by no more than was paid."""
    made = planned(f"SELECT {ask}", change=change, per_person=per_person)
    (joined,) = made.joined
    assert joined.name == MOMENTS_TOGETHER.name
    assert len(joined.places) == len(made.parts)
    mechanism = joined.release.mechanism
    noise = mechanism.noise.certified.mechanism
    counted, groups = mechanism.shape.counted, len(made.groups) if mechanism.together else 1
    rest = noise.dimension - groups * len(mechanism.shape.reaches)
    told = {"where": "WHERE" in ask, "groups": groups, "counted": counted, "rest": rest}
    cells = ROWS if groups > 1 or "GROUP" not in ask else [(x, w, "a") for x, w, _ in ROWS]
    if "GROUP" in ask and groups == 1:  # each group has noise of its own, and the same law
        cells = [(x, "a", w) for x, w, _ in cells]
    tables = [
        {sums(rows, **told) for rows in itertools.combinations_with_replacement(cells, many)}
        for many in range(per_person + 1)
    ]
    if change:
        moves = {tuple(np.subtract(a, b)) for a in tables[-1] for b in tables[-1]}
    else:
        moves = {one for some in tables for one in some}
    dice, steps = np.random.default_rng(), 0
    for move in moves:
        for output in [np.zeros(noise.dimension, int), *dice.integers(-9, 10, (5, len(move)))]:
            before, after = noise.gauge(output.tolist()), noise.gauge((output + move).tolist())
            steps = max(steps, abs(before - after))
    assert steps * noise.rate == joined.epsilon.value <= Fraction(1, 2)


@pytest.mark.parametrize("change", [True, False])
def test_without_noise_every_statistic_is_told_as_it_is(monkeypatch, change):
    made = planned("SELECT SHARE(w = 'a'), AVG(x), COUNT(w = 'a') GROUP BY g", change=change)
    (joined,) = made.joined
    assert joined.places == (0, 1, 2)
    size = len(joined.release.coordinates.monomials)
    monkeypatch.setattr(MomentMechanism, "draw", lambda _, groups: [(0,) * size] * groups)
    rows, meeting = [[0] * 40 + [1] * 30 + [2] * 10, [2] * 50], [17, 50]
    values = [Moments(len(one), sum(one)) for one in rows]
    counts = [Moments(len(one), many) for one, many in zip(rows, meeting, strict=True)]
    told = made.ready([counts, values, counts]).draw()
    for group, (one, many) in enumerate(zip(rows, meeting, strict=True)):
        mean = 10 + Fraction(2 * sum(one), len(one))
        for by_group, right in zip(told, [Fraction(many, len(one)), mean, many], strict=True):
            low, high = by_group[group].interval
            assert by_group[group].value == pytest.approx(right, abs=0.01)
            assert low <= right <= high


def weighed(mechanism, most):
    """Noises near 0 with their chances, by the gauge as it is written."""
    noise = mechanism.noise.certified.mechanism
    ends = [most // 2, most, most // 2][-noise.dimension :]
    every = list(itertools.product(*(range(-end, end + 1) for end in ends)))
    weights = np.exp([-float(noise.rate) * noise.gauge(one) for one in every])
    chances = weights / weights.sum()
    kept = [(one, chance) for one, chance in zip(every, chances, strict=True) if chance > 1e-5]
    return kept, 1 - sum(chance for _, chance in kept)


@pytest.mark.parametrize("meets", [0, 20])
@pytest.mark.parametrize(
    ("ask", "change"),
    [
        ("AVG(x), COUNT(g = 'a')", True),
        ("SUM(x), COUNT(g = 'a') WHERE w = 'a'", True),
        ("SUM(x), COUNT(g = 'a')", False),
    ],
)
def test_intervals_hold_noise_by_noise_and_are_not_far_wider(ask, change, meets):
    made = planned(f"SELECT {ask}", change=change, epsilon="2", rows=40)
    (joined,) = made.joined
    mechanism, rows, sure = joined.release.mechanism, 40, Fraction(4, 5)
    kept, left = weighed(mechanism, 24)
    total, many = 30, meets
    truths = (2 * total - FAR * rows, 2 * many - rows)
    of_x, of_g = joined.release.tellings
    values = (10 * rows + 2 * total) / (rows if "AVG" in ask else 1), many
    missed = np.zeros(2)
    for noise, chance in kept:
        off = noise[0] if mechanism.shape.counted else 0
        pairs = zip((of_x, of_g), truths, noise[-2:], values, strict=True)
        for place, (one, true, away, right) in enumerate(pairs):
            low, high = one.told((true + away, rows + off), sure).interval
            missed[place] += chance * (not low <= right <= high)
    assert max(missed) + left <= 0.2
    assert max(missed) > 0.02, "not far wider than needed"


def test_a_count_beside_means_errs_as_one_of_so_many():
    """(r + 1)/2 for r numbers of a public number of rows, where each by itself would err by r."""
    epsilon = Fraction(1, 20)
    made = planned("SELECT AVG(x), COUNT(g = 'a')", change=True, rows=10_000, epsilon=str(epsilon))
    (joined,) = made.joined
    errors = [one.figures.expected for one in joined.candidates]
    assert errors[1] == pytest.approx(float(3 / (2 * epsilon)), rel=0.03)
    assert errors[0] == pytest.approx(float(4 * 3 / (2 * epsilon) / 10_000), rel=0.03)
