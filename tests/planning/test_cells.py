"""Counts by group from one noise: what they cost, how they are drawn, how far they err."""

from dataclasses import replace
from fractions import Fraction

import pytest

from discreet.budget import Single
from discreet.joint import CellNoise
from discreet.planning import Wishes, plan
from discreet.statistics import Moments
from planning.facts import asked, dataset

BY_CLINIC = "SELECT COUNT(*) GROUP BY clinic"
ROWS = (30, 20, 10)


def planned(sql, facts, **given):
    return plan(asked(sql, facts), facts, cache=None, **{"epsilon": "0.5", **given})


def _counted(rows):
    return [[Moments(many, many) for many in rows]]


def test_a_row_that_changes_group_is_paid_once():
    """Three groups of a public size are three cells at ε; by themselves each would run at ε/2."""
    made = planned(BY_CLINIC, dataset(60))
    part = made.parts[0]
    assert made.cost == part.cost == Single(500_000_000)
    assert part.chosen.release.noise.cells == 3
    assert part.chosen.figures.expected == pytest.approx(2.611, abs=1e-3)
    alone = [one for one in part.choice.candidates if not one.release.together]
    assert all(part.chosen.figures.loss < one.figures.loss for one in alone)
    assert all(str(one.epsilon) == "0.25" for one in alone)


@pytest.mark.parametrize(
    ("sql", "public", "cells"),
    [
        (BY_CLINIC, True, 3),
        (BY_CLINIC, False, 4),
        (f"{BY_CLINIC.replace(' GROUP', ' WHERE mood > 1 GROUP')}", True, 4),
        ("SELECT COUNT(mood > 1) GROUP BY clinic", True, 4),
        ("SELECT COUNT(*) GROUP BY BIN(mood, 1)", True, 5),
    ],
)
def test_rows_of_no_group_are_one_cell_more(sql, public, cells):
    """Whoever is in no told group, or not in the table at all, is in the rest."""
    (part,) = planned(sql, dataset(60, public=public)).parts
    assert part.chosen.release.noise.cells == cells


@pytest.mark.parametrize("per_person", [1, 3])
def test_the_noise_is_certified_for_all_that_one_person_can_do(per_person):
    (part,) = planned(BY_CLINIC, dataset(60, per_person=per_person)).parts
    noise = part.chosen.release.noise.certified
    assert noise.guarantee.epsilon == part.chosen.epsilon
    assert noise.mechanism.rows_per_unit == per_person
    assert noise.mechanism.width * noise.mechanism.rate <= Fraction(1, 2)


def test_all_groups_are_told_from_one_draw():
    """As they come, the noises cancel: the counts sum to the public size, whatever was drawn."""
    made = planned(BY_CLINIC, dataset(60), wishes=Wishes.of(unbiased=True))
    seen = set()
    for _ in range(20):
        (told,) = made.ready(_counted(ROWS)).draw()
        assert sum(one.value for one in told) == 60
        seen.add(tuple(one.value for one in told))
    assert len(seen) > 1


def test_no_group_is_drawn_by_itself():
    (part,) = planned(BY_CLINIC, dataset(60)).parts
    with pytest.raises(TypeError, match="drawn together"):
        part.chosen.release.ready(Moments(3, 3), Fraction(19, 20))


def test_one_noise_is_drawn_for_each_answer(monkeypatch):
    made, drawn = planned(BY_CLINIC, dataset(60)), []
    real = CellNoise.draw
    monkeypatch.setattr(CellNoise, "draw", lambda self: drawn.append(1) or real(self))
    for times in (1, 2, 3):
        made.ready(_counted(ROWS)).draw()
        assert len(drawn) == times


def test_where_neighbours_come_and_go_each_group_is_best_by_itself():
    (part,) = planned(BY_CLINIC, dataset(60, change=False)).parts
    assert not part.chosen.release.together
    assert str(part.chosen.epsilon) == "0.5"


@pytest.mark.parametrize(
    "wished", [{"prior": "uniform"}, {"worst_case": True}, {"require": "fair"}]
)
def test_another_sense_of_best_keeps_its_own_mechanisms(wished):
    (part,) = planned(BY_CLINIC, dataset(8), wishes=Wishes.of(**wished)).parts
    assert "together" not in {one.name for one in part.choice.candidates}


def test_told_counts_are_in_range_and_hold_the_truth_as_often_as_said():
    """The law of a group's count, clamped, at the ends and in the middle: the interval covers."""
    (part,) = planned(BY_CLINIC, dataset(60)).parts
    release, sure = part.chosen.release, Fraction(19, 20)
    for rows in (0, 1, 7, 30, 60):
        law = release.law(Moments(rows, rows))
        held = 0.0
        for value, chance in zip(law.answers, law.chances, strict=True):
            low, high = release.told(int(value), sure).interval
            assert 0 <= low <= value <= high <= 60
            held += chance if low <= rows <= high else 0.0
        assert held >= 0.95


def test_losses_are_those_of_the_law():
    (part,) = planned(BY_CLINIC, dataset(60)).parts
    release = part.chosen.release
    for clamped in (True, False):
        one = replace(release, clamped=clamped)
        for rows in (0, 5, 60):
            law = one.law(Moments(rows, rows))
            mean = sum(
                abs(value - rows) * chance
                for value, chance in zip(law.answers, law.chances, strict=True)
            )
            assert one.losses([Moments(rows, rows)], "absolute")[0] == pytest.approx(mean, rel=1e-6)
