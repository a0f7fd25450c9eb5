"""Why something is left out and what a plan warns of: values, with words for every kind."""

import re
from dataclasses import replace
from fractions import Fraction

import pytest

from discreet.errors import DesignError
from discreet.exact import Epsilon
from discreet.model import Grid
from discreet.planning import (
    MAKERS,
    Caution,
    Imputed,
    Misfit,
    Note,
    Task,
    Unsuitable,
    Wishes,
    note_text,
    plan,
    reason_text,
    subject_of,
)
from discreet.planning.words import REASONS, shared_text
from discreet.tables import NumberColumn
from discreet.text import capital
from planning.facts import asked, dataset


def test_there_are_words_for_every_reason():
    assert set(REASONS) == set(Misfit)
    for kind in Misfit:
        told = reason_text(Unsuitable(kind, size=9_999, most=1, names=("fair",), problem="odd"))
        assert told
        assert "{" not in told


def test_there_are_words_for_every_note():
    note = Note(
        kind=Caution.FREE,
        statistic="sum",
        always=3,
        imputed=Imputed("pay", "7"),
        epsilon=Epsilon(5),
        error=1.5,
        ours=2.0,
        share=0.6,
    )
    told = {kind: note_text(replace(note, kind=kind)) for kind in Caution}
    assert len(set(told.values())) == len(told)
    others = {Caution.IMPUTED: "cells of pay count as 7", Caution.VAGUE: "about 6 of 10 are, at"}
    for kind, sentence in told.items():
        assert others.get(kind, "always answering 3") in sentence


def test_whoever_shows_a_note_says_how_to_ask():
    note = Note(kind=Caution.PRIOR_MATTERS, statistic="sum", always=3, error=1.0, ours=2.0)
    assert note_text(note, "turn the page").endswith("if that is likely, turn the page")


@pytest.mark.parametrize(
    ("sql", "names"),
    [
        ("SELECT COUNT(*)", {"by database", "by rank", "by frequency", "noisy counts"}),
        ("SELECT MEDIAN(mood)", {"geometric noise", "by answer, coarse", "sum over count"}),
        ("SELECT MODE(clinic)", {"by rank", "unbiased noise", "noisy counts"}),
        ("SELECT AVG(mood)", {"by answer", "geometric", "by rank", "geometric noise"}),
    ],
)
@pytest.mark.parametrize("unbiased", [False, True])
def test_nobody_is_told_that_mechanisms_for_other_statistics_are_left_out(sql, names, unbiased):
    """Whatever else would keep them out."""
    facts = dataset(6, public=False)
    question = asked(sql, facts)
    subject = subject_of(question.items[0], question, facts)
    task = Task(subject, Wishes(unbiased=unbiased), Epsilon.of(1), cache=None)
    for maker in MAKERS:
        if maker.name in names:
            assert maker.unsuited(task).expected


def test_a_refusal_tells_what_to_do():
    facts = dataset(6, public=False)
    question = asked("SELECT AVG(mood)", facts)
    for wishes, told in (
        ({"remap": "uniform"}, "(it cannot be remapped); leave the remap out"),
        ({"require": "fair"}, "(its properties are not known); leave the requirements out"),
        ({"unbiased": True}, "ask for COUNT or SUM, or leave it out"),
    ):
        with pytest.raises(DesignError, match=re.escape(told)):
            plan(question, facts, epsilon=1, wishes=Wishes.of(**wishes))


def test_too_many_values_are_refused_by_what_can_be_done_about_them():
    fine = dataset(columns=(NumberColumn("pay", Grid.between(0, 1500), Fraction(0), True),))
    with pytest.raises(
        DesignError, match=r"SPREAD has 1,501 possible answers.*the limit is 1,001; "
    ):
        plan(asked("SELECT SPREAD(pay)", fine), fine, epsilon=1)


@pytest.mark.parametrize("name", ["g", "births"])
def test_no_remark_begins_with_the_name_of_a_statistic(name):
    """At the head of a sentence `AS g` would become G."""
    note = Note(kind=Caution.PRIOR_MATTERS, statistic=name, always=3, error=1.0, ours=2.0)
    for told in (shared_text(1.5, name), note_text(note)):
        assert f" {name} " in capital(told)
