"""Figures are what they say: beside brute force over tables, and beside matrices."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from discreet.exact import Epsilon
from discreet.model import Grid
from discreet.planning import Task, Wishes, choose, subject_of, true_index
from discreet.planning.candidates.blocks import best_blocks
from discreet.planning.candidates.by_database import Tables
from discreet.planning.candidates.by_rank import BY_RANK
from discreet.planning.subjects.priors import beliefs, sizes
from discreet.questions import conditions
from discreet.questions.conditions import chance_of, holds
from discreet.tables import NumberColumn
from planning.facts import asked, dataset, one_of, tallied

EPSILON = Epsilon.of("0.6")


def subject_for(sql, facts):
    question = asked(sql, facts)
    return subject_of(question.items[0], question, facts)


def answers_of_all_tables(subject, rows, condition=None):
    """How often each answer is true over all tables of so many rows of mood."""
    found = np.zeros(subject.size)
    for moods in product(range(5), repeat=rows):
        values = moods if condition is None else [int(condition(mood)) for mood in moods]
        found[true_index(subject, tallied(subject, values))] += 1
    return found / found.sum()


@pytest.mark.parametrize(
    "ask", ["SUM(mood)", "AVG(mood)", "MIN(mood)", "MEDIAN(mood)", "QUANTILE(mood, 0.9)"]
)
def test_the_prior_of_databases_is_that_of_all_tables(ask):
    subject = subject_for(f"SELECT {ask}", dataset(4))
    found = beliefs(subject, "databases").weights
    assert np.allclose(found, answers_of_all_tables(subject, 4), atol=1e-12)


def test_the_prior_of_a_count_follows_its_condition():
    subject = subject_for("SELECT COUNT(mood > 2)", dataset(4))
    wanted = answers_of_all_tables(subject, 4, lambda mood: mood > 2)
    assert np.allclose(beliefs(subject, "databases").weights, wanted, atol=1e-12)


def test_the_number_of_selected_rows_is_binomial_or_even():
    known = sizes(subject_for("SELECT MEDIAN(mood) WHERE clinic = 'A'", dataset(2)))
    assert np.allclose(known, [4 / 9, 4 / 9, 1 / 9])
    unknown = sizes(subject_for("SELECT MEDIAN(mood)", dataset(3, public=False)))
    assert np.allclose(unknown, 0.25)


@pytest.mark.parametrize("ask", ["MIN(mood)", "MEDIAN(mood)", "MAX(mood)"])
@pytest.mark.parametrize("many", [2, 3, 5])
def test_tables_of_blocks_stand_for_all_tables(ask, many):
    """Their joint law with the answer is what counting all tables gives."""
    subject = subject_for(f"SELECT {ask}", dataset(4))
    blocks = best_blocks((0.3, 0.1, 0.1, 0.2, 0.3), many)
    tables = Tables(subject, blocks)
    found = np.zeros((len(tables.databases), subject.size))
    block_of = blocks.block_of()
    for moods in product(range(5), repeat=4):
        counts = np.bincount(block_of[list(moods)], minlength=many)
        found[
            tables.databases.column(counts.tolist()), true_index(subject, tallied(subject, moods))
        ] += 1
    assert np.allclose(tables.joint("databases"), found / found.sum(), atol=1e-12)
    assert np.allclose(tables.joint("uniform").sum(axis=0), 0.2)


@pytest.mark.parametrize("wishes", [
    Wishes.of(prior="uniform"),
    Wishes.of(prior="uniform", loss="squared"),
    Wishes.of(prior="uniform", loss="zero-one"),
    Wishes.of(worst_case=True),
    Wishes.of(prior="databases"),
])  # fmt: skip
def test_noise_without_a_matrix_has_the_figures_of_its_matrix(wishes):
    """Clamped noise is the truncated geometric mechanism, to the rounding of its integers."""
    subject = subject_for("SELECT SUM(mood)", dataset(4))
    choice = choose(Task(subject, wishes, EPSILON, cache=None))
    by_name = {one.name: one.figures for one in choice.candidates}
    matrix, noise = by_name["geometric"], by_name["geometric noise"]
    for name in ("loss", "expected", "worst", "within"):
        assert getattr(noise, name) == pytest.approx(getattr(matrix, name), rel=1e-6)


def test_a_sum_too_long_for_a_matrix_still_has_candidates():
    facts = dataset(1_000_000, public=False)
    choice = choose(Task(subject_for("SELECT SUM(weight)", facts), Wishes(), EPSILON, cache=None))
    assert choice.best.name == "geometric noise"
    assert choice.best.figures.typical == pytest.approx((3 / 0.6, 3 / 0.6), rel=0.01)


@pytest.mark.parametrize("ask", ["MEDIAN(mood)", "MAX(mood)", "MODE(clinic)"])
@pytest.mark.parametrize("prior", ["uniform", "databases"])
def test_by_database_is_never_worse_than_by_answer(ask, prior):
    """With a column for every table it can do whatever a design by answer can."""
    subject = subject_for(f"SELECT {ask}", dataset(4))
    choice = choose(Task(subject, Wishes.of(prior=prior), EPSILON, cache=None))
    by_name = {one.name: one.figures.loss for one in choice.candidates}
    assert by_name["by database"] <= by_name["by answer"] * (1 + 1e-5)


def test_ratio_figures_agree_with_draws():
    """Simulated figures beside real draws on a table in the middle of the prior."""
    facts = dataset(400, public=False, change=False)
    subject = subject_for("SELECT AVG(mood)", facts)
    choice = choose(Task(subject, Wishes.of(prior="databases"), Epsilon.of(1), cache=None))
    release = choice.best.release
    table = tallied(subject, dict.fromkeys(range(5), 40))
    near = sum(abs(one_of(release, table) - 2) <= Fraction(1, 10) for _ in range(300))
    assert near >= 240
    assert choice.best.figures.simulated


@pytest.mark.parametrize("change", [True, False])
@pytest.mark.parametrize("where", ["", " WHERE clinic = 'A'"])
def test_the_expected_error_is_that_of_all_tables(where, change):
    """Every table of two rows, answered by its own column of the design by database."""
    facts = dataset(2, change=change)
    subject = subject_for(f"SELECT MEDIAN(mood){where}", facts)
    choice = choose(Task(subject, Wishes.of(prior="databases"), Epsilon.of(3), cache=None))
    found = next(one for one in choice.candidates if one.name == "by database")
    mechanism = found.release.certified.mechanism
    chances = mechanism.probabilities()
    told = np.array([float(value) for value in mechanism.outputs.values()])
    errors = []
    for rows in product(product(range(5), range(3)), repeat=2):
        moods = [mood for mood, clinic in rows if clinic == 0 or not where]
        table = tallied(subject, moods)
        law = chances[:, found.release.column(table)]
        errors.append(law @ np.abs(told - true_index(subject, table)))
    assert np.mean(errors) == pytest.approx(found.figures.expected, rel=1e-9)
    assert found.figures.expected <= 0.9 * choice.baseline.figures.expected


def test_a_simulated_error_is_not_told_too_small_by_chance():
    """One table in nineteen has no row at the top: an answer that is always the top errs there."""
    column = NumberColumn("share", Grid.between(0, 40), Fraction(0), True)
    facts = dataset(120, columns=(column,))
    elsewhere = (40 / 41) ** 120
    assert 0.05 < elsewhere < 0.055
    task = Task(
        subject_for("SELECT MAX(share)", facts), Wishes.of(prior="databases"), Epsilon.of("0.5")
    )
    candidate = BY_RANK.make(task)
    assert candidate.figures.within >= 1


@pytest.mark.parametrize("condition", [
    "mood > 1", "mood > 1 AND clinic = 'A'", "NOT (mood IN (1, 3)) OR clinic <> 'B'", "TRUE",
    "FALSE", "mood < 0", "weight > 0.5 OR mood >= 0", "(mood = 1 AND clinic = 'A') OR weight = 2",
])  # fmt: skip
def test_the_chance_of_a_condition_is_its_share_of_all_rows(condition, monkeypatch):
    facts = dataset(4)
    read = asked(f"SELECT COUNT({condition})", facts).items[0].condition
    two = read, asked("SELECT COUNT(mood > 2)", facts).items[0].condition
    whole = conditions.patterns(two, facts)
    sizes = [range(column.size) for column in facts.columns]
    names = [column.name for column in facts.columns]
    every = [dict(zip(names, row, strict=True)) for row in product(*sizes)]
    share = Fraction(sum(holds(read, row) for row in every), len(every))
    assert chance_of(read, facts) == share
    monkeypatch.setattr(conditions, "_AT_ONCE", 4)  # in blocks they are the same rows
    assert chance_of.__wrapped__(read, facts) == share
    assert conditions.patterns.__wrapped__(two, facts) == whole
