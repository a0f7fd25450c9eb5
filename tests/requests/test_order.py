"""Orders: what is not known is refused by its name, as Python does."""

import pytest

from discreet.questions import Item, Question
from discreet.requests import Order
from discreet.statistics import Count

QUESTION = Question((Item(statistic=Count()),))


@pytest.mark.parametrize("given", [{"eps": "0.5"}, {"epsilon": 1, "worstcase": True}])
def test_a_keyword_that_is_not_known_is_named_before_anything_else(given):
    (unknown,) = set(given) - {"epsilon"}
    with pytest.raises(TypeError, match=f"unexpected keyword argument '{unknown}'; there are eps"):
        Order.of(QUESTION, **given)
