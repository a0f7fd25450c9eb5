"""The figures of 003 on a few points: numbers against the measures, claims against the numbers."""

import math

import pytest

from discreet.designer import count, design, mean
from discreet.measures import bayes_squared_error, expected_absolute_error
from discreet.mechanisms import laplace
from discreet.model import Grid, extended
from discreet.papers.p003 import (
    by_database,
    counts,
    discretisation,
    epsilons,
    ranges,
    sizes,
    snapping,
)
from discreet.papers.p003.lineup import LAPLACE, THE_PAPERS, VARIANT_1, VARIANT_2, LineupLosses
from discreet.papers.p003.sweep import LossLine, Sweep

FEW = ("0.1", "1")


def quiet(*_):
    pass


def failing(outcome):
    return [check.claim for check in outcome.checks if not check.holds]


def finite(outcome):
    series = [one for figure in outcome.figures for panel in figure.panels for one in panel.series]
    assert series
    assert all(math.isfinite(y) for one in series for y in one.y)


def test_losses_are_the_four_measures():
    query = mean(5, 0, 4)
    mechanism = laplace(query.answers, query.neighbours, "0.5")
    found = LineupLosses.of(LAPLACE.make(query, "0.5", None))
    assert found.absolute == expected_absolute_error(mechanism)
    assert found.bayes_squared == bayes_squared_error(mechanism)


def test_known_values_of_figure_4():
    sweep = epsilons.by_epsilon(epsilons.MEAN, ("0.2", "0.5"), THE_PAPERS, quiet)
    known = {(VARIANT_1, 0.2): 0.865501, (VARIANT_1, 0.5): 0.569997,
             (VARIANT_2, 0.2): 0.954428, (VARIANT_2, 0.5): 0.590136}  # fmt: skip
    for (entrant, epsilon), error in known.items():
        assert sweep.loss(entrant, "absolute", epsilon) == pytest.approx(error, abs=6e-7)


def test_figure_1_at_a_few_sizes():
    outcome = sizes.run("0.2", 1, (2, 10, 60), (80,), quiet)
    finite(outcome)
    assert failing(outcome) == [
        "the program's expense makes it impractical to derive mechanisms for large cases"
    ]
    ((size, answers, value, bound, *_),) = outcome.tables[0].rows
    assert (size, answers) == (80, 321)
    assert bound <= value


def test_figure_3_at_two_epsilons():
    outcome = discretisation.run(("1/2", "1", "2", "5"), FEW, quiet)
    finite(outcome)
    claims = {check.claim: check.holds for check in outcome.checks}
    assert any("coarser granularity in high privacy" in claim and holds
               for claim, holds in claims.items())  # fmt: skip
    assert any("even the uniform mechanism" in claim and holds for claim, holds in claims.items())


def test_tiles_cover_the_range_and_nothing_else():
    answers = Grid.between(0, 4, "1/10")
    for scale in ("2", "5", "10", "20"):
        tiles = discretisation.tiled(answers, scale)
        assert tiles.start - tiles.step / 2 == answers.start
        assert tiles.value(len(tiles) - 1) + tiles.step / 2 == answers.value(len(answers) - 1)


def test_figure_4_claims_hold():
    outcome = epsilons.run_mean(FEW, quiet)
    finite(outcome)
    assert failing(outcome) == []


def test_figure_7_at_two_epsilons():
    outcome = ranges.run(epsilons.MAX, 7, FEW, quiet)
    finite(outcome)
    assert failing(outcome) == ["any further widening of the range beyond 300 % has little impact"]


def test_an_extended_range_is_really_wider():
    mechanism = ranges.WIDENED[LAPLACE.label].make(count(5), "1", None)
    assert mechanism.outputs == extended(count(5).answers, 300)


def test_counts_have_a_mechanism_for_every_reader():
    outcome = counts.run(FEW, (2, 5, 30), quiet)
    finite(outcome)
    assert not [claim for claim in failing(outcome) if "geometric" in claim]


def test_snapping_keeps_and_loses_what_theorem_2_says():
    assert failing(snapping.run(quiet)) == []


def test_seeing_the_records_helps(monkeypatch):
    monkeypatch.setattr(by_database, "RECORDS", 3)
    outcome = by_database.run(("0.5", "2"), quiet)
    finite(outcome)
    assert failing(outcome) == []


def test_a_claim_that_is_false_is_called_so():
    """Variant 1 made worse than Laplace by hand: the check must notice."""
    sweep = epsilons.by_epsilon(epsilons.MEAN, ("1",), THE_PAPERS, quiet)
    swapped = {VARIANT_1.label: LAPLACE.label, LAPLACE.label: VARIANT_1.label}
    lines = tuple(
        LossLine(swapped.get(line.label, line.label), line.style, line.losses)
        for line in sweep.lines
    )
    wrong = Sweep(sweep.axis, sweep.points, lines)
    assert epsilons.best_of_all(sweep, "absolute").holds
    assert not epsilons.best_of_all(wrong, "absolute").holds


def test_a_figure_is_never_below_the_proven_bound():
    query = mean(7, 0, 4)
    found = design(query.answers, query.neighbours, "0.3")
    for entrant in THE_PAPERS:
        losses = LineupLosses.of(entrant.make(query, "0.3", None))
        assert min(losses.absolute, losses.bayes_absolute) >= found.lower_bound * (1 - 1e-9)
