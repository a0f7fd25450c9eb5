"""What happens while the ledger's writer has the turn: random bits, tables, and writing.

Whatever depends on rows is worked out before. So the functions that run under the charge are the
same for every table, none of them sees a count of rows, and the time that they take, given what was
told, does not tell neighbouring tables apart.
"""

import os
import sys
from fractions import Fraction

import pytest

from discreet.curator import Curator, Order
from discreet.curator.prepared import Drawing
from discreet.exact import Epsilon
from discreet.model import Grid
from discreet.planning import Task, Wishes, choose, subject_of
from discreet.planning.releases.matrix import MatrixRelease
from discreet.planning.releases.noise import NoiseRelease
from discreet.planning.releases.ranks import RankRelease
from discreet.statistics import Moments, Tally
from discreet.tables import NumberColumn, Table
from draw_times import slower, smallest_seen, tells_apart
from planning.facts import asked, dataset

PAIRS = 40_000 if os.environ.get("DISCREET_SOAK") else 4_000
QUESTIONS = (
    "SELECT COUNT(*) WHERE smokes",
    "SELECT SUM(weight), AVG(mood) WHERE clinic = 'A'",
    "SELECT MEDIAN(mood) GROUP BY clinic",
    "SELECT MODE(clinic), TOP(clinic, 2), MAX(weight)",
    "SELECT COUNT(*) GROUP BY clinic",
)
SEES_ROWS = ("planning/reading.py", "statistics/counted.py", "tables/")
WORKS_OUT = {"true_index", "place", "sampler", "ready", "counted"}
CONFIDENCE = Fraction(19, 20)


@pytest.mark.parametrize("sql", QUESTIONS)
def test_nothing_that_sees_rows_runs_under_a_charge(make, sql, monkeypatch):
    """Neither a table, nor its counts, nor a true answer is looked at while others wait."""
    with Curator(make()) as curator:
        mended = sql.startswith("SELECT COUNT(*) GROUP BY")
        order = Order.of(curator.question(sql), epsilon=4, consistent=mended, fresh=True)
        curator.ask(order)
        called = set()
        plain = Drawing.__call__

        def traced(self):
            sys.setprofile(lambda frame, *_: called.add(frame.f_code))
            try:
                return plain(self)
            finally:
                sys.setprofile(None)

        monkeypatch.setattr(Drawing, "__call__", traced)
        curator.ask(order)
    files = {code.co_filename.split("/discreet/")[-1] for code in called}
    assert any(name.startswith("sampling/") for name in files)
    assert not [name for name in files if name.startswith(SEES_ROWS)]
    assert not WORKS_OUT & {code.co_name for code in called if "/discreet/" in code.co_filename}


def test_counts_are_gone_before_the_charge(make, monkeypatch):
    """With counts and tables that refuse to be looked at under the charge, all is answered."""
    with Curator(make()) as curator:
        for sql in QUESTIONS:
            ready = curator._ready.of(Order.of(curator.question(sql), epsilon=4))
            waiting = curator._counts.waiting(ready, lambda: curator.table)
            with monkeypatch.context() as blind:
                for kind in (Moments, Tally, Table):
                    blind.setattr(kind, "__getattribute__", _refuse)
                assert ready.draw(waiting).results


def _refuse(*_):
    raise AssertionError("a row was looked at under the charge")


def _subject(sql, column, rows):
    facts = dataset(rows, public=False, columns=(column,))
    question = asked(sql, facts)
    return subject_of(question.items[0], question, facts)


def _of_kind(subject, epsilon, kind):
    made = choose(Task(subject, Wishes(), Epsilon.of(epsilon), cache=None)).candidates
    return next(one.release for one in made if isinstance(one.release, kind))


def _sums():
    """Fifty rows of 60,000 values, of which one moves by a step; noise of a few steps."""
    subject = _subject(
        "SELECT SUM(pay)", NumberColumn("pay", Grid.between(0, 60_000), 0, True), 100
    )
    release = NoiseRelease(subject, Fraction(1, 2), clamped=True)
    return release, Moments(50, 15_000), Moments(50, 15_001)


def _counts():
    mood = NumberColumn("mood", Grid.between(0, 4), Fraction(0), True)
    subject = _subject("SELECT COUNT(mood > 2)", mood, 50)
    return _of_kind(subject, "1", MatrixRelease), Moments(50, 25), Moments(50, 26)


def _medians():
    """A row for every value, and one of them on the other side."""
    age = NumberColumn("age", Grid.between(0, 60), Fraction(0), True)
    subject = _subject("SELECT MEDIAN(age)", age, 61)
    one = dict.fromkeys(range(61), 1)
    other = {**one, 20: 0, 50: 2}
    return _of_kind(subject, "2", RankRelease), Tally.of(one, 61), Tally.of(other, 61)


@pytest.mark.parametrize("neighbours", [_sums, _counts, _medians])
def test_the_time_of_a_draw_does_not_tell_neighbours_apart(neighbours):
    release, one, other = neighbours()
    wins, pairs = slower(
        lambda: release.ready(one, CONFIDENCE).draw,
        lambda: release.ready(other, CONFIDENCE).draw,
        PAIRS,
    )
    assert smallest_seen(pairs) < 0.68
    assert not tells_apart(wins, pairs), (wins, pairs)


def test_a_microsecond_more_for_one_of_them_would_be_seen():
    """As long as one occupied cell more took when sums were fractions, under the charge."""
    release, one, other = _sums()

    def lingering():
        draw = release.ready(other, CONFIDENCE).draw

        def drawn():
            sum((Fraction(cell) / 3 for cell in range(2)), Fraction(0))
            return draw()

        return drawn

    wins, pairs = slower(lambda: release.ready(one, CONFIDENCE).draw, lingering, PAIRS)
    assert tells_apart(wins, pairs), (wins, pairs)
