"""Counts by group of few rows, drawn as one table: privacy and intervals by enumeration."""

import itertools
from fractions import Fraction

import numpy as np
import pytest

from discreet.budget import Single
from discreet.curator.stored.sums import NoiseOfSums
from discreet.planning import Wishes, plan
from discreet.planning.candidates.small_tables import _likely
from discreet.planning.consistency import consistent_counts
from discreet.statistics import Moments
from planning.facts import asked, dataset

SURE = Fraction(19, 20)
BY_CLINIC = "SELECT COUNT(*) GROUP BY clinic"
WHERE = "SELECT COUNT(*) WHERE mood > 1 GROUP BY clinic"
RATIOS = {
    "0.5": Fraction("1.64872127070012814684865078781416357165"),
    "1": Fraction("2.71828182845904523536028747135266249775"),
}
"""e^ε, cut after 38 digits."""


def _made(sql=BY_CLINIC, rows=6, per_person=1, epsilon="0.5", name="whole tables", **wished):
    facts = dataset(rows, per_person=per_person)
    wishes = Wishes.of(**wished)
    (part,) = plan(asked(sql, facts), facts, epsilon=epsilon, cache=None, wishes=wishes).parts
    return next(one for one in part.choice.candidates if one.name == name), part


def _tables(rows, cells):
    """All tables, by hand."""
    every = itertools.product(range(rows + 1), repeat=cells)
    return [one for one in every if sum(one) == rows]


@pytest.mark.parametrize(
    ("sql", "rows", "cells", "epsilon"), [(BY_CLINIC, 6, 3, "0.5"), (WHERE, 4, 4, "1")]
)
def test_neighbouring_tables_lead_to_any_table_within_epsilon(sql, rows, cells, epsilon):
    """Every pair of tables that differ in one row, every output, in whole numbers."""
    candidate, _ = _made(sql, rows, epsilon=epsilon)
    release, ratio = candidate.release, RATIOS[epsilon]
    tables = _tables(rows, cells)
    assert [tuple(line) for line in release.databases.counts.tolist()] == tables
    names = release.certified.mechanism.answers.names
    assert [tuple(map(int, name.split("."))) for name in names] == tables
    weights = release.certified.mechanism.weights.astype(object)
    pairs = [
        (one, other)
        for (one, left), (other, right) in itertools.permutations(enumerate(tables), 2)
        if sum(abs(a - b) for a, b in zip(left, right, strict=True)) == 2
    ]
    assert len(pairs) > len(tables)
    for one, other in pairs:
        assert (weights[:, one] * ratio.denominator <= weights[:, other] * ratio.numerator).all()


@pytest.mark.parametrize("per_person", [2, 3])
def test_several_rows_of_a_person_are_so_many_steps(per_person):
    """Every pair of tables that differ in so many rows, every output, in whole numbers."""
    candidate, _ = _made(per_person=per_person, epsilon="1")
    tables, ratio = np.array(_tables(6, 3)), RATIOS["1"]
    apart = np.abs(tables[:, None] - tables[None, :]).sum(axis=2) // 2
    weights = candidate.release.certified.mechanism.weights.astype(object)
    for one, other in np.argwhere((apart > 0) & (apart <= per_person)).tolist():
        most = weights[:, other] * ratio.numerator
        assert (weights[:, one] * ratio.denominator <= most).all()
    assert candidate.epsilon.billionths <= 10**9


@pytest.mark.parametrize("name", ["whole tables", "remapped tables"])
@pytest.mark.parametrize(("sql", "rows", "epsilon"), [(BY_CLINIC, 6, "0.5"), (WHERE, 4, "1")])
def test_intervals_hold_the_truth_in_every_table(sql, rows, epsilon, name):
    wished = {"prior": "uniform"} if name == "remapped tables" else {}
    candidate, _ = _made(sql, rows, epsilon=epsilon, name=name, **wished)
    release = candidate.release
    counts = release.databases.counts
    holding = {told: release.told(told, SURE).interval for told in range(rows + 1)}
    for table, line in enumerate(counts.tolist()):
        for group in range(3):
            held = sum(
                release.weights[group, told, table]
                for told, (low, high) in holding.items()
                if low <= line[group] <= high
            )
            assert held >= SURE * release.total
    assert all(low <= told <= high for told, (low, high) in holding.items())


@pytest.mark.parametrize(("rows", "epsilon"), [(10, "0.5"), (25, "0.2")])
def test_replies_to_noise_err_little_more_than_noise_in_any_table(rows, epsilon):
    """The safe rule for every table there is; both figures from laws, written out here."""
    candidate, part = _made(rows=rows, epsilon=epsilon, name="remapped tables")
    release = candidate.release
    plain = next(one for one in part.choice.candidates if one.name == "together").release
    counts = release.databases.counts
    apart = np.abs(np.arange(rows + 1)[None, :, None] - counts.T[:, None])
    ours = (apart * (release.weights / release.total)).sum(axis=1).mean(axis=0)
    by_count = plain.losses([Moments(many, many) for many in range(rows + 1)], "absolute")
    ratios = (ours + 0.25) / (by_count[counts].mean(axis=1) + 0.25)
    assert ratios.max() <= 1.1
    assert ratios.min() < 0.9


def test_among_more_tables_than_a_program_takes_a_prior_has_the_best_replies():
    candidate, part = _made(rows=30, epsilon="0.5", name="remapped tables", prior="uniform")
    assert part.chosen is candidate
    assert part.cost == Single(500_000_000)
    ((gauge, certified),) = candidate.release.gauges
    assert gauge == "½ Σ |z|, Σ z = 0; released is the best reply"
    body = {"gauge": gauge, **certified.mechanism.facts}
    assert NoiseOfSums.of([{"parts": [0], "body": body}], 0) is None  # sums are not the noise's
    assert candidate.certificate == certified.certificate.digest
    by_answer = next(one for one in part.choice.candidates if one.name == "by answer")
    assert candidate.figures.loss < 0.75 * by_answer.figures.loss
    facts = dataset(30)
    wishes = Wishes.of(prior="uniform")
    made = plan(asked(BY_CLINIC, facts), facts, epsilon="0.5", cache=None, wishes=wishes)
    for _ in range(10):
        (drawn,) = made.ready([[Moments(27, 27), Moments(3, 3), Moments(0, 0)]]).draw()
        assert sum(one.value for one in drawn) == 30
        assert min(one.value for one in drawn) >= 0


def test_told_counts_are_those_of_one_table():
    candidate, part = _made(rows=10)
    assert part.chosen is candidate
    assert part.cost == Single(500_000_000)
    facts = dataset(10)
    made = plan(asked(BY_CLINIC, facts), facts, epsilon="0.5", cache=None)
    seen = set()
    for _ in range(30):
        (drawn,) = made.ready([[Moments(7, 7), Moments(3, 3), Moments(0, 0)]]).draw()
        told = tuple(one.value for one in drawn)
        assert sum(told) == 10
        assert min(told) >= 0
        seen.add(told)
    assert len(seen) > 1


def test_on_no_public_shape_it_errs_much_more_than_noise_on_all_groups():
    """Both figures from laws, written out here; on average it errs a tenth less."""
    candidate, part = _made(rows=10)
    release = candidate.release
    plain = next(one for one in part.choice.candidates if one.name == "together").release
    counts, weights = release.databases.counts, release.certified.mechanism.probabilities()
    apart = np.abs(counts[:, None] - counts[None, :]).mean(axis=2)
    ours = (weights * apart).sum(axis=0)
    theirs = np.array(
        [
            np.mean([plain.losses([Moments(many, many)], "absolute")[0] for many in line])
            for line in counts.tolist()
        ]
    )
    assert release.losses_by_table("absolute") == pytest.approx(ours)
    likely = _likely(10, 3)
    ratios = (likely @ ours + 0.25) / (likely @ theirs + 0.25)
    assert ratios.max() < 0.96
    assert ratios.mean() < 0.9


@pytest.mark.parametrize("name", ["whole tables", "remapped tables"])
def test_counts_of_rows_that_may_not_be_there_are_told_as_such(name):
    """From nothing a count above the silence is told in 5 % of draws at most, in every table."""
    release = _made(rows=10, name=name)[0].release
    counts, told = release.databases.counts, int(release.silence) + 1
    for group in range(3):
        for table in np.flatnonzero(counts[:, group] == 0):
            assert release.weights[group, :told, table].sum() >= release.total * SURE
    assert release.at_least(0, Fraction(1, 40)) == 0
    assert release.at_least(10, Fraction(1, 40)) > 0


@pytest.mark.parametrize(("rows", "epsilon", "misplaced"), [(6, "1", 1.215), (10, "0.5", 2.287)])
def test_for_a_stated_prior_the_program_finds_the_best_there_is(rows, epsilon, misplaced):
    """LP[1] of the graph of tables, all as likely: half of the errors of three cells."""
    candidate, part = _made(rows=rows, epsilon=epsilon, prior="uniform")
    assert part.chosen is candidate
    assert candidate.figures.loss * 3 / 2 == pytest.approx(misplaced, abs=5e-4)
    assert candidate.figures.loss <= _made(rows=rows, epsilon=epsilon)[0].release.losses_by_table(
        "absolute"
    ).mean() * (1 + 1e-9)


def test_rows_that_are_uniform_and_the_worst_table_have_their_own_best():
    evenly, worst = _made(prior="databases")[0], _made(worst_case=True)[0]
    assert evenly.figures.loss < worst.figures.loss == worst.figures.worst
    tables = np.array(_tables(6, 3))
    apart = np.abs(tables[:, None] - tables[None, :]).sum(axis=2)
    ratio = RATIOS["0.5"]
    for one in (evenly, worst):
        weights = one.release.certified.mechanism.weights.astype(object)
        for left, right in np.argwhere(apart == 2).tolist():
            most = weights[:, right] * ratio.numerator
            assert (weights[:, left] * ratio.denominator <= most).all()


@pytest.mark.parametrize(
    "wished", [{"unbiased": True}, {"prior": [0.5] * 2 + [0] * 7}, {"require": "fair"}]
)
def test_other_wishes_keep_their_own_mechanisms(wished):
    facts = dataset(8)
    (part,) = plan(
        asked(BY_CLINIC, facts), facts, epsilon=1, cache=None, wishes=Wishes.of(**wished)
    ).parts
    assert "whole tables" not in {one.name for one in part.choice.candidates}


@pytest.mark.parametrize(("cells", "rows"), [(2, 4), (3, 3)])
def test_repaired_counts_never_err_more_in_all(cells, rows):
    """All tables, all noises that cancel: in range, of the known sum, and not farther off."""
    noises = [(*front, -sum(front)) for front in itertools.product(range(-5, 6), repeat=cells - 1)]
    for table, noise in itertools.product(_tables(rows, cells), noises):
        drawn = [count + by for count, by in zip(table, noise, strict=True)]
        mended = consistent_counts(drawn, rows)
        clamped = consistent_counts([min(max(one, 0), rows) for one in drawn], rows)
        for told in (mended, clamped):
            assert min(told) >= 0
            assert sum(told) == rows
            off = sum(abs(one - count) for one, count in zip(told, table, strict=True))
            assert off <= sum(map(abs, noise))


def test_where_weights_would_be_negative_there_is_none():
    facts = dataset(6)
    (part,) = plan(asked(BY_CLINIC, facts), facts, epsilon="0.1", cache=None).parts
    why = dict(part.choice.left_out)["whole tables"]
    assert "weights below 0" in why.problem
