"""Sufficiency and the order of 003: decided exactly, with what proves it."""

import json
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from discreet.cli import app
from discreet.designer import design
from discreet.designer.sufficiency import simulation, smaller
from discreet.errors import MechanismError
from discreet.model import AllPairs, Goal, Grid, Loss, Mechanism, Within
from papers.outcomes import check_numbers, check_slips


@st.composite
def mechanisms(draw, answers=3, outputs=3):
    """Any columns of whole numbers with one sum."""
    columns = []
    for _ in range(answers):
        cuts = sorted(
            draw(st.lists(st.integers(0, 12), min_size=outputs - 1, max_size=outputs - 1))
        )
        columns.append(np.diff([0, *cuts, 12]))
    space = Grid.between(0, answers - 1)
    return Mechanism.of(space, Grid.between(0, outputs - 1), AllPairs(), np.array(columns).T)


def turned(mechanism, function):
    """A random function of a mechanism's outputs, in integers."""
    cells = np.array(function) @ mechanism.weights
    return Mechanism.of(mechanism.answers, Grid.between(0, len(function) - 1), AllPairs(), cells)


@given(mechanisms(), mechanisms(answers=3, outputs=3))
@settings(max_examples=40, deadline=None)
def test_what_is_made_of_it_is_simulated(one, function):
    other = turned(one, function.weights.tolist())
    found = simulation(one, other)
    assert found.simulates is True
    assert found.least == 0
    assert {int(part) for part in found.function.sum(axis=0)} == {1 << 40}


@given(mechanisms(), mechanisms())
@settings(max_examples=60, deadline=None)
def test_both_ends_meet_and_each_is_proved(one, other):
    found = simulation(one, other)
    assert 0 <= found.least <= found.most
    assert float(found.most - found.least) < 1e-6
    made = found.function @ one.weights.astype(object)
    for j in range(len(one.answers)):
        apart = sum(
            abs(Fraction(int(a), one.total << 40) - Fraction(int(b), other.total))
            for a, b in zip(made[:, j], other.weights[:, j], strict=True)
        )
        assert apart / 2 <= found.most


@given(mechanisms(), mechanisms(), st.lists(st.integers(0, 5), min_size=3, max_size=3))
@settings(max_examples=60, deadline=None)
def test_theorem_3_smaller_costs_no_more_whatever_grows(one, other, steps):
    if not smaller(one, other):
        return
    heights = np.cumsum([0, *steps])

    def cost(mechanism, answer):
        apart = np.abs(np.arange(3) - answer)
        return Fraction(int((mechanism.weights[:, answer] * heights[apart]).sum()), mechanism.total)

    for answer in range(3):
        assert cost(one, answer) <= cost(other, answer)


@given(mechanisms(), mechanisms())
@settings(max_examples=60, deadline=None)
def test_a_counterexample_is_one(one, other):
    verdict = smaller(one, other)
    worse = any(
        sum(one.weights[k, j] for k in range(3) if abs(k - j) <= t) * other.total
        < sum(other.weights[k, j] for k in range(3) if abs(k - j) <= t) * one.total
        for j in range(3)
        for t in range(3)
    )
    assert verdict.holds is not worse
    assert smaller(one, one)


def test_corollary_1_needs_a_strict_loss():
    """Under a constant loss the worst mechanism minimises it, and is not minimal."""
    space = Grid.between(0, 3)
    flat = Goal(Loss.of_table([[1.0] * 4] * 4))
    uniform = Mechanism.of(space, space, Within(1), np.ones((4, 4), dtype=np.int64))
    constant = design(space, Within(1), 1, flat, method="plain", cache=None)
    assert constant.value == pytest.approx(1.0)
    best = design(space, Within(1), 1, cache=None).mechanism
    assert smaller(best, best)
    assert not smaller(uniform, best)


def test_others_are_refused():
    small, large = (
        Mechanism.of(
            Grid.between(0, n), Grid.between(0, n), AllPairs(), np.ones((n + 1, n + 1), int)
        )
        for n in (1, 2)
    )
    with pytest.raises(MechanismError, match="the same answers can be compared, got 2 and 3"):
        simulation(small, large)
    with pytest.raises(MechanismError, match="the same answers"):
        smaller(small, large)


def test_the_item_of_003_finds_the_slip_of_corollary_1():
    check_slips("003/order", ["Corollary 1: what minimises"])
    check_numbers("003/order")


def test_the_command_decides_both_ways():
    words = [
        "compare",
        "geometric",
        "laplace",
        "--range",
        "0",
        "4",
        "--neighbours",
        "1",
        "--epsilon",
        "1",
        "--simulates",
    ]
    told = CliRunner().invoke(app, [*words, "--json"])
    there, back = json.loads(told.stdout)["directions"]
    assert (there["simulates"], there["nearer_to_the_truth"]) == (True, True)
    assert back["simulates"] is False
    assert back["counterexample"]
    alone = CliRunner().invoke(app, ["compare", *words[2:]])
    assert (alone.exit_code, alone.stderr) == (
        2, "error: --simulates compares two mechanisms, got 1\n",
    )  # fmt: skip
