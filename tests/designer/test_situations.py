"""Goals over several situations: the least worst standing, against one program with a row each."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet import Goal, GoalError, Grid, Prior, Situation, Situations, Within, certify, design
from discreet.databases import DatabaseGoal, design_by_database, median
from discreet.designer import queries
from discreet.designer.programs.program import NO_BOUND, Program, ProgramRows
from discreet.designer.programs.solver import solve
from discreet.designer.programs.written_out import plain_program
from discreet.designer.request import Request
from discreet.designer.situations.records import NAMES, RECORDS, situations_of
from discreet.model import AllPairs


def in_one_program(request, situations):
    """The plain program of 003 with a row for each situation: no code of the search is used."""
    bare = plain_program(request)
    _, variables = bare.shape
    cells = request.shape[0] * request.shape[1]
    blocks = [
        ProgramRows(
            name="bare",
            row=bare.entry_rows,
            column=bare.columns,
            value=bare.values,
            lower=bare.row_lower,
            upper=bare.row_upper,
        )
    ]
    for prior, scale, offset in situations:
        value = (request.loss * prior / scale).ravel()
        blocks.append(
            ProgramRows(
                name=f"s{len(blocks)}",
                row=np.zeros(cells + 1, dtype=np.int64),
                column=np.append(np.arange(cells), variables),
                value=np.append(value, -1.0),
                lower=np.array([-NO_BOUND]),
                upper=np.array([offset]),
            )
        )
    cost = np.append(np.zeros(variables), 1.0)
    lower, upper = np.append(bare.lower, -1e6), np.append(bare.upper, 1e6)
    return solve(Program.of(cost, lower, upper, blocks), "simplex").value


priors = st.lists(st.integers(0, 9), min_size=5, max_size=5).filter(sum)


@given(
    st.lists(priors, min_size=1, max_size=4),
    st.sampled_from([Within(1), Within(2), AllPairs()]),
    st.sampled_from(["0.3", "1", "log 3"]),
    st.sampled_from(["ratio", "regret"]),
    st.data(),
)
@settings(max_examples=15, deadline=None)
def test_the_worst_standing_is_that_of_one_program(weights, neighbours, epsilon, yardstick, data):
    answers = Grid.between(0, 4)
    references = [data.draw(st.fractions(Fraction(1, 10), 2)) for _ in weights]
    if yardstick == "regret":
        references = [reference / 20 for reference in references]
    shares = [[Fraction(one, sum(line)) for one in line] for line in weights]
    named = [
        Situation(f"s{k}", Prior.of(line), float(reference))
        for k, (line, reference) in enumerate(zip(shares, references, strict=True))
    ]
    goal = Goal.of(situations=Situations.of(named, yardstick))
    found = design(answers, neighbours, epsilon, goal, cache=None)
    certify(found.mechanism, epsilon)
    plain = [
        (
            np.array(line, dtype=float),
            *((float(r), 0.0) if yardstick == "ratio" else (1.0, float(r))),
        )
        for line, r in zip(shares, references, strict=True)
    ]
    expected = in_one_program(Request.of(answers, neighbours, epsilon), plain)
    assert found.lower_bound <= expected + 1e-8
    assert found.value == pytest.approx(expected, abs=3e-7)


def test_one_situation_is_its_prior():
    prior = Prior.of([0.5, 0.2, 0.2, 0.1])
    alone = design(Grid.between(0, 3), Within(1), 1, Goal.of(prior=prior), cache=None)
    only = Situations.of([Situation("only", prior, 1.0)])
    found = design(Grid.between(0, 3), Within(1), 1, Goal.of(situations=only), cache=None)
    assert found.value == pytest.approx(alone.value, rel=1e-9)


@pytest.mark.parametrize("require", ["none", "fair, symmetric", "column-monotone"])
def test_what_is_required_is_kept_in_the_mixture(require):
    asked = queries.mean(4, 0, 2)
    goal = Goal.of(situations=Situations.of(situations_of(asked, 4)))
    found = design(asked.answers, asked.neighbours, 1, goal, require, cache=None)
    assert found.gap < 1e-6
    loose = design(asked.answers, asked.neighbours, 1, goal, cache=None)
    assert found.value >= loose.lower_bound


def test_laws_of_records_are_those_of_enumeration():
    """All tables of three records over three values, weighed by the law of one record."""
    for name in RECORDS:
        law = RECORDS[name](3)
        table = law[:, None, None] * law[None, :, None] * law[None, None, :]
        places = np.indices((3, 3, 3)).reshape(3, -1)
        for asked, answer in [
            (queries.total(3, 0, 2), places.sum(axis=0)),
            (queries.median(0, 2), np.sort(places, axis=0)[1]),
            (queries.maximum(0, 2), places.max(axis=0)),
        ]:
            expected = np.bincount(answer, table.ravel(), minlength=len(asked.answers))
            (told,) = situations_of(asked, 3, [name])
            assert told.prior.probabilities(len(expected)) == pytest.approx(expected, abs=1e-12)


def test_regret_by_database_is_told_from_proven_bounds():
    best = design_by_database(median(), 4, [1, 2, 3], 1, DatabaseGoal.of(situations="all"))
    situations = best.design.request.goal.situations
    assert situations.names == NAMES
    for one in situations.each:
        weights = one.prior.probabilities(len(best.databases))
        alone = design_by_database(
            median(), 4, [1, 2, 3], 1, DatabaseGoal.of(prior=weights.tolist())
        )
        assert one.reference <= alone.value
        losses = best.mechanism.probabilities() * best.task.problem.loss
        assert (losses * weights).sum() - alone.value <= best.value + 1e-9
    assert best.gap < 1e-6


def test_goals_that_make_no_sense_are_refused():
    prior = Prior.of([0.5, 0.5])
    with pytest.raises(GoalError, match="at least one situation"):
        Situations.of([])
    with pytest.raises(GoalError, match="'a' is given twice"):
        Situations.of([Situation("a", prior), Situation("a", prior)])
    with pytest.raises(GoalError, match="ratio or regret, got 'best'"):
        Situations.of([Situation("a", prior)], "best")
    with pytest.raises(GoalError, match="makes no error, so a ratio to it does not exist"):
        Situations.of([Situation("a", prior, 0.0)])
    with pytest.raises(GoalError, match="give one of them"):
        Goal.of(worst_case=True, situations=Situations.of([Situation("a", prior)]))
    three = Goal.of(situations=Situations.of([Situation("a", prior)]))
    with pytest.raises(GoalError, match="situation 'a' has 2 numbers, but the space has 3 answers"):
        design(Grid.between(0, 2), Within(1), 1, three, cache=None)
