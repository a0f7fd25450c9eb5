"""ε is kept exactly, rounded toward privacy, and never forged."""

import math
import pickle
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import EpsilonError
from discreet.exact import Epsilon, exp_lower, log_lower, log_upper

BILLION = 10**9
sensible = st.fractions(min_value=Fraction(1, BILLION), max_value=100)


@given(sensible)
def test_rounded_down_to_a_billionth(exact):
    epsilon = Epsilon.of(exact)
    assert epsilon.value <= exact < epsilon.value + Fraction(1, BILLION)
    assert epsilon.billionths == math.floor(exact * BILLION)


@given(st.integers(1, 100 * BILLION))
def test_whole_billionths_survive_every_spelling(billionths):
    epsilon = Epsilon(billionths)
    for spelling in (str(epsilon), Decimal(billionths) / BILLION, Fraction(billionths, BILLION)):
        assert Epsilon.of(spelling) == epsilon
    assert Epsilon.of(epsilon) is epsilon
    assert eval(repr(epsilon), {"Epsilon": Epsilon.of}) == epsilon


@given(sensible)
def test_the_ratio_below_never_exceeds_the_exponential(exact):
    epsilon = Epsilon.of(exact)
    assert 1 < epsilon.ratio_below <= epsilon.ratio_above
    assert log_lower(epsilon.ratio_below) <= epsilon.value <= exact
    assert epsilon.value <= log_upper(epsilon.ratio_above)
    assert epsilon.ratio_below >= exp_lower(epsilon.value, 100)


@given(st.fractions(min_value=Fraction(1000001, 1000000), max_value=10**40))
def test_a_logarithm_stays_exact_and_costs_no_less(ratio):
    epsilon = Epsilon.of(f"log {ratio}")
    assert epsilon.ratio_below == epsilon.ratio_above == ratio
    assert epsilon.value >= log_lower(ratio)
    assert epsilon.value - log_upper(ratio) < Fraction(1, BILLION)
    assert Epsilon.of(str(epsilon)) == epsilon
    assert float(epsilon) == pytest.approx(math.log(ratio))


@pytest.mark.parametrize(
    ("spelling", "shown"),
    [
        ("0.5", "0.5"), (0.1, "0.1"), ("1/3", "0.333333333"), (2, "2"), ("1e-9", "0.000000001"),
        ("0.0000000019", "0.000000001"), ("100", "100"), (" 1.50 ", "1.5"), ("log 3", "log 3"),
        ("ln(3/2)", "log 3/2"), ("LOG 1.5", "log 3/2"), ("log(3)", "log 3"), ("log3", "log 3"),
    ],
)  # fmt: skip
def test_spellings(spelling, shown):
    assert str(Epsilon.of(spelling)) == shown


@pytest.mark.parametrize(
    ("nonsense", "complaint"),
    [
        (0, "epsilon must be positive, got 0"),
        ("-0.5", "epsilon must be positive, got '-0.5'"),
        (float("nan"), "epsilon must be finite, got nan"),
        (float("inf"), "epsilon must be finite, got inf"),
        ("", "epsilon must be a number like 0.5 or 1/3, got ''"),
        ("one", "epsilon must be a number like 0.5 or 1/3, got 'one'"),
        ("1e-10", "epsilon must be at least 0.000000001, got '1e-10'"),
        (101, "epsilon must be at most 100 (usual values lie between 0.1 and 3), got 101"),
        ("1e9999", "epsilon must be at most 100 (usual values lie between 0.1 and 3), "
                   "got '1e9999'"),
        ("log 1", "epsilon must be positive: log of more than 1, got 'log 1'"),
        ("log 0.5", "epsilon must be positive: log of more than 1, got 'log 0.5'"),
        ("log -3", "epsilon must be positive: log of more than 1, got 'log -3'"),
        ("log 1.00000000000000000001", "epsilon must be at least 0.000000001, "
                                       "got 'log 1.00000000000000000001'"),
        ("log x", "the number inside log must be a number like 0.5 or 1/3, got 'x'"),
        ("log(3", "epsilon must be a number like 0.5 or 1/3, got 'log(3'"),
        (True, "epsilon must be a number like 0.5 or 1/3, got True"),
        (None, "epsilon must be a number like 0.5 or 1/3, got None"),
    ],
)  # fmt: skip
def test_refusals_say_what_was_given_and_wanted(nonsense, complaint):
    with pytest.raises(EpsilonError) as caught:
        Epsilon.of(nonsense)
    assert str(caught.value) == complaint


@pytest.mark.parametrize(
    "forged",
    [(0, None), (-1, None), (10**12, None), (1.5, None), (True, None), ("1", None),
     (1, Fraction(1000)), (1098612288, Fraction(3)), (1098612290, Fraction(3)), (5, 3),
     (1, Fraction(10**20 + 1, 10**20)), (1, Fraction(1)), (1, Fraction(-2)), (1, "3")],
)  # fmt: skip
def test_a_forged_epsilon_is_refused(forged):
    with pytest.raises(EpsilonError):
        Epsilon(*forged)


def test_it_travels_and_cannot_change():
    epsilon = Epsilon.of("log 3")
    assert pickle.loads(pickle.dumps(epsilon)) == epsilon
    assert len({epsilon, Epsilon.of("log 3"), Epsilon.of("1")}) == 2
    with pytest.raises(AttributeError):
        epsilon.billionths = 1
