"""No design runs without end: a limit, or Ctrl-C, ends it with what there is and an honest gap."""

import time

import pytest

from discreet.certifier import certify
from discreet.designer import design
from discreet.designer.queries import mean
from discreet.designer.rays import method
from discreet.designer.request import out_of_time, patience, seconds_left
from discreet.errors import DesignError, GoalError
from discreet.model import Goal, Grid, Within


def concentrated(records):
    """A mean of records in 0..4, and a prior that puts nearly everything on one answer."""
    asked = mean(records, 0, 4)
    weights = [1e-4] * len(asked.answers)
    weights[len(weights) // 3] = 1.0
    return asked, Goal.of("absolute", [weight / sum(weights) for weight in weights])


def test_a_concentrated_prior_is_designed_for():
    """The dual simplex loses itself on this program, at values up to 1e40; others do not."""
    asked, goal = concentrated(12)
    found = design(asked.answers, asked.neighbours, 1, goal, cache=None)
    plain = design(asked.answers, asked.neighbours, 1, goal, cache=None, method="plain")
    assert found.method == "rays"
    assert found.gap < 1e-8
    assert found.lower_bound <= plain.value * (1 + 1e-9)
    assert plain.lower_bound <= found.value * (1 + 1e-9)


def test_time_that_is_up_ends_a_search_with_its_gap():
    asked, goal = concentrated(50)
    started = time.monotonic()
    found = design(asked.answers, asked.neighbours, 1, goal, cache=None, seconds=1.5)
    assert time.monotonic() - started < 30
    assert certify(found.mechanism, 1)
    assert 0 <= found.lower_bound <= found.value


def test_nothing_in_time_is_an_error_that_says_so():
    goal = Goal.of(worst_case=True)
    with pytest.raises(DesignError, match="time limit"):
        design(Grid.between(0, 60), Within(4), 1, goal, cache=None, seconds=0.01, method="plain")


@pytest.mark.parametrize("gently", [False, True])
def test_ctrl_c_ends_a_search_gently_where_asked(monkeypatch, gently):
    asked, goal = concentrated(30)

    def interrupted(*_):
        raise KeyboardInterrupt

    bound = method.bound_and_rays
    monkeypatch.setattr(method, "bound_and_rays", lambda g, p, small: bound(g, p, -1.0))
    monkeypatch.setattr(method.Pool, "hold_levels", lambda *_: 1)
    solve = method.Pool.__init__

    def made(self, *given):
        solve(self, *given)
        first = self.program.solve
        calls = []

        def once(*how):
            calls.append(how)
            return first(*how) if len(calls) < 3 else interrupted()

        self.program.solve = once

    monkeypatch.setattr(method.Pool, "__init__", made)
    with patience(60, gently=gently):
        if gently:
            found = design(asked.answers, asked.neighbours, 1, goal, cache=None, method="rays")
            assert found.lower_bound <= found.value
        else:
            with pytest.raises(KeyboardInterrupt):
                design(asked.answers, asked.neighbours, 1, goal, cache=None, method="rays")


def test_limits_nest_and_bad_ones_are_refused():
    assert not out_of_time()
    with patience(1000), patience(5), patience(50):
        assert seconds_left() <= 5
    for bad in (0, -1, "x", True, float("nan")):
        with pytest.raises(GoalError, match="positive number of seconds"), patience(bad):
            pass
