"""Where no two rows of a person are in one group, all groups share one noise."""

from dataclasses import replace
from fractions import Fraction

import pytest

from discreet.attack.tables import Small
from discreet.exact import Epsilon
from discreet.joint.spread import SpreadNoise
from discreet.joint.spread_moments import SpreadMoments
from discreet.planning import plan, subject_of
from discreet.planning.releases.cells import CellsRelease
from discreet.questions import parse_sql
from discreet.statistics import Moments
from discreet.tables import PrivacyUnit, read_dataset
from small_survey import dataset_text

COLUMNS = """
[columns.month]
type = "integer"
low = 1
high = 6
gaps = false
missing = 1
[columns.ill]
type = "boolean"
gaps = false
missing = false
"""


@pytest.fixture
def facts(tmp_path):
    def made(most=3, *, relation="add-or-remove", column='one_row_per = "Month"'):
        privacy = (
            f'unit = "pid"\nmost_rows_per_unit = {most}\nsize_at_most = 900\n'
            f'neighbours = "{relation}"\n{column}'
        )
        (tmp_path / "t.toml").write_text(
            dataset_text(privacy, columns=COLUMNS, source='path = "t.csv"')
        )
        return read_dataset(tmp_path / "t.toml")

    return made


def _planned(sql, facts, epsilon=1):
    (part,) = (made := plan(parse_sql(sql, facts), facts, epsilon=epsilon, cache=None)).parts
    assert made.cost.total <= Epsilon.of(epsilon).billionths
    return part.chosen


BY_MONTH = "SELECT COUNT(*) GROUP BY month"
SHARED = [
    BY_MONTH,
    "SELECT COUNT(ill) GROUP BY month",
    "SELECT COUNT(*) WHERE ill GROUP BY month, ill",
]
APART = [
    "SELECT COUNT(*) GROUP BY BIN(month, 2)",
    "SELECT COUNT(*) GROUP BY ill",
    "SELECT COUNT(*)",
]


@pytest.mark.parametrize("sql", SHARED)
def test_groups_of_single_values_share_one_noise_that_is_paid_once(facts, sql):
    chosen = _planned(sql, facts())
    assert isinstance(chosen.release, CellsRelease)
    assert isinstance(chosen.release.noise, SpreadNoise)
    assert chosen.epsilon == Epsilon.of(1)
    assert round(chosen.release.noise.error, 2) == 2.27


@pytest.mark.parametrize("sql", APART)
def test_elsewhere_all_rows_of_a_person_are_paid_for(facts, sql):
    plainly = facts(column="")
    told, before = _planned(sql, facts()), _planned(sql, plainly)
    assert told.figures == before.figures
    assert not isinstance(getattr(told.release, "noise", None), SpreadNoise)


def test_nobody_is_in_more_groups_than_there_are(facts):
    few, many = (_planned(BY_MONTH, facts(most)).figures.within for most in (6, 500))
    assert few == many
    two = "SELECT COUNT(*) WHERE month <= 2 GROUP BY month"
    assert _planned(two, facts(500)).figures == _planned(two, facts(2)).figures


@pytest.mark.parametrize("most", [2, 3, 6])
@pytest.mark.parametrize("relation", ["add-or-remove", "change"])
def test_never_worse_than_without_the_declaration(facts, most, relation):
    here, before = (
        _planned(BY_MONTH, facts(most, relation=relation, **column)).figures.loss
        for column in ({}, {"column": ""})
    )
    assert here <= before


def test_the_law_of_all_groups_holds_for_every_person_that_the_attack_enumerates(facts):
    """Every table of a few rows and all its neighbours: no gauge moves by more than is paid."""
    dataset = replace(facts(2), most_rows=4)
    noise = _planned(BY_MONTH, dataset).release.noise.certified.mechanism
    small = Small(
        dataset=dataset,
        columns=("month", "ill"),
        palette=((0, 0), (0, 1), (1, 0), (2, 0)),
        varied=4,
        complete=False,
    )
    farthest, outputs = 0, [(0,) * 6, (2, 0, 0, 0, 0, 0), (-1, 1, 2, 0, 0, 0), (1, 1, 1, 1, 0, 0)]
    for one, other in small.pairs():
        counts = [_by_month(table, small) for table in (one, other)]
        for output in outputs:
            here, there = (
                noise.gauge([a - b for a, b in zip(output, count, strict=True)]) for count in counts
            )
            farthest = max(farthest, abs(here - there))
    assert noise.parts[0].rate * farthest == 1


@pytest.mark.parametrize("relation", ["add-or-remove", "change"])
@pytest.mark.parametrize(
    ("sql", "met", "most"),
    [
        ("SELECT COUNT(*) WHERE month = 2", lambda month, ill: month == 1, 1),
        ("SELECT COUNT(*) WHERE month <= 2 AND ill", lambda month, ill: month <= 1 and ill, 2),
        ("SELECT COUNT(month = 1 OR month = 3)", lambda month, ill: month in (0, 2), 2),
        ("SELECT COUNT(*) WHERE month < 3 OR ill", lambda month, ill: month < 2 or ill, 3),
        ("SELECT COUNT(ill)", lambda month, ill: ill, 3),
    ],
)
def test_of_a_few_values_few_rows_of_a_person_count(facts, sql, met, most, relation):
    """Every table of a few rows and all its neighbours: the count moves by no more than is paid."""
    dataset = replace(facts(3, relation=relation), most_rows=4)
    question = parse_sql(sql, dataset)
    subject = subject_of(question.items[0], question, dataset, 1)
    palette = tuple((month, ill) for month in range(3) for ill in range(2))
    small = Small(
        dataset=dataset, columns=("month", "ill"), palette=palette, varied=4, complete=False
    )
    counts = [bool(met(*row)) for row in palette]
    farthest = max(
        abs(
            sum(times for times, one in zip(a, counts, strict=True) if one)
            - sum(times for times, one in zip(b, counts, strict=True) if one)
        )
        for a, b in small.pairs()
    )
    assert subject.rows_per_unit == most
    assert farthest == most


def _by_month(table, small):
    counts = [0] * 6
    for (month, _), times in zip(small.palette, table, strict=True):
        counts[month] += times
    return counts


def test_plans_say_which_rows_of_a_person_count(facts):
    dataset = facts()
    assert dataset.unit == PrivacyUnit("pid", 3, "month")
    made = plan(parse_sql(BY_MONTH, dataset), dataset, epsilon=1)
    assert any("one for each value of month" in remark for remark in made.remarks)


MOMENTS = [
    "SELECT AVG(score) GROUP BY month",
    "SELECT SUM(score) GROUP BY month",
    "SELECT STDDEV(score) GROUP BY month",
    "SELECT AVG(score), COUNT(*) GROUP BY month",
]
SCORES = """
[columns.score]
type = "integer"
low = 0
high = 20
gaps = false
missing = 0
"""


@pytest.fixture
def scored(facts, tmp_path):
    def made(most, **given):
        facts(most, **given)
        file = tmp_path / "t.toml"
        file.write_text(file.read_text() + SCORES)
        return read_dataset(file)

    return made


def _errors(sql, dataset):
    made = plan(parse_sql(sql, dataset), dataset, epsilon=1, cache=None)
    assert made.cost.total <= Epsilon.of(1).billionths
    return [part.chosen.figures.loss for part in made.parts], made


@pytest.mark.parametrize("sql", MOMENTS)
@pytest.mark.parametrize("relation", ["add-or-remove", "change"])
def test_moments_of_people_in_every_group_share_one_noise(scored, sql, relation):
    """Six months and six rows: sums err by two thirds of what they did, or less."""
    here, made = _errors(sql, scored(6, relation=relation))
    before, _ = _errors(sql, scored(6, relation=relation, column=""))
    release = made.parts[0].chosen.release
    assert isinstance(release.mechanism.noise, SpreadMoments)
    assert release.together
    most = 0.85 if "STDDEV" in sql else 0.75
    assert all(mine <= most * theirs for mine, theirs in zip(here, before, strict=True))


@pytest.mark.parametrize("sql", MOMENTS)
def test_where_a_person_has_few_of_the_groups_nothing_changes(scored, sql):
    here, made = _errors(sql, scored(2))
    before, _ = _errors(sql, scored(2, column=""))
    assert here == before
    assert not made.parts[0].chosen.release.together


def test_means_of_all_groups_are_drawn_and_hold(scored):
    """Each interval of 95 % over draws of six groups: false alarms are rarer than 1e-6."""
    dataset = scored(6)
    question = parse_sql("SELECT AVG(score) GROUP BY month", dataset)
    (part,) = plan(question, dataset, epsilon=1, cache=None).parts
    release, rows, total = part.chosen.release, 150, 150 * 7
    held, many = 0, 100
    for _ in range(many):
        ready = release.ready_by_group([Moments(rows, total)] * 6, Fraction(19, 20))
        low, high = ready[0].draw().interval
        held += low <= 7 <= high
    assert held >= 80
