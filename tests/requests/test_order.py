"""Orders: what is not known is refused by its name, as Python does; kept hashes stay at home."""

import pickle
import subprocess
import sys

import pytest

from discreet.questions import Item, Question
from discreet.requests import Order
from discreet.statistics import Count

QUESTION = Question((Item(statistic=Count()),))


@pytest.mark.parametrize("given", [{"eps": "0.5"}, {"epsilon": 1, "worstcase": True}])
def test_a_keyword_that_is_not_known_is_named_before_anything_else(given):
    (unknown,) = set(given) - {"epsilon"}
    with pytest.raises(TypeError, match=f"unexpected keyword argument '{unknown}'; arguments: eps"):
        Order.of(QUESTION, **given)


def test_an_order_is_found_again_in_another_process():
    """Words hash differently in every process: a kept hash must not travel with the order."""
    order = Order.of(QUESTION, epsilon="1/2", confidence="90%")
    hash(order)
    asking = (
        "import pickle, sys; o = pickle.loads(sys.stdin.buffer.read()); from discreet import Order;"
        "same = Order.of(o.question, epsilon='1/2', confidence='90%');"
        "sys.exit({same: 7}.get(o, 1))"
    )
    ran = subprocess.run([sys.executable, "-c", asking], input=pickle.dumps(order), check=False)
    assert ran.returncode == 7
