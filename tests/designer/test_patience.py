"""No design runs without end: a limit, or Ctrl-C, ends it with what there is and an honest gap."""

import time

import pytest

from discreet.certifier import certify
from discreet.designer import design
from discreet.designer.plain import method as plain_method
from discreet.designer.queries import mean
from discreet.designer.rays import method
from discreet.designer.request import Request, out_of_time, patience, seconds_left, value_above
from discreet.designer.simplest import even_line, simplest
from discreet.errors import DesignError, GoalError
from discreet.measures import properties
from discreet.mechanisms.catalogue import build
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


def not_in_time(*_, **__):
    raise DesignError("HiGHS did not solve it (time limit reached)")


@pytest.mark.parametrize(
    ("requirements", "delta", "goal"),
    [
        ("fair", 0, Goal()),
        ("column-monotone, every-output", 0, Goal.of("squared")),
        ("all", "0.01", Goal()),
        (None, "0.01", Goal()),
        (None, 0, Goal.of(worst_case=True)),
    ],
)
def test_nothing_in_time_is_the_best_simple_mechanism(monkeypatch, requirements, delta, goal):
    """Whatever is asked, a certified mechanism that has it, and a bound that holds."""
    asked = Grid.between(0, 12), Within(2), 1, goal, requirements
    in_time = design(*asked, delta=delta, cache=None)
    monkeypatch.setattr(plain_method, "solve", not_in_time)
    found = design(*asked, delta=delta, cache=None, seconds=1e-9, method="plain")
    assert found.method == "simple"
    assert certify(found.mechanism, 1, delta)
    wanted = found.request.requirements
    assert not properties(found.mechanism).missing(wanted)
    assert found.lower_bound <= in_time.value * (1 + 1e-9)
    assert found.value >= in_time.lower_bound * (1 - 1e-9)


def test_a_long_line_has_even_rays_in_no_time():
    asked = mean(50, 0, 99)
    request = Request.of(asked.answers, asked.neighbours, 1)
    found = simplest(request)
    assert certify(found.mechanism, 1)
    short = mean(6, 0, 9)
    small = Request.of(short.answers, short.neighbours, 1)
    even = even_line(small)
    assert value_above(small, even.mechanism) == pytest.approx(
        even.value if even.value is not None else value_above(small, even.mechanism), rel=1e-9
    )
    assert value_above(small, even.mechanism) < min(
        value_above(small, build("staircase", short.answers, short.neighbours, 1)),
        value_above(small, build("geometric", short.answers, short.neighbours, 1)),
    )


def test_what_is_too_large_to_be_written_out_in_time_is_refused_in_one_line():
    request = Request.of(Grid.between(0, 1_500), Within(1), 1, requirements="fair")
    with pytest.raises(DesignError, match="1,501 by 1,501 cells cannot be written out"):
        simplest(request)


@pytest.mark.parametrize("gently", [False, True])
def test_ctrl_c_in_a_plain_program_leaves_a_simple_mechanism_where_it_may(monkeypatch, gently):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("discreet.designer.programs.solver.run_highs", interrupted)
    asked = Grid.between(0, 9), Within(2), 1, None, "fair"
    with patience(60, gently=gently):
        if gently:
            found = design(*asked, cache=None)
            assert found.method == "simple"
            assert 0 < found.lower_bound <= found.value or found.lower_bound == 0
        else:
            with pytest.raises(KeyboardInterrupt):
                design(*asked, cache=None)


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
