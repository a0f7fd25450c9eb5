"""ε is shared so that the weighted error is least, to the billionth; see docs/proofs/sharing.md."""

import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.planning import plan
from discreet.planning.batch import short_shares
from discreet.planning.spending import Weighed, shares_of
from planning.facts import asked, dataset

WEIGHED = st.builds(
    Weighed,
    st.floats(min_value=0.01, max_value=100),
    st.none() | st.floats(min_value=1, max_value=1000),
)


@given(st.integers(min_value=8, max_value=3 * 10**9), st.lists(WEIGHED, min_size=1, max_size=6))
def test_every_billionth_is_shared(billionths, statistics):
    shares = shares_of(billionths, statistics)
    assert sum(shares) == billionths
    assert min(shares) >= 1


@given(st.integers(min_value=8, max_value=3 * 10**9), st.lists(WEIGHED, min_size=1, max_size=6))
def test_shares_are_short_and_still_every_billionth(billionths, statistics):
    shares = shares_of(billionths, statistics)
    short = short_shares(billionths, shares)
    assert sum(short) == billionths
    assert min(short) >= 1
    unit = 10 ** max(0, len(str(billionths)) - 4)
    assert all(abs(one - other) < 2 * unit for one, other in zip(short, shares, strict=True))
    if billionths % unit == 0 and short != shares:
        assert all(one % unit == 0 for one in short)


@given(st.integers(min_value=6, max_value=3 * 10**9), st.lists(WEIGHED, min_size=2, max_size=5))
def test_no_billionth_is_better_spent_elsewhere(billionths, statistics):
    shares = shares_of(billionths, statistics)
    if len(set(statistics)) == 1:
        return
    for to, of in itertools.permutations(range(len(shares)), 2):
        if shares[of] > 1:
            gained = statistics[to].gain(shares[to] + 0.5)
            assert gained <= statistics[of].gain(shares[of] - 0.5) * (1 + 1e-9)


@given(WEIGHED, st.integers(min_value=10**6, max_value=10**10))
def test_gain_is_how_fast_the_error_falls(one, billionths):
    step = billionths * 1e-4
    slope = (one.error(billionths - step) - one.error(billionths + step)) / (2 * step) * 1e9
    assert one.gain(billionths) == pytest.approx(slope, rel=1e-5)


def test_the_error_is_that_of_geometric_noise():
    a = math.exp(-0.3 / 2)
    geometric = 2 * a / (1 - a * a)
    assert Weighed(1.0, 2.0).error(3 * 10**8) == pytest.approx(geometric, rel=1e-12)


def test_weights_and_steps_of_the_page():
    statistics = [Weighed(w, c) for w, c in zip((1, 1, 4, 1), (1, 2, 1, 10), strict=True)]
    shares = shares_of(10**9, statistics)

    def total(parts):
        return sum(one.error(part) for one, part in zip(statistics, parts, strict=True))

    assert total(shares) == pytest.approx(57.184, abs=5e-4)
    assert total([25 * 10**7] * 4) == pytest.approx(67.768, abs=5e-4)


@pytest.mark.parametrize("change", [True, False])
@pytest.mark.parametrize("people", [1, 3])
def test_one_draw_for_all_groups_costs_what_is_offered_to_the_billionth(change, people):
    """ε in each group is rounded down; what that leaves is spent wherever groups share a draw."""
    facts = dataset(60, public=change, change=change, per_person=people)
    for sql in (
        "SELECT AVG(weight), COUNT(*) GROUP BY clinic",
        "SELECT COUNT(*) GROUP BY ROLLUP(clinic)",
        "SELECT COUNT(*) GROUP BY clinic",
    ):
        made = plan(asked(sql, facts), facts, epsilon=1)
        parts = made.parts
        by_group = [part for part in parts if part.joined is None and not part.shares_groups]
        left = sum(part.sharing.factor - 1 for part in by_group)
        assert 10**9 - left <= made.cost.total <= 10**9
        assert not by_group or sql == "SELECT COUNT(*) GROUP BY clinic"


def test_thirds_for_two_groups_lose_no_billionth():
    """A median costs twice what it is run at in each group: an odd third would lose a billionth."""
    facts = dataset(60, public=False)
    sql = "SELECT AVG(weight), MEDIAN(mood), COUNT(*) GROUP BY clinic"
    assert plan(asked(sql, facts), facts, epsilon=1).cost.total == 10**9
