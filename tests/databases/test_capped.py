"""Programs by database with caps: against plain programs, and what there is none of."""

import math

import highspy
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from databases.strategies import epsilons
from discreet.certifier import certify
from discreet.databases import DatabaseGoal, Databases, median, quantile
from discreet.databases.capped import Caps, solved_with_caps
from discreet.databases.solving import solved
from discreet.databases.task import DatabaseTask
from discreet.errors import DesignError, NotCertified
from discreet.model import Grid, Mechanism


def problem_of(statistic, records, values, epsilon, prior="databases"):
    databases = Databases.of(records, Grid.between(1, values))
    return DatabaseTask.of(
        statistic, databases, epsilon, DatabaseGoal.of("absolute", prior)
    ).problem


def caps_of(problem, costs, most, **price):
    """A cap on each of some expected costs, given as matrices."""
    cap, output, database = np.nonzero(np.array(costs))
    return Caps(
        cap=cap,
        output=output,
        database=database,
        cost=np.array(costs)[cap, output, database],
        most=np.array(most),
        **price,
    )


def plain_optimum(problem, costs, most, price=None):
    """The same program handed to HiGHS row by row; None where there is no solution."""
    highs = highspy.Highs()
    highs.silent()
    ratio = math.exp(float(problem.request.epsilon))
    expected = problem.loss * problem.weights
    cells = np.array([[highs.addVariable(0, 1, cost) for cost in line] for line in expected])
    for one, other in problem.databases.pairs.tolist():
        for row in cells:
            highs.addConstr(row[one] <= ratio * row[other])
            highs.addConstr(row[other] <= ratio * row[one])
    for column in cells.T:
        highs.addConstr(sum(column[1:], start=column[0]) == 1)
    for cost, cap in zip(costs, most, strict=True):
        beyond = highs.addVariable(0, 0 if price is None else highspy.kHighsInf, price or 0)
        total = sum((c * x for c, x in zip(cost.ravel(), cells.ravel(), strict=True)), start=0)
        highs.addConstr(total - beyond <= cap)
    highs.run()
    if highs.getModelStatus() != highspy.HighsModelStatus.kOptimal:
        return None
    return highs.getInfo().objective_function_value


def losses_by_value(problem):
    """What tables cost whose rows are mostly at the first, and mostly at the last value."""
    shares = problem.databases.counts / problem.databases.largest
    return [problem.loss * (shares[:, end] ** 2 / (shares[:, end] ** 2).sum()) for end in (0, -1)]


@settings(max_examples=25, deadline=None)
@given(
    quarters=st.integers(0, 4),
    records=st.integers(1, 3),
    values=st.integers(2, 3),
    epsilon=epsilons,
    share=st.sampled_from([0.3, 0.7, 1.0, 1.3]),
    price=st.sampled_from([None, 0.5, 3.0]),
)
def test_caps_cost_what_a_plain_program_says(quarters, records, values, epsilon, share, price):
    """The same optimum, or neither finds a mechanism."""
    problem = problem_of(quantile(f"{quarters}/4"), records, values, epsilon)
    costs = losses_by_value(problem)
    free = solved(problem).mechanism.probabilities()
    most = [share * float((cost * free).sum()) for cost in costs]
    best = plain_optimum(problem, costs, most, price)
    caps = caps_of(problem, costs, most, price=price)
    if best is None:
        with pytest.raises(DesignError):
            solved_with_caps(problem, [caps])
        return
    try:
        found = solved_with_caps(problem, [caps])
    except DesignError:
        assert price is None, "what may be paid for is never refused"
        assert share < 1.01 or min(most) < 1e-6, "there is room above the optimum"
        return
    assert found.value == pytest.approx(best, rel=2e-3, abs=1e-5)
    assert found.lower_bound <= best * (1 + 1e-9) + 1e-9
    chances = found.mechanism.probabilities()
    if price is None:
        assert (caps.sums(chances) <= np.array(most) * (1 + 2e-4) + 1e-12).all()
    certify(found.mechanism, epsilon)


def test_a_cap_that_nobody_keeps_means_no_mechanism():
    problem = problem_of(median(), 4, 3, "0.5")
    nothing = [0.01 * float((problem.loss * problem.weights).min(axis=0).sum() + 1e-3)]
    for most, why in ((nothing, "no solution"), ([-1.0], "stays within the caps")):
        caps = caps_of(problem, [problem.loss * problem.weights], most)
        with pytest.raises(DesignError, match=why):
            solved_with_caps(problem, [caps])


def test_the_certifier_refuses_a_broken_matrix():
    """One unit moved from the best cell of a column to another that must stay small."""
    problem = problem_of(median(), 4, 3, "0.5")
    loose = caps_of(problem, [problem.loss * problem.weights], [10.0])
    found = solved_with_caps(problem, [loose]).mechanism
    certify(found, "0.5")
    weights = found.weights.copy()
    weights[:, 0] = [found.total, 0, 0]
    with pytest.raises(NotCertified):
        certify(Mechanism.of(found.answers, found.outputs, found.neighbours, weights), "0.5")
