"""Whole questions never err more than separate answers, weighted by importance, for the same ε.

Counts, moments, quantiles and ranges of a question in any mixture; then workloads.

The figures are those that plans show: exact where the error is the same for every table, else those
that choices are made by.
"""

import math
import os
from contextlib import contextmanager
from fractions import Fraction

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from discreet.errors import DiscreetError
from discreet.exact import Epsilon
from discreet.model import Grid, Labels
from discreet.planning import Wishes, plan
from discreet.planning.candidates.candidate import loss_name
from discreet.planning.joint import weighing
from discreet.planning.judging import judging_of
from discreet.planning.releases.sums import SumsRelease
from discreet.tables import CategoryColumn, NumberColumn
from planning.facts import asked, dataset

QUESTIONS = 200 if os.environ.get("DISCREET_SOAK") else 8
STATISTICS = (
    "COUNT(*)", "COUNT(g = 'a')", "COUNT(x >= 2)", "COUNT(x <= 1)", "COUNT(y > 20)",
    "COUNT(h = 'p')", "COUNT(g = 'b' AND x > 1)", "SHARE(g = 'a')", "SUM(x)", "SUM(y)", "AVG(x)",
    "AVG(y)", "MEDIAN(x)", "QUANTILE(x, 0.25)", "QUANTILE(x, 0.75)", "QUANTILE(y, 0.1)",
    "MEDIAN(y)", "QUANTILE(y, 0.9)", "MAX(x)", "MODE(h)", "IQR(x)", "IQR(y)", "COUNT(y <= 5)",
    "COUNT(y <= 10)", "COUNT(y <= 15)", "COUNT(y BETWEEN 5 AND 20)", "STDDEV(y)", "CORR(x, y)",
)  # fmt: skip


@st.composite
def tables(draw):
    """Declared facts: columns with gaps or without, either relation, people with several rows."""
    gaps = draw(st.booleans())

    def number(name, most):
        filled = None if gaps else Fraction(0)
        return NumberColumn(name, Grid.between(0, most), filled, True, complete=not gaps)

    def words(name, values):
        last = None if gaps else values[-1]
        return CategoryColumn(name, Labels.of(values), last, complete=not gaps)

    other = ["other"] if gaps else []
    columns = (
        number("x", draw(st.sampled_from([3, 5, 12]))),
        number("y", draw(st.sampled_from([30, 60]))),
        words("g", ["a", "b", "c"][: draw(st.integers(2, 3))] + other),
        words("h", ["p", "q", *other]),
    )
    change = draw(st.booleans())
    return dataset(
        draw(st.sampled_from([25, 120, 900])),
        public=change and draw(st.booleans()),
        change=change,
        per_person=draw(st.sampled_from([1, 1, 2])),
        columns=columns,
    )


questions = st.builds(
    lambda statistics, where, by: f"SELECT {', '.join(statistics)} {where} {by}",
    st.lists(st.sampled_from(STATISTICS), min_size=2, max_size=4, unique=True),
    st.sampled_from(["", "", "WHERE h = 'p'", "WHERE y <= 25"]),
    st.sampled_from(["", "", "GROUP BY g", "GROUP BY g, h"]),
)


@contextmanager
def _apart():
    """Plans with an answer for each statistic."""
    kept, weighing.JOINERS = weighing.JOINERS, ()
    try:
        yield
    finally:
        weighing.JOINERS = kept


@settings(max_examples=QUESTIONS, deadline=None, suppress_health_check=list(HealthCheck))
@given(tables(), questions, st.sampled_from(["0.3", "1", "4"]), st.data())
def test_together_is_never_worse(facts, sql, epsilon, data):
    try:
        question = asked(sql, facts)
        many = len(question.items)
        weights = data.draw(st.none() | st.tuples(*[st.sampled_from([1, 2, 5, 30])] * many))
        wishes = Wishes.of(importance=weights)
        with _apart():
            alone = plan(question, facts, epsilon=epsilon, wishes=wishes)
    except DiscreetError:
        return
    made = plan(question, facts, epsilon=epsilon, wishes=wishes)
    most = Epsilon.of(epsilon).billionths
    assert alone.cost.total <= most
    assert made.cost.total <= min(most, alone.cost.total + _lost(alone.parts))
    told = [float(one) for one in wishes.importance or (Fraction(1),) * many]
    errors = 0.0
    for weight, ours, theirs in zip(told, made.parts, alone.parts, strict=True):
        assert ours.subject == theirs.subject
        judged = loss_name(ours.subject, wishes)
        unnoticed = judging_of(ours.subject).quarter(judged)
        figures = ours.chosen.figures, theirs.chosen.figures
        errors += weight * (figures[0].loss + unnoticed) / (figures[1].loss + unnoticed)
    assert errors <= sum(told) * (1 + 1e-9)
    places = [place for one in made.joined for place in one.places]
    assert len(set(places)) == len(places)
    for one in made.joined:
        parts = [alone.parts[place] for place in one.places]
        before = sum(part.cost.total for part in parts)
        assert one.epsilon.billionths <= before + _lost(parts)


def _lost(parts):
    """Billionths that are left over at most where each group is given as many; one draw for all
    groups uses them."""
    return sum(part.sharing.factor - 1 for part in parts)


SETS = ("CUBE(g, h)", "ROLLUP(g, h)", "GROUPING SETS ((g), (h))", "ROLLUP(g, x)")


@settings(max_examples=QUESTIONS, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    tables(),
    st.sampled_from([f"COUNT(*) GROUP BY {one}" for one in SETS])
    | st.sampled_from(["CUMULATIVE(x)", "CUMULATIVE(y)", "CUMULATIVE(y, 10)"]),
    st.sampled_from(["", " WHERE y <= 25"]),
    st.sampled_from(["0.3", "1", "4"]),
)
def test_workloads_are_never_worse(facts, told, where, epsilon):
    """Than a count for each with an even share of ε; errors of workloads hold for every table."""
    aggregate, _, by = told.partition(" ")
    try:
        question = asked(f"SELECT {aggregate}{where} {by}", facts)
        (part,) = plan(question, facts, epsilon=epsilon).parts
    except DiscreetError:
        return
    release = part.chosen.release
    assert isinstance(release, SumsRelease)
    rate = float(epsilon) / len(release.errors) / facts.unit.most_rows
    alone = math.sqrt(2 * math.exp(-rate)) / -math.expm1(-rate)
    assert release.levels.rmse <= alone * (1 + 1e-9)
