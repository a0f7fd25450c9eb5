"""Noise on the cells of a table: privacy, law and draws, against sums over all noises."""

import itertools
import math
import pickle
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from discreet.certifier.gauges import certify_gauge
from discreet.errors import MechanismError, NotCertified
from discreet.exact import Epsilon, log_upper, spendable, working_precision
from discreet.joint import CellNoise
from discreet.joint.cells import _law
from statistics_bounds import assert_follows

HALF = Fraction(1, 2)


def _noise(cells, rate=HALF, rows=1):
    return CellNoise.of(cells, Epsilon.of(rate), rate=rate, rows_per_unit=rows)


def _misplaced(noise):
    """½Σ|z|, written out here."""
    assert sum(noise) == 0
    return sum(abs(one) for one in noise) // 2


def _every(cells, far):
    """All noises that cancel, with cells from −far to far."""
    for front in itertools.product(range(-far, far + 1), repeat=cells - 1):
        if abs(sum(front)) <= far:
            yield (*front, -sum(front))


@pytest.mark.parametrize("rows", [1, 2, 3])
@pytest.mark.parametrize("cells", [2, 3, 4])
def test_neighbouring_tables_lead_to_any_table_within_epsilon(cells, rows):
    """All tables of three rows, all that a person of so many can change, all outputs near."""
    noise = _noise(cells, rows=rows).certified.mechanism
    tables = [np.array(one) for one in itertools.product(range(4), repeat=cells) if sum(one) == 3]
    outputs = np.array(list(_every(cells, 3))) + tables[0]
    steps = 0
    for one, other in itertools.product(tables, repeat=2):
        if abs(one - other).sum() > 2 * rows:
            continue
        near, far = (abs(outputs - table).sum(axis=1) // 2 for table in (one, other))
        steps = max(steps, int(abs(near - far).max()))
    for output in outputs[:200].tolist():
        away = [a - b for a, b in zip(output, tables[0].tolist(), strict=True)]
        assert noise.gauge(away) == _misplaced(away)
    assert steps == rows
    assert noise.rate * steps == HALF


@pytest.mark.parametrize("rows", [1, 2, 3])
@pytest.mark.parametrize("cells", [1, 2, 3])
def test_with_a_rest_that_is_not_told_rows_may_change_come_or_go(cells, rows):
    """WHERE, or a size that is private: the told cells alone, all tables, both relations."""
    noise = _noise(cells + 1, rows=rows).certified.mechanism
    tables = [np.array(one) for one in itertools.product(range(4), repeat=cells) if sum(one) <= 3]
    outputs = np.array(list(itertools.product(range(-2, 6), repeat=cells)))

    def told(table):
        """½Σ|z| with the rest, which makes up for the told cells: the larger of both sides."""
        off = outputs - table
        return np.maximum(np.maximum(off, 0).sum(axis=1), np.maximum(-off, 0).sum(axis=1))

    off = outputs - tables[0]
    whole = np.column_stack([off, -off.sum(axis=1)])
    assert [noise.gauge(one) for one in whole.tolist()] == told(tables[0]).tolist()
    steps = 0
    for one, other in itertools.product(tables, repeat=2):
        come, gone = np.maximum(other - one, 0).sum(), np.maximum(one - other, 0).sum()
        if max(come, gone) <= rows:  # rows outside the condition may take part in each change
            steps = max(steps, int(abs(told(one) - told(other)).max()))
    assert steps == rows
    assert noise.rate * steps == HALF


@pytest.mark.parametrize(
    ("cells", "far", "rate"), [(2, 60, 1), (3, 40, 1), (4, 13, 3), (5, 8, 5), (6, 5, 8)]
)
def test_the_law_of_a_cell_is_that_of_all_noises_summed(cells, far, rate):
    rate = Fraction(rate)
    weights = {}
    for noise in _every(cells, far):
        weights[noise[0]] = weights.get(noise[0], 0.0) + math.exp(-rate * _misplaced(noise))
    total = sum(weights.values())
    with working_precision(300):
        law = [float(one) for one in itertools.islice(_law(cells, rate), 4)]
    assert law == pytest.approx([weights[place] / total for place in range(4)], rel=1e-6)
    assert law == pytest.approx([weights[-place] / total for place in range(4)], rel=1e-6)
    assert _noise(cells, rate).chances[:4].tolist() == pytest.approx(law, rel=1e-6)
    mean = sum(abs(place) * weight for place, weight in weights.items()) / total
    assert _noise(cells, rate).error == pytest.approx(mean, rel=1e-6)


def test_what_one_row_leaves_and_enters_is_paid_once():
    """At ε = 0.5 two cells err as one count does, and ten still less than by themselves."""
    errors = [round(_noise(cells).error, 2) for cells in (2, 3, 5, 10)]
    assert errors == [1.92, 2.61, 3.15, 3.56]
    sure = Fraction(19, 20)
    assert [_noise(cells).reach(sure) for cells in (2, 3, 5, 10)] == [6, 8, 9, 10]


@pytest.mark.parametrize("cells", [2, 3, 7, 40, 400])
@pytest.mark.parametrize("rate", [Fraction(1, 50), HALF, Fraction(3)])
def test_the_reach_is_the_least_that_holds_and_never_beyond_plain_noise(cells, rate):
    noise, sure = _noise(cells, rate), Fraction(9, 10)
    far = noise.reach(sure)
    alpha = math.exp(-rate / 2)
    plain = next(t for t in itertools.count() if 2 * alpha ** (t + 1) / (1 + alpha) <= 0.1)
    assert far <= plain
    with working_precision(200 + 8 * cells):
        law = [float(one) for one in itertools.islice(_law(cells, rate), far + 1)]
    assert 2 * sum(law) - law[0] >= 0.9
    if cells * plain * (1 + cells / 100) <= 30_000:
        assert 2 * sum(law[:-1]) - law[0] < 0.9 or far == 0


def test_noise_that_was_drawn_can_be_sent_to_another_process():
    """A worker may draw while it plans, and sends its plan to the server."""
    noise = _noise(3)
    noise.draw()
    sent = pickle.loads(pickle.dumps(noise))
    assert (sent.cells, sent.rate) == (noise.cells, noise.rate)
    assert sent.draw().sum() == 0


@pytest.mark.parametrize(
    ("cells", "rate"),
    [(2, HALF), (3, Fraction(1)), (4, Fraction(1, 40)), (8, HALF), (30, Fraction(2))],
)
def test_draws_cancel_and_follow_the_law(cells, rate):
    rate = Fraction(rate)
    noise = _noise(cells, rate)
    drawn = np.array([noise.draw() for _ in range(4_000)])
    assert not drawn.sum(axis=1).any()
    reach = 6
    with working_precision(200 + 8 * cells):
        law = [float(one) for one in itertools.islice(_law(cells, rate), reach)]
    tail = (1 - 2 * sum(law) + law[0]) / 2
    for cell in (0, cells - 1):
        places = np.clip(drawn[:, cell], -reach, reach) + reach
        assert_follows(places, [tail, *law[:0:-1], *law, tail])


BROKEN = {
    "a gauge one step too narrow": {"rows_per_unit": 2},
    "a rate a little too large": {"rate": HALF + Fraction(1, 10**12)},
    "twice the weight on one cell": {
        "summands": ((((0, 2),), ()), (((1, 1),), ()), (((2, 1),), ()))
    },
    "a cell that no form notices": {"summands": ((((0, 1),), ()), (((1, 1),), ()))},
    "noise that need not cancel": {"equations": ()},
    "a summand that may fall below 0": {"summands": tuple((((place, 1),),) for place in range(3))},
    "a coordinate that is not there": {"row": ((((3, 1),),),)},
    "half a step": {"row": ((((0, 0.5),),),)},
}


@pytest.mark.parametrize("how", BROKEN)
def test_what_breaks_one_of_the_four_checks_is_refused(how):
    noise = _noise(3).certified.mechanism
    assert certify_gauge(noise, "0.5").guarantee.epsilon == Epsilon.of("0.5")
    with pytest.raises((NotCertified, MechanismError)):
        certify_gauge(replace(noise, **BROKEN[how]), "0.5")


def test_a_logarithm_is_spent_to_the_last_of_its_digits_and_no_further():
    epsilon = Epsilon.of("log 3")
    made = CellNoise.of(4, epsilon, rate=spendable(epsilon), rows_per_unit=2)
    assert epsilon.value - 2 * made.rate < Fraction(1, 10**9)
    with pytest.raises(NotCertified, match="cost more"):
        CellNoise.of(4, epsilon, rate=log_upper(Fraction(3)), rows_per_unit=2)
