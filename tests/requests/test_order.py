"""Orders: what is not known is refused by its name, as Python does; kept hashes stay at home."""

import pickle
import subprocess
import sys

import pytest

from discreet.errors import GoalError
from discreet.planning import Accuracy, Wishes, plan
from discreet.questions import Item, Question
from discreet.requests import Order
from discreet.statistics import Count
from planning.facts import dataset

QUESTION = Question((Item(statistic=Count()),))


@pytest.mark.parametrize("given", [{"eps": "0.5"}, {"epsilon": 1, "worstcase": True}])
def test_a_keyword_that_is_not_known_is_named_before_anything_else(given):
    (unknown,) = set(given) - {"epsilon"}
    with pytest.raises(TypeError, match=f"unexpected keyword argument '{unknown}'; arguments: eps"):
        Order.of(QUESTION, **given)


@pytest.mark.parametrize("given", [0, "0", -1, "-0.5"])
def test_an_accuracy_is_more_than_nothing_whoever_reads_it(given):
    """Nothing was once let through by orders, and ended in a division by it."""
    readers = [Accuracy.of, lambda one: Order.of(QUESTION, within=one)]
    readers.append(lambda one: plan(QUESTION, dataset(), within=one, wishes=Wishes()))
    for reader in readers:
        with pytest.raises(
            GoalError, match=r"within must be more than 0: .* example within=5; got"
        ):
            reader(given)


@pytest.mark.parametrize("given", ["1e-101", "1e-400", "1e300", 10**400])
def test_an_accuracy_is_of_a_size_that_floats_can_tell(given):
    with pytest.raises(GoalError, match=r"within must be at (least 1e-100|most 1e\+15), got"):
        Order.of(QUESTION, within=given)


def test_a_share_is_at_most_all_of_it():
    with pytest.raises(GoalError, match="within must be at most 100 %, got '200%'"):
        Accuracy.of("200%")
    assert Accuracy.of("100%").amount == 1


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
