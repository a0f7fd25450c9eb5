"""Noise on several counts: privacy by enumeration, laws in rationals, draws, and its figures."""

import itertools
import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.certifier.gauges import certify_gauge
from discreet.errors import DesignError, NotCertified
from discreet.exact import Epsilon, enclosed, working_precision
from discreet.joint import CountNoise
from discreet.joint.count_laws import count_law
from discreet.model import Relation
from statistics_bounds import assert_follows, folded

HALF = Fraction(1, 2)
SURE = Fraction(19, 20)
CHANGE, COME = Relation.CHANGE, Relation.ADD_OR_REMOVE


def _noise(counts, relation, rate=HALF, rows=1):
    return CountNoise.of(counts, Epsilon.of(rate), relation=relation, rate=rate, rows_per_unit=rows)


def _gauge(relation, noise):
    """Written out here."""
    if relation == COME:
        return max(0, *noise) + max(0, *(-one for one in noise))
    return max(map(abs, noise))


def _people(counts, rows):
    """What the rows of a person add to the counts, whichever conditions each row fulfils."""
    one = list(itertools.product((0, 1), repeat=counts))
    return {
        tuple(map(sum, zip(*chosen, strict=True)))
        for chosen in itertools.combinations_with_replacement(one, rows)
    }


def _neighbours(counts, rows, relation):
    """Counts of all tables of one person or two, and of those one person away."""
    people = _people(counts, rows)
    nobody = (0,) * counts
    for other in {nobody, *people}:
        for one in people:
            table = tuple(map(sum, zip(one, other, strict=True)))
            if relation != CHANGE:
                yield table, other
            if relation != COME:
                for instead in people:
                    yield table, tuple(map(sum, zip(instead, other, strict=True)))


@pytest.mark.parametrize("relation", Relation)
@pytest.mark.parametrize(("counts", "rows"), [(1, 3), (2, 1), (2, 2), (2, 3), (3, 1), (3, 2)])
def test_neighbouring_tables_lead_to_any_counts_within_epsilon(counts, rows, relation):
    """All small tables, all neighbours, all outputs near: at most a step for each row, and one."""
    mechanism = _noise(counts, relation, rows=rows).certified.mechanism
    outputs = np.array(list(itertools.product(range(-1, 2 * rows + 2), repeat=counts)))
    most = 0
    for one, other in set(_neighbours(counts, rows, relation)):
        near, far = _gauges(relation, outputs - one), _gauges(relation, outputs - other)
        most = max(most, int(abs(near - far).max()))
    assert most == rows
    assert mechanism.rate * rows == HALF
    for output in outputs.tolist():
        assert mechanism.gauge(output) == _gauge(relation, output)


def _gauges(relation, noises):
    if relation == COME:
        return noises.max(axis=1, initial=0) - noises.min(axis=1, initial=0)
    return abs(noises).max(axis=1)


@pytest.mark.parametrize("relation", Relation)
@pytest.mark.parametrize("rows", [1, 2, 3])
def test_a_gauge_one_unit_too_narrow_is_refused(relation, rows):
    noise = _noise(3, relation, rows=rows).certified.mechanism
    assert certify_gauge(noise, "0.5").guarantee.epsilon == Epsilon.of("0.5")
    narrow = [{"rows_per_unit": rows + 1}, {"rate": noise.rate + Fraction(1, 10**12)}]
    if rows > 1:
        narrow.append({"width": rows - 1, "rate": HALF / (rows - 1)})
    for place in range(3):  # one count that a step moves twice as far
        twice = tuple(
            tuple(tuple((at, 2 * by if at == place else by) for at, by in form) for form in forms)
            for forms in noise.summands
        )
        narrow.append({"summands": twice})
    for change in narrow:
        with pytest.raises(NotCertified):
            certify_gauge(replace(noise, **change), "0.5")


def test_noise_for_rows_that_come_or_go_is_refused_where_they_change():
    """A row that changes moves one count up and another down: two steps of that gauge."""
    noise = _noise(2, COME).certified.mechanism
    for relation in (CHANGE, Relation.EITHER):
        with pytest.raises(NotCertified, match="by 2 on the gauge"):
            certify_gauge(replace(noise, relation=relation), "0.5")
    assert certify_gauge(replace(noise, relation=CHANGE, width=2, rate=HALF / 2), "0.5")


@pytest.mark.parametrize("relation", [CHANGE, COME])
@pytest.mark.parametrize("counts", [1, 2, 3])
@pytest.mark.parametrize("ratio", [Fraction(1, 30), Fraction(1, 500)])
def test_laws_are_those_of_all_noises_summed_in_rationals(counts, relation, ratio, monkeypatch):
    """With a rational for e^(−rate) everything is rational; what is not summed is accounted for."""
    monkeypatch.setattr("discreet.joint.radius.ratio_of", lambda rate: ratio)
    law = count_law.__wrapped__(counts, relation, HALF)
    reach = 10 if counts < 3 else 6
    every = itertools.product(range(-reach, reach + 1), repeat=counts)
    weights = {noise: ratio ** _gauge(relation, noise) for noise in every}
    total = sum(weights.values())
    rest = _left_out(counts, relation, ratio, reach)
    for far in range(4):
        one = sum(weight for noise, weight in weights.items() if abs(noise[0]) > far)
        some = sum(weight for noise, weight in weights.items() if max(map(abs, noise)) > far)
        over = sum(max(abs(noise[0]) - far, 0) * weight for noise, weight in weights.items())
        assert one / (total + rest) <= law.beyond(far) <= (one + rest) / (total + rest)
        assert some / (total + rest) <= law.any_beyond(far) <= (some + rest) / (total + rest)
        assert over / (total + rest) <= law.excess(far) <= (over + 99 * rest) / (total + rest)
        assert rest / total < Fraction(1, 10**7)


def _left_out(counts, relation, ratio, reach):
    """The weight of all noises with a part beyond the reach, by shells: at least that much."""

    def sphere(far):
        if relation == CHANGE:
            return (2 * far + 1) ** counts - (2 * far - 1) ** counts
        return (far + 1) ** (counts + 1) - 2 * far ** (counts + 1) + (far - 1) ** (counts + 1)

    shells = sum(sphere(far) * ratio**far for far in range(1, 400)) + ratio**300 + 1
    inside = sum(
        ratio ** _gauge(relation, noise)
        for noise in itertools.product(range(-reach, reach + 1), repeat=counts)
    )
    return shells - inside


def test_what_all_counts_share_is_paid_once():
    """At ε = 0.5: three counts and ten, each within so much at 95 %, beside shares of ε."""
    found = {
        (counts, relation): (round(noise.error, 2), noise.reach(SURE))
        for counts in (3, 10)
        for relation in (CHANGE, COME)
        for noise in [_noise(counts, relation)]
    }
    assert found == {
        (3, CHANGE): (3.98, 10),
        (3, COME): (3.29, 9),
        (10, CHANGE): (10.99, 25),
        (10, COME): (7.98, 20),
    }


@pytest.mark.parametrize("relation", [CHANGE, COME])
def test_one_count_has_two_sided_geometric_noise(relation):
    """P(|z| > t) = 2a^(t+1)/(1 + a), and the error is 1/sinh(ε)."""
    law = count_law(1, relation, HALF)
    assert law.error == pytest.approx(1 / math.sinh(0.5), rel=1e-14)
    with working_precision(200):
        ratio = (-enclosed(HALF)).exp()
        for far in range(9):
            known = 2 * ratio ** (far + 1) / (1 + ratio)
            assert law.beyond(far).overlaps(known)
            assert law.any_beyond(far).overlaps(known)


@given(
    counts=st.integers(1, 30),
    relation=st.sampled_from([CHANGE, COME]),
    rate=st.fractions(Fraction(1, 10**8), 5),
    sure=st.fractions(Fraction(1, 2), 1 - Fraction(1, 10**9)),
)
def test_the_reach_is_the_least_that_holds(counts, relation, rate, sure):
    law = count_law(counts, relation, rate)
    one, every = law.reach(sure), law.reach_of_all(sure)
    assert one <= every
    with working_precision(6_000):
        for beyond, far in ((law.beyond, one), (law.any_beyond, every)):
            assert beyond(far) <= enclosed(1 - sure)
            assert far == 0 or beyond(far - 1) > enclosed(1 - sure)


@pytest.mark.parametrize("relation", [CHANGE, COME])
@pytest.mark.parametrize("counts", [1, 2, 5, 40])
def test_chances_for_figures_are_the_law(counts, relation):
    law = count_law(counts, relation, HALF)
    chances = law.chances
    assert 2 * chances.sum() - chances[0] == pytest.approx(1)
    assert 2 * chances @ np.arange(len(chances)) == pytest.approx(law.error, rel=1e-9)
    with working_precision(2_000):
        law_of_one = [float(law.beyond(far - 1) - law.beyond(far)) / 2 for far in range(1, 30)]
    assert chances[1:30].tolist() == pytest.approx(law_of_one, rel=1e-9)
    with pytest.raises(DesignError, match="too wide"):
        _ = count_law(counts, relation, Fraction(1, 10**9)).chances


@pytest.mark.parametrize("relation", [CHANGE, COME])
@pytest.mark.parametrize(("counts", "rate"), [(1, HALF), (2, HALF), (3, Fraction(1)), (20, HALF)])
def test_draws_follow_the_law_of_a_count(counts, relation, rate):
    noise = _noise(counts, relation, rate)
    drawn = np.array([noise.draw() for _ in range(3_000)])
    reach = 6
    law = noise.chances[:reach].tolist()
    tail = (1 - 2 * sum(law) + law[0]) / 2
    for place in (0, counts - 1):
        assert_follows(folded(drawn[:, place], reach), [tail, *law[:0:-1], *law, tail])


@pytest.mark.parametrize("relation", [CHANGE, COME])
def test_draws_of_two_counts_follow_their_law_together(relation):
    """Each of the noises near 0 as often as its weight says."""
    rate = Fraction(1)
    noise, ratio = _noise(2, relation, rate), math.exp(-1)
    near = list(itertools.product(range(-2, 3), repeat=2))
    far = itertools.product(range(-60, 61), repeat=2)
    total = sum(ratio ** _gauge(relation, one) for one in far)
    law = [ratio ** _gauge(relation, one) / total for one in near]
    place = {one: at for at, one in enumerate(near)}
    drawn = [place.get(tuple(noise.draw()), len(near)) for _ in range(8_000)]
    assert_follows(drawn, [*law, 1 - sum(law)])


def test_noise_of_any_size_can_be_drawn():
    """The least rate there is, and one so large that nothing is added."""
    for relation in (CHANGE, COME):
        assert len(_noise(4, relation, Fraction(1, 10**9)).draw()) == 4
        assert _noise(4, relation, Fraction(100)).draw() == [0] * 4
