"""ε as a risk: the told bound holds for every belief and every output, and is met."""

from fractions import Fraction
from math import exp

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import InvalidInput
from discreet.exact import Epsilon
from discreet.measures.belief import most_sure, risk_sentence, sure_text
from discreet.model import Relation

beliefs = st.fractions(min_value="1/1000", max_value="999/1000")


@given(
    st.integers(1, 5 * 10**9),
    beliefs,
    st.lists(st.tuples(st.integers(1, 100), st.floats(-1, 1)), min_size=2, max_size=6),
)
def test_no_output_of_a_private_mechanism_makes_anybody_surer(billionths, before, outputs):
    epsilon = Epsilon(billionths)
    ratio = epsilon.ratio_below
    for chance, lean in outputs:  # under the statement so likely, without it within e^ε of that
        with_it = Fraction(chance)
        without = with_it * (ratio if lean < 0 else 1 / ratio)
        after = before * with_it / (before * with_it + (1 - before) * without)
        assert after <= most_sure(epsilon, before)


def test_the_bound_is_met_and_told_rounded_up():
    exact = exp(0.5) / (1 + exp(0.5))
    assert float(most_sure(Epsilon.of("0.5"))) == pytest.approx(exact, rel=1e-15)
    assert sure_text(Epsilon.of("0.5")) == "62.3"
    assert most_sure(Epsilon.of("log 3")) == Fraction(3, 4)
    assert sure_text(Epsilon.of("0.000000001")) == "50.1"


@given(st.integers(1, 20 * 10**9))
def test_what_is_told_is_never_below_the_bound(billionths):
    epsilon = Epsilon(billionths)
    assert Fraction(sure_text(epsilon)) / 100 >= most_sure(epsilon)


def test_it_says_what_it_is_about_and_refuses_what_is_no_belief():
    assert "something about one person" in risk_sentence(Epsilon.of(1), Relation.CHANGE)
    assert "is in this table" in risk_sentence(Epsilon.of(1), Relation.ADD_OR_REMOVE)
    with pytest.raises(InvalidInput, match="between 0 and 1"):
        most_sure(Epsilon.of(1), Fraction(1))
