"""What is charged can be drawn: whatever public facts are like, a plan refuses or can be drawn."""

import json
import os
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.errors import DiscreetError
from discreet.exact import Epsilon
from discreet.model import Grid, Labels
from discreet.planning import Wishes, plan
from discreet.planning.subjects.subject import extremes
from discreet.statistics import Moments
from discreet.tables import CategoryColumn, NumberColumn
from planning.facts import asked, dataset

EXAMPLES = 2_000 if os.environ.get("DISCREET_SOAK") else 25
ASKED = (
    "SELECT COUNT(*)",
    "SELECT COUNT(pay > 0)",
    "SELECT SHARE(pay > 0)",
    "SELECT SUM(pay)",
    "SELECT AVG(pay)",
    "SELECT SUM(pay) WHERE clinic = 'A'",
    "SELECT AVG(pay) GROUP BY clinic",
    "SELECT TOP(clinic, 2)",
    "SELECT MODE(clinic)",
    "SELECT MEDIAN(level)",
)
CLINIC = CategoryColumn("clinic", Labels.of(["A", "B", "other"]), "other")
LEVEL = NumberColumn("level", Grid.between(0, 3), Fraction(0), True)


@st.composite
def public_facts(draw):
    """Extreme sizes, ranges and steps, all of which a dataset file may declare."""
    size = draw(st.sampled_from([2, 70, 2_000, 1_000_001, 2_000_000]))
    start = draw(st.sampled_from(["0", "-1", "1e15", "-7/3", "-1e12"]))
    step = draw(st.sampled_from(["1", "0.001", "1e9", "1/3"]))
    grid = Grid(Fraction(start), Fraction(step), size)
    columns = (NumberColumn("pay", grid, grid.start, False), CLINIC, LEVEL)
    return dataset(
        draw(st.sampled_from([1, 9, 1_000, 60_000])),
        public=draw(st.booleans()),
        change=draw(st.booleans()),
        per_person=draw(st.sampled_from([1, 7])),
        columns=columns,
    )


@given(
    public_facts(),
    st.sampled_from(ASKED),
    st.sampled_from(["1e-9", "1e-8", "1e-6", "0.01", "1", "50"]),
    st.sampled_from([Fraction(1, 10), Fraction(19, 20), 1 - Fraction(1, 10**9)]),
    st.booleans(),
)
@settings(max_examples=EXAMPLES, deadline=None)
def test_a_plan_refuses_or_every_table_can_be_drawn_for(facts, sql, epsilon, confidence, unbiased):
    question = asked(sql, facts)
    wishes = Wishes(confidence=confidence, unbiased=unbiased)
    try:
        made = plan(question, facts, epsilon=epsilon, wishes=wishes, cache=None)
    except DiscreetError:
        return
    for part in made.parts:
        for counted in extremes(part.subject):
            groups = (counted,) * made.grouping.counted
            for ready in part.chosen.release.ready_by_group(groups, confidence):
                drawn = ready.draw()
                json.dumps([str(drawn.value), str(drawn.interval)])


def test_means_of_a_million_values_at_next_to_no_epsilon_are_refused_before_the_charge():
    """They were charged first, and then failed: the noise of the sum does not fit 64 bits."""
    pay = NumberColumn("pay", Grid.between(0, 1_000_000), Fraction(0), True)
    facts = dataset(50, public=False, columns=(pay,))
    with pytest.raises(DiscreetError, match="noise"):
        plan(asked("SELECT AVG(pay)", facts), facts, epsilon="1e-9", cache=None)
    made = plan(asked("SELECT AVG(pay)", facts), facts, epsilon="1e-8", cache=None)
    made.ready([[Moments(50, 0)]]).draw()


def test_a_candidate_that_cannot_be_drawn_from_is_left_out(monkeypatch):
    """Where another one can be had, the question is answered by that one."""
    monkeypatch.setattr("discreet.sampling.laplace.SMALLEST_RATE", Fraction(10))
    facts = dataset(6, public=False)
    part = plan(asked("SELECT COUNT(*)", facts), facts, epsilon=Epsilon.of(1), cache=None).parts[0]
    assert "geometric noise" in {name for name, _ in part.choice.left_out}
    assert part.chosen.name == "by answer"
