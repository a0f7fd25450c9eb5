"""Several counts from one draw: what they cost, how far they err, and that they are private."""

import itertools
import os
import random
from fractions import Fraction

import numpy as np
import pytest

from discreet.budget import Single
from discreet.errors import GoalError, QuestionError
from discreet.exact import Epsilon
from discreet.model import Grid, Labels
from discreet.planning import Wishes, plan
from discreet.planning.joint import weighing
from discreet.planning.joint.cells import CELLS_OF_COUNTS
from discreet.planning.joint.counts import COUNTS
from discreet.planning.planner import whole_of
from discreet.questions.conditions import holds
from discreet.statistics import Moments
from discreet.tables import GAP, CategoryColumn, NumberColumn
from planning.facts import COLUMNS, GAPPY, asked, dataset
from statistics_bounds import assert_follows, folded

FLAGS = tuple(
    NumberColumn(f"b{place}", Grid.between(0, 1), Fraction(0), True, complete=True)
    for place in range(10)
)
UNBIASED = Wishes.of(unbiased=True)
HALF = Fraction(1, 2)
TWO = "SELECT COUNT(mood > 1), COUNT(weight > 0)"


def planned(sql, facts, **given):
    return plan(asked(sql, facts), facts, cache=None, **({"epsilon": "0.5"} | given))


def flags(many):
    return "SELECT " + ", ".join(f"COUNT(b{place} = 1)" for place in range(many))


@pytest.mark.parametrize(
    ("many", "change", "error", "within"),
    [(3, True, 3.98, 10), (3, False, 3.29, 9), (10, True, 10.99, 25), (10, False, 7.98, 20)],
)
def test_counts_of_any_conditions_share_one_charge(many, change, error, within):
    facts = dataset(10**6, change=change, columns=FLAGS)
    made = planned(flags(many), facts, wishes=UNBIASED)
    (one,) = made.joined
    assert made.cost == one.cost == Single(500_000_000)
    assert one.places == tuple(range(many))
    for part in made.parts:
        assert round(part.chosen.figures.expected, 2) == error
        assert part.chosen.figures.within == within
        assert part.chosen.certificate == one.release.certificate


@pytest.mark.parametrize(
    ("sql", "public", "change", "cells", "error"),
    [
        ("SELECT COUNT(mood <= 1), COUNT(mood = 2), COUNT(mood >= 3)", True, True, 3, 2.61),
        ("SELECT COUNT(mood <= 1), COUNT(mood >= 2)", True, True, 2, 1.92),
        ("SELECT COUNT(mood >= 1), COUNT(mood >= 2)", True, True, 3, 2.61),
        ("SELECT COUNT(mood = 1), COUNT(mood = 2) WHERE clinic = 'A'", True, True, 3, 2.61),
        ("SELECT COUNT(mood <= 1), COUNT(mood >= 2)", False, True, 3, 2.61),
        ("SELECT COUNT(mood = 1), SHARE(mood = 1)", True, True, 2, 1.92),
        ("SELECT COUNT(mood <= 1), COUNT(mood = 2), COUNT(mood >= 3)", True, False, None, 1.92),
    ],
)
def test_conditions_that_exclude_or_imply_each_other_are_cells(sql, public, change, cells, error):
    facts = dataset(5_000, public=public, change=change)
    made = planned(sql, facts, wishes=UNBIASED)
    (one,) = made.joined
    if one.name == "cells together":
        assert one.release.source.noise.cancelling == cells
    else:  # a count and all others, or the same one twice
        assert one.release.source.noise.counts == cells - 1 == 1
    assert round(made.parts[0].chosen.figures.expected, 2) == error


def test_the_same_rows_or_all_others_of_a_public_number_share_a_noise():
    sql = "SELECT COUNT(mood > 1), COUNT(weight > 0), COUNT(NOT mood > 1), SHARE(mood >= 2)"
    made = planned(sql, dataset(5_000), wishes=UNBIASED)
    (one,) = made.joined
    assert one.release.source.noise.counts == 2
    assert round(made.parts[0].chosen.figures.expected, 2) == 2.97
    drawn = made.ready([[Moments(5_000, many)] for many in (3_000, 9, 2_000, 3_000)]).draw()
    some, _, others, share = (by_group[0].value for by_group in drawn)
    assert some + others == 5_000
    assert share * 5_000 == some
    for facts in (dataset(5_000, public=False), dataset(5_000, change=False)):
        whole = whole_of(asked(sql, facts), facts, Wishes())
        release = COUNTS.make(whole, (0, 1, 2), Epsilon.of(1)).release
        assert release.source.noise.counts == 3


def test_a_way_to_answer_together_can_be_asked_for_by_its_name():
    facts, sql = dataset(5_000), "SELECT COUNT(mood <= 1), COUNT(mood = 2)"
    assert planned(sql, facts).joined[0].name == "cells together"
    made = planned(sql, facts, wishes=Wishes.of(mechanism="counts together"))
    assert made.joined[0].name == "counts together"
    for one in ("SELECT COUNT(mood > 1)", "SELECT COUNT(mood > 1), COUNT(weight > 0), MAX(mood)"):
        with pytest.raises(GoalError, match="'counts together' does not answer all"):
            planned(one, facts, wishes=Wishes.of(mechanism="counts together"))


def test_what_is_known_of_a_whole_table_stays_free():
    made = planned("SELECT COUNT(*), COUNT(mood > 1), COUNT(weight > 0)", dataset(60))
    assert made.parts[0].chosen.epsilon is None
    assert made.joined[0].places == (1, 2)
    drawn = made.ready([[Moments(60, 60)], [Moments(60, 30)], [Moments(60, 9)]]).draw()
    assert drawn[0][0].value == 60


@pytest.mark.parametrize(
    ("many", "change", "least"), [(8, True, 976_880_197), (3, True, 492_625_603)]
)
def test_within_a_distance_the_least_total_is_found(many, change, least):
    facts = dataset(300, change=change, columns=FLAGS)
    made = planned(flags(many), facts, epsilon=None, within=10)
    assert made.cost.total == least
    assert all(part.chosen.figures.within <= 10 for part in made.parts)
    assert made.joined[0].cheaper


def test_what_every_group_has_is_drawn_for_its_cells_or_group_by_group():
    facts = dataset(5_000)
    cells = planned("SELECT COUNT(mood > 1), COUNT(*) GROUP BY clinic", facts)
    assert cells.joined[0].release.source.noise.told == 6
    wide = dataset(5_000, columns=(*FLAGS, *facts.columns))
    free = planned(f"{flags(5)} GROUP BY clinic", wide)
    (one,) = free.joined
    assert one.name == "counts together"
    assert one.release.source.noise.rate == Fraction(1, 4)
    assert free.cost.total == 500_000_000


@pytest.mark.parametrize("wished", [{"require": "fair"}, {"remap": "uniform"}])
def test_other_wishes_keep_their_own_mechanisms(wished):
    made = planned(TWO, dataset(8), wishes=Wishes.of(**wished))
    assert made.joined == ()


@pytest.mark.parametrize(
    "wished", [{"prior": "uniform"}, {"worst_case": True}, {"loss": "squared"}]
)
def test_a_stated_sense_of_best_decides_too(wished):
    made = planned(flags(4), dataset(60, columns=FLAGS), wishes=Wishes.of(**wished))
    assert made.joined[0].places == (0, 1, 2, 3)


def test_about_a_population_the_error_of_sampling_is_added():
    facts = dataset(5_000, columns=FLAGS)
    table, population = (
        planned(flags(3), facts, wishes=Wishes.of(about=about)).parts[0].chosen.figures.within
        for about in ("table", "population")
    )
    assert population > table + 50
    made = planned(flags(3), facts, wishes=Wishes.of(about="population"))
    assert made.joined
    ((drawn,), *_) = made.ready([[Moments(5_000, 2_500)]] * 3).draw()
    low, high = drawn.interval
    assert high - low > 100


def test_as_they_come_the_counts_of_all_rows_add_up_to_the_public_size():
    made = planned(
        "SELECT COUNT(mood <= 1), COUNT(mood = 2), COUNT(mood >= 3)", dataset(60), wishes=UNBIASED
    )
    seen = set()
    for _ in range(20):
        drawn = made.ready([[Moments(60, many)] for many in (30, 20, 10)]).draw()
        told = tuple(by_group[0].value for by_group in drawn)
        assert sum(told) == 60
        seen.add(told)
    assert len(seen) > 1


SMALL = (
    NumberColumn("mood", Grid.between(0, 2), None, True),
    NumberColumn("weight", Grid.between(0, 1), None, True),
    CategoryColumn("clinic", Labels.of(["A", "other"]), None),
)
QUESTIONS = (
    "SELECT COUNT(mood = 0), COUNT(mood = 2), COUNT(weight > 0)",
    "SELECT COUNT(mood >= 1), COUNT(mood >= 2), COUNT(*) WHERE weight > 0",
    "SELECT COUNT(mood > 1), COUNT(*) GROUP BY clinic",
    "SELECT COUNT(mood = 1), COUNT(NOT weight > 0) WHERE mood < 2 GROUP BY clinic",
    "SELECT COUNT(mood), COUNT(NOT mood > 1), COUNT(clinic = 'A')",
)


def _counted(question):
    """What every possible row adds to the counts of every group, told row by row."""
    cells = [range(GAP, column.size) for column in SMALL]
    for row in itertools.product(*cells):
        named = dict(zip([column.name for column in SMALL], row, strict=True))
        if holds(question.where, named) is not True:
            yield None, (False,) * len(question.items)
            continue
        group = named["clinic"] % 3 if question.group_by else 0  # gaps are the last group
        yield group, tuple(holds(item.condition, named) is True for item in question.items)


def _moved(rows, per_person, *, change):
    """How far the rows of a person move a sum of vectors: they come, go or change, any of them."""
    nothing = np.zeros((1, len(rows[0])), dtype=int)
    steps = np.unique([*rows, *nothing], axis=0)
    if change:
        steps = _sums(steps, -steps)
    moved = nothing
    for _ in range(per_person):
        moved = _sums(moved, steps)
    return np.concatenate([moved, -moved])


def _sums(ones, others):
    return np.unique((ones[:, None] + others[None, :]).reshape(-1, ones.shape[1]), axis=0)


@pytest.mark.parametrize("per_person", [1, 2, 3])
@pytest.mark.parametrize("change", [True, False])
@pytest.mark.parametrize("sql", QUESTIONS)
def test_a_person_moves_counts_by_what_was_certified(sql, change, per_person):
    """Every row there can be, and all that a person's rows can do, written out here."""
    facts = dataset(40, public=False, change=change, per_person=per_person, columns=SMALL)
    whole = whole_of(asked(sql, facts), facts, Wishes())
    places = tuple(range(len(whole.tasks)))
    release = COUNTS.make(whole, places, Epsilon.of("0.5")).release
    groups, noise = whole.groups, release.source.certified.mechanism
    assert groups == (3 if whole.question.group_by else 1)
    rows = []
    for group, met in _counted(whole.question):
        table = np.zeros((groups, len(places)), dtype=int)
        table[group or 0] += met
        rows.append(table.ravel())
    moved = _moved(rows, per_person, change=change).reshape(-1, groups, len(places))
    up, down = moved.max(axis=2, initial=0), -moved.min(axis=2, initial=0)
    coming = not change or groups > 1
    gauges = (up + down).sum(axis=1) if coming else np.maximum(up, down)[:, 0]
    assert noise.relation == ("add-or-remove" if coming else "change")
    assert int(gauges.max()) * noise.rate == HALF, "what is charged is drawn, to the last billionth"


@pytest.mark.parametrize("per_person", [1, 2, 3])
@pytest.mark.parametrize("change", [True, False])
@pytest.mark.parametrize("sql", QUESTIONS)
def test_a_person_moves_cells_by_what_was_certified_and_counts_add_them_up(sql, change, per_person):
    facts = dataset(40, public=False, change=change, per_person=per_person, columns=SMALL)
    whole = whole_of(asked(sql, facts), facts, Wishes())
    places = tuple(range(len(whole.tasks)))
    release = CELLS_OF_COUNTS.make(whole, places, Epsilon.of("0.5")).release
    groups, cells = whole.groups, release.source.cells
    noise = release.source.certified.mechanism
    rows = []
    for group, met in _counted(whole.question):
        table = np.zeros((groups, len(cells)), dtype=int)
        if any(met):  # a cell of its own, which adds to just these counts
            table[group, cells.index(met)] = 1
        assert (table @ np.array(cells, dtype=int)).sum(axis=0).tolist() == list(met)
        rows.append(table.ravel())
    assert len({tuple(row) for row in rows if any(row)}) == groups * len(cells)
    moved = _moved(rows, per_person, change=change)
    up, down = np.maximum(moved, 0).sum(axis=1), np.maximum(-moved, 0).sum(axis=1)
    gauges = np.maximum(up, down) if change else up + down  # the rest makes up for what is missing
    assert HALF - Fraction(1, 10**8) < gauges.max() * noise.rate <= HALF


def test_every_row_of_a_public_number_is_in_a_cell_or_there_is_a_rest():
    sql = "SELECT COUNT(mood <= 1), COUNT(mood = 2), COUNT(mood >= 3)"
    for columns, cells in ((COLUMNS, 3), (GAPPY, 4)):
        made = planned(sql, dataset(60, columns=columns))
        assert made.joined[0].release.source.noise.cancelling == cells


@pytest.mark.parametrize("change", [True, False])
def test_draws_follow_the_law_that_figures_are_read_from(change):
    facts = dataset(60, change=change)
    for sql in (
        "SELECT COUNT(mood >= 1), COUNT(mood >= 2)",
        TWO,
    ):
        made = planned(sql, facts, epsilon=1, wishes=UNBIASED)
        counted = [[Moments(60, 30)], [Moments(60, 12)]]
        drawn = np.array([[by[0].value for by in made.ready(counted).draw()] for _ in range(2_000)])
        for which, truth in enumerate((30, 12)):
            law = made.parts[which].chosen.release.noise.chances[:5].tolist()
            tail = (1 - 2 * sum(law) + law[0]) / 2
            assert_follows(folded(drawn[:, which] - truth, 5), [tail, *law[:0:-1], *law, tail])


def test_every_group_has_a_noise_of_its_own():
    """Two groups have the same noise less often than not: sixty times once in 10¹⁸."""
    facts = dataset(40, public=False, columns=SMALL)
    whole = whole_of(asked(QUESTIONS[2], facts), facts, Wishes())
    source = COUNTS.make(whole, (0, 1), Epsilon.of("0.5")).release.source
    assert any(first != second for first, second, *_ in (source.draw() for _ in range(60)))


def test_one_draw_is_made_for_each_answer(monkeypatch):
    made, drawn = planned(TWO, dataset(60)), []
    real = type(made.joined[0].release.source).draw
    monkeypatch.setattr(
        type(made.joined[0].release.source), "draw", lambda self: drawn.append(1) or real(self)
    )
    waiting = made.ready([[Moments(60, 30)], [Moments(60, 12)]])
    assert not drawn
    waiting.draw()
    assert len(drawn) == 1


@pytest.mark.parametrize("size", [1, 2, 7, 19])
def test_intervals_hold_the_truth_wherever_it_is(size):
    """The law of a clamped count, at every true count: the interval covers as often as told."""
    made = planned(TWO, dataset(size), epsilon=1)
    release = made.parts[0].chosen.release
    sure = Fraction(19, 20)
    for truth in range(size + 1):
        law = release.law(Moments(size, truth))
        held = 0.0
        for value, chance in zip(law.answers, law.chances, strict=True):
            low, high = release.told(int(value), sure).interval
            assert 0 <= low <= value <= high <= size
            held += chance if low <= truth <= high else 0.0
        assert held >= 0.95 - 1e-12


def _random_question(dice):
    moods = [f"COUNT(mood {sign} {dice.randrange(5)})" for sign in ("=", ">=", "<=", "!=")]
    others = [
        "COUNT(*)",
        "COUNT(weight > 0)",
        "SHARE(weight >= 1)",
        "COUNT(clinic = 'A')",
        "SUM(mood)",
    ]
    items = dice.sample(moods + others, dice.randint(2, 5))
    where = dice.choice(["", " WHERE weight < 2", " WHERE clinic != 'B'"])
    group = dice.choice(["", "", " GROUP BY clinic"])
    weights = None if dice.random() < 0.5 else [dice.choice([1, 2, 9]) for _ in items]
    return f"SELECT {', '.join(items)}{where}{group}", weights


@pytest.mark.parametrize("seed", range(200 if os.environ.get("DISCREET_SOAK") else 8))
def test_a_question_never_errs_more_than_its_statistics_by_themselves(seed, monkeypatch):
    """The weighted errors that plans show, at the same ε: whatever is asked."""
    dice = random.Random(seed)
    facts = dataset(
        dice.choice([50, 3_000]),
        public=dice.random() < 0.5,
        change=dice.random() < 0.5,
        per_person=dice.choice([1, 2]),
        columns=dice.choice([COLUMNS, GAPPY]),
    )
    sql, weights = _random_question(dice)
    wishes = Wishes.of(importance=None if weights is None else ",".join(map(str, weights)))
    try:
        made = planned(sql, facts, wishes=wishes)
    except QuestionError:
        return  # what no row can meet, or cannot be told apart, is refused
    monkeypatch.setattr(weighing, "JOINERS", ())
    apart = planned(sql, facts, wishes=wishes)
    assert made.cost.total <= apart.cost.total
    ratios = [
        (ours.chosen.figures.loss + 0.25) / (theirs.chosen.figures.loss + 0.25)
        for ours, theirs in zip(made.parts, apart.parts, strict=True)
    ]
    assert np.average(ratios, weights=weights) <= 1 + 1e-9
