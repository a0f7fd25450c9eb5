"""Where no prior is stated: judged on public shapes, never much worse than a plain candidate."""

from fractions import Fraction

import numpy as np
import pytest

from discreet.errors import GoalError
from discreet.exact import Epsilon
from discreet.model import Grid, LossName
from discreet.planning import Misfit, Task, Wishes, choose, plan, subject_of
from discreet.planning.candidates.candidate import loss_name
from discreet.planning.judging import CAP, judging_of, shapes
from discreet.planning.reasons import Best
from discreet.planning.words import sense_text
from discreet.statistics import Moments
from discreet.tables import NumberColumn
from planning.facts import COLUMNS, asked, dataset, tallied

AGE = NumberColumn("age", Grid.between(0, 50), Fraction(0), True)
ASKS = (
    "MEDIAN(mood)",
    "MIN(age)",
    "MAX(mood)",
    "MODE(clinic)",
    "AVG(mood)",
    "SUM(weight)",
    "COUNT(mood = 2)",
    "SPREAD(mood)",
)
EPSILON = Epsilon.of("0.7")


def subject_for(sql, facts):
    question = asked(sql, facts)
    return subject_of(question.items[0], question, facts)


@pytest.mark.parametrize("where", ["", " WHERE mood > 1"])
@pytest.mark.parametrize("ask", ASKS)
def test_nobody_is_much_worse_than_plain_on_any_shape(ask, where):
    """Who is kept keeps the cap, who is left out for it breaks it, and the least mean is first."""
    facts = dataset(20, columns=(*COLUMNS, AGE))
    task = Task(subject_for(f"SELECT {ask}{where}", facts), Wishes(), EPSILON, cache=None)
    choice = choose(task)
    assert choice.sense.kind is Best.SAFE
    by_name = {one.name: one for one in choice.candidates}
    plain = by_name[choice.sense.plain]
    judging, name = judging_of(task.subject), loss_name(task.subject, task.wishes)
    reference = judging.losses(plain.release, name)
    for one in choice.candidates:
        ratios = judging.ratios(judging.losses(one.release, name), reference, name)
        assert ratios.max() <= CAP
        low, high = one.figures.typical
        assert low <= high
        assert one.figures.loss >= choice.best.figures.loss * (1 - 1e-9)
    for _, why in choice.left_out:
        assert why.kind is not Misfit.ERRS_MORE or why.ratio > CAP


@pytest.mark.parametrize("ask", ["MEDIAN(age)", "QUANTILE(age, 0.9)", "MIN(age)", "MAX(age)"])
@pytest.mark.parametrize(("rows", "times"), [(100, 0.95), (600, 0.7)])
def test_of_many_rows_the_plain_rule_stays_unless_another_gains_much(rows, times, ask):
    """A little is won on shapes only; by the law of permute-and-flip, as rules are compared."""
    for epsilon in ("0.02", "0.3", "1"):
        facts = dataset(rows, columns=(*COLUMNS, AGE))
        subject = subject_for(f"SELECT {ask}", facts)
        choice = choose(Task(subject, Wishes(), Epsilon.of(epsilon), cache=None))
        by_name = {one.name: one.release.reference for one in choice.candidates}
        if "by rank, tuned" not in by_name:
            continue
        judging = judging_of(subject)
        tuned, plain = (
            judging.mean(judging.losses(by_name[name], LossName.ABSOLUTE), LossName.ABSOLUTE) + 0.25
            for name in ("by rank, tuned", "by rank")
        )
        assert tuned <= times * plain


@pytest.mark.parametrize("epsilon", ["0.1", "1"])
@pytest.mark.parametrize("rows", [10, 30])
def test_means_are_nowhere_much_worse_than_noise(rows, epsilon):
    """Not at the ends of a loose range either, where no shape has its rows."""
    facts = dataset(rows, columns=(*COLUMNS, AGE))
    subject = subject_for("SELECT AVG(age)", facts)
    choice = choose(Task(subject, Wishes(), Epsilon.of(epsilon), cache=None))
    (plain,) = [one for one in choice.candidates if one.name == choice.sense.plain]
    tables = [Moments(rows, total) for total in range(0, 50 * rows + 1, rows)]
    ours, theirs = (one.release.losses(tables, LossName.ABSOLUTE) for one in (choice.best, plain))
    assert (ours / theirs).max() <= 1.25


@pytest.mark.parametrize("ask", ASKS)
def test_losses_on_tables_are_those_of_the_draws(ask):
    """The expected loss that plans are made by, beside the mean of many draws."""
    facts = dataset(5, columns=(*COLUMNS, AGE))
    subject = subject_for(f"SELECT {ask}", facts)
    chosen = choose(Task(subject, Wishes(), EPSILON, cache=None)).best
    table = tallied(subject, [0, 1, 1, 0, 1])
    (loss,) = chosen.release.losses([table], LossName.ZERO_ONE)
    draw = chosen.release.sampler(table)
    true = subject.statistic.place(table, subject.form)
    many = 2000
    told = [chosen.release.told(draw(), Fraction(1, 2)).value for _ in range(many)]
    exact = subject.labels.value(true) if subject.labels else subject.start + subject.unit * true
    wrong = sum(value != exact for value in told)
    assert abs(wrong - many * loss) < 5.5 * np.sqrt(many) / 2 + 1


@pytest.mark.parametrize("rows", [3, 40])
def test_every_shape_is_a_law_of_as_many_rows(rows):
    judging = judging_of(subject_for("SELECT MEDIAN(mood)", dataset(rows)))
    assert judging.weights.sum() == pytest.approx(1)
    assert {table.rows for table in judging.tables} == {rows}


@pytest.mark.parametrize("values", [2, 11, 101])
def test_shapes_are_neutral_but_for_a_low_of_zero(values):
    """Reflected, the family is the same family."""
    laws = shapes(values, from_zero=False).laws
    assert np.allclose(laws.sum(axis=1), 1)
    for law in laws:
        assert min(np.abs(laws - law[::-1]).sum(axis=1)) < 1e-9
    assert len(shapes(values, from_zero=True).laws) > len(laws) or values < 12


def test_the_same_question_is_the_same_question_as_before():
    """What nobody wished for leaves no trace in what is stored; what is stated does."""
    assert Wishes().to_dict() == Wishes.of().to_dict() == {
        "loss": None,
        "prior": "uniform",
        "worst_case": False,
        "requirements": [],
        "unbiased": False,
        "confidence": "19/20",
        "remap": None,
        "consistent": False,
    }  # fmt: skip
    assert Wishes.of(prior="uniform").to_dict() != Wishes().to_dict()
    assert Wishes.of(mechanism="by rank").to_dict() != Wishes().to_dict()


def test_a_stated_prior_or_the_worst_case_keeps_its_own_sense():
    facts = dataset(6)
    for wishes, kind in (
        (Wishes.of(prior="uniform"), Best.STATED_PRIOR),
        (Wishes.of(worst_case=True), Best.WORST_CASE),
        (Wishes(), Best.SAFE),
    ):
        part = plan(asked("SELECT AVG(mood)", facts), facts, epsilon=1, wishes=wishes).parts[0]
        assert part.choice.sense.kind is kind
        assert part.to_dict()["best"] == sense_text(part.choice.sense)


def test_a_mechanism_may_be_named():
    facts = dataset(6)
    question = asked("SELECT MEDIAN(mood)", facts)
    for name in ("by rank", "by answer", "staircase"):
        made = plan(question, facts, epsilon=1, wishes=Wishes.of(mechanism=name), cache=None)
        assert made.parts[0].chosen.name == name
        assert made.parts[0].choice.sense.kind is Best.ASKED_FOR


@pytest.mark.parametrize("name", ["by rnk", "by frequency", "sum over count"])
def test_a_mechanism_that_does_not_apply_names_those_that_do(name):
    facts = dataset(6)
    question = asked("SELECT MEDIAN(mood)", facts)
    with pytest.raises(GoalError) as caught:
        plan(question, facts, epsilon=1, wishes=Wishes.of(mechanism=name), cache=None)
    told = str(caught.value)
    assert name in told
    assert "by rank" in told
    assert "\n" not in told
