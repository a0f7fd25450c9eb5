"""That an interval may be all that was declared is said before anything is spent."""

import re
from fractions import Fraction

import pytest

from discreet.planning import note_text, plan
from discreet.planning.judging import judging_of
from discreet.questions import parse_sql
from planning.facts import dataset

FACTS = dataset(rows=1000)
QUESTION = parse_sql("SELECT CORR(mood, weight)", FACTS)


def test_intervals_that_would_often_be_the_whole_range_are_announced():
    """About as many of those that are drawn on the public shapes as the note says."""
    made = plan(QUESTION, FACTS, epsilon="0.3", cache=None)
    (part,), (note,) = made.parts, made.notes
    release, judging, sure = part.chosen.release, judging_of(part.subject), Fraction(19, 20)
    drawn = [release.told(release.sampler(one)(), sure).interval for one in judging.tables]
    whole = [ends == (-1, 1) for ends in drawn]
    share = float(judging.table_weights @ whole)
    assert note.share == pytest.approx(share, abs=0.15)
    assert re.search(
        r"the interval of CORR\(mood, weight\) may be the whole declared range, and tell nothing: "
        r"about [6-9] of 10 are, at ε = 0\.3 on public shapes of tables",
        note_text(note),
    )


def test_where_few_would_be_there_is_no_such_note():
    assert plan(QUESTION, FACTS, epsilon=50, cache=None).notes == ()
