"""Gaps are skipped as SQL skips NULL, and what is drawn is private (docs/proofs/gaps.md)."""

import math
from collections import Counter
from fractions import Fraction
from itertools import product

import duckdb
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import discreet
from discreet.exact import Epsilon
from discreet.model import Grid, Labels
from discreet.planning import (
    Reading,
    Task,
    Wishes,
    choose,
    group_names,
    grouping_of,
    plan,
    subject_of,
    true_index,
)
from discreet.planning.releases.choice import ChoiceRelease
from discreet.planning.releases.counts import CountsRelease
from discreet.planning.releases.moments import BoxedMean
from discreet.planning.releases.noise import NoiseRelease
from discreet.planning.releases.ranks import RankRelease, flipped
from discreet.planning.releases.ratio import RatioRelease
from discreet.planning.releases.release import ConstantRelease
from discreet.planning.releases.thinned import lines_of
from discreet.questions import parse_sql
from discreet.questions.conditions import holds
from discreet.statistics import Counts, Moments, Ratio
from discreet.tables import GAP, CategoryColumn, NumberColumn, open_table, read_dataset
from planning.facts import asked, dataset, tallied
from small_survey import CLINIC, MOOD, SMOKES, WEIGHT, dataset_text, with_gaps

NAMES = ("mood", "weight", "clinic", "smokes")
rows = st.lists(
    st.tuples(
        st.none() | st.integers(1, 5),
        st.none() | st.sampled_from([10.0, 10.5, 11.0, 11.5, 12.0]),
        st.none() | st.sampled_from(["A", "B", "other"]),
        st.none() | st.booleans(),
    ),
    max_size=12,
)
leaves = st.one_of(
    st.tuples(
        st.sampled_from(["mood", "weight"]),
        st.sampled_from(["=", "!=", "<", "<=", ">", ">="]),
        st.sampled_from(["0", "3", "4.5", "11", "99"]),
    ).map(" ".join),
    st.sampled_from(
        [
            "mood BETWEEN 2 AND 4",
            "weight NOT BETWEEN 10.2 AND 11",
            "mood IN (1, 5, 9)",
            "clinic NOT IN ('A', 'other')",
            "clinic = 'B'",
            "smokes",
            "weight IS NULL",
            "clinic IS NOT NULL",
        ]
    ),
)
conditions = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["AND", "OR"]), inner).map(lambda t: f"({' '.join(t)})"),
        inner.map(lambda text: f"NOT ({text})"),
    ),
    max_leaves=4,
)


def written(folder, cells, columns=None, privacy="size_at_most = 40", total="9"):
    """A csv and its dataset file, and the same rows in a plain SQL engine."""
    lines = [",".join("" if cell is None else str(cell) for cell in row) for row in cells]
    (folder / "rows.csv").write_text("\n".join([",".join(NAMES), *lines]) + "\n")
    columns = with_gaps(MOOD + WEIGHT + CLINIC + SMOKES) if columns is None else columns
    (folder / "t.toml").write_text(dataset_text(privacy, total, columns=columns))
    plain = duckdb.connect(":memory:")
    plain.execute("CREATE TABLE r (mood INT, weight DOUBLE, clinic TEXT, smokes BOOLEAN)")
    if cells:
        plain.executemany("INSERT INTO r VALUES (?, ?, ?, ?)", cells)
    return folder / "t.toml", plain


PLAIN = {
    "COUNT(*)": "count(*)",
    "COUNT(mood)": "count(mood)",
    "COUNT({condition})": "count_if({condition})",
    "SHARE({condition})": "avg(CAST({condition} AS INT))",
    "SUM(mood)": "sum(mood)",
    "SUM(weight)": "sum(weight)",
    "AVG(mood)": "avg(mood)",
    "AVG(weight)": "avg(weight)",
    "MIN(mood)": "min(mood)",
    "MAX(weight)": "max(weight)",
    "MEDIAN(mood)": "quantile_disc(mood, 0.5)",
    "QUANTILE(weight, 0.9)": "quantile_disc(weight, 0.9)",
    "QUANTILE(mood, 0.25)": "quantile_disc(mood, 0.25)",
    "SPREAD(weight)": "max(weight) - min(weight)",
}
"""Every statistic with one value, and the same in a plain SQL engine."""


def truth(subject, counted):
    """What the counts say, exactly; None where nothing is counted."""
    if isinstance(subject.form, Ratio):
        if counted.rows == 0:
            return None
        return subject.start + subject.unit * Fraction(counted.total, counted.rows)
    if counted.rows == 0 and not isinstance(counted, Moments):
        return None
    return subject.start + subject.unit * true_index(subject, counted)


def same(found, expected):
    """Floats of the engine may err in the last digit; a sum of no rows is 0 here, NULL there."""
    if expected is None:
        return found in (None, 0)
    return found is not None and math.isclose(float(found), float(expected), abs_tol=1e-9)


def counts_of(question, facts, table):
    groups = len(group_names(question, facts))
    subject = subject_of(question.items[0], question, facts, groups)
    return subject, Reading.of(
        question, subject, grouping_of(question, facts), facts=facts
    ).counted(table)


@given(rows, conditions, conditions, st.booleans())
@settings(max_examples=settings.default.max_examples // 4)
def test_every_statistic_is_that_of_plain_sql(tmp_path_factory, cells, where, condition, arrays):
    file, plain = written(tmp_path_factory.mktemp("gaps"), cells)
    facts = read_dataset(file)
    with open_table(facts) as table:
        table.columns = table.columns if arrays else None
        for ours, theirs in PLAIN.items():
            for clause in ("", f" WHERE {where}"):
                question = parse_sql(f"SELECT {ours.format(condition=condition)}{clause}", facts)
                subject, (counted,) = counts_of(question, facts, table)
                select = f"SELECT {theirs.format(condition=condition)} FROM r{clause}"
                (expected,) = plain.execute(select).fetchone()
                assert same(truth(subject, counted), expected), select
    plain.close()


BY = [["clinic"], ["smokes"], ["mood"], ["clinic", "smokes"], ["smokes", "mood", "clinic"]]


@given(rows, conditions, st.sampled_from(BY), st.booleans())
@settings(max_examples=settings.default.max_examples // 3)
def test_gaps_are_a_group_of_their_own(tmp_path_factory, cells, where, by, arrays):
    """As SQL groups NULL, in each of several columns; the group is there whether or not a row is in
    it, if one can be."""
    file, plain = written(tmp_path_factory.mktemp("gaps"), cells)
    facts = read_dataset(file)
    clause = f" WHERE {where} GROUP BY {', '.join(by)}"
    with open_table(facts) as table:
        table.columns = table.columns if arrays else None
        for ours, theirs in (("COUNT(*)", "count(*)"), ("AVG(weight)", "avg(weight)")):
            question = parse_sql(f"SELECT {ours}{clause}", facts)
            subject, counted = counts_of(question, facts, table)
            names = group_names(question, facts)
            last = ", ".join(["(missing)"] * len(by))
            assert names[-1] == last or any(column in where for column in by)
            found = dict(zip(names, (truth(subject, one) for one in counted), strict=True))
            told = plain.execute(f"SELECT {', '.join(by)}, {theirs} FROM r{clause}").fetchall()
            for *group, expected in told:
                assert same(found.pop(", ".join(map(group_name, group))), expected)
            assert all(left in (None, 0) for left in found.values())
    plain.close()


def group_name(value):
    """What a value is called as a group."""
    if value is None:
        return "(missing)"
    return str(value).lower() if isinstance(value, bool) else str(value)


@given(rows, conditions)
@settings(max_examples=15)
def test_modes_and_tops_skip_gaps(tmp_path_factory, cells, where):
    file, plain = written(tmp_path_factory.mktemp("gaps"), cells)
    facts = read_dataset(file)
    with open_table(facts) as table:
        for ask in ("MODE(clinic)", "TOP(clinic, 2)"):
            question = parse_sql(f"SELECT {ask} WHERE {where}", facts)
            subject, (counted,) = counts_of(question, facts, table)
            select = (
                f"SELECT clinic, count(*) FROM r WHERE {where} AND clinic IS NOT NULL GROUP BY 1"
            )
            expected = dict(plain.execute(select).fetchall())
            found = dict(zip(subject.labels.names, counted.counts.tolist(), strict=True))
            assert {word: many for word, many in found.items() if many} == expected
            if expected and not isinstance(subject.form, Counts):
                place = true_index(subject, counted)
                assert expected[subject.labels.names[place]] == max(expected.values())
    plain.close()


CELLS = [
    (None if place % 3 == 0 else 1 + place % 5,
     None if place % 4 == 1 else 10 + place % 5 / 2,
     (None, "A", "B", "A", "other")[place % 5],
     (None, True, False, True)[place % 4])
    for place in range(60)
]  # fmt: skip


FAR = {"SUM(weight)": 3.0, "AVG(mood)": 0.05, "AVG(weight)": 0.05, "SHARE({condition})": 0.05}
"""How far noise leads at ε = 100 once in 10¹¹ draws; all else is exact then."""


@pytest.mark.parametrize(
    "privacy", ["size = 60", "size_at_most = 90", 'size_at_most = 90\nneighbours = "add-or-remove"']
)
def test_a_large_epsilon_tells_what_plain_sql_tells(tmp_path, privacy):
    file, plain = written(tmp_path, CELLS, privacy=privacy)
    facts = read_dataset(file)
    condition, where = "NOT (smokes AND weight > 11)", " WHERE NOT clinic = 'A'"
    with open_table(facts) as table:
        for (ours, theirs), clause in product(PLAIN.items(), ("", where)):
            ask = f"SELECT {ours.format(condition=condition)}{clause}"
            made = plan(parse_sql(ask, facts), facts, epsilon="100", cache=None)
            _, counted = counts_of(made.question, facts, table)
            ((drawn,),) = made.ready([counted]).draw()
            select = f"SELECT {theirs.format(condition=condition)} FROM r{clause}"
            (expected,) = plain.execute(select).fetchone()
            assert float(drawn.value) == pytest.approx(float(expected), abs=FAR.get(ours, 1e-9)), (
                ask
            )
        made = plan(parse_sql("SELECT COUNT(*) GROUP BY clinic", facts), facts, epsilon="100")
        _, counted = counts_of(made.question, facts, table)
        assert [one.value for one in made.ready([counted]).draw()[0]] == [24, 12, 12, 12]
        assert made.groups == ("A", "B", "other", "(missing)")
    plain.close()


SMALL = (
    NumberColumn("mood", Grid.between(1, 3), None, True),
    CategoryColumn("clinic", Labels.of(["A", "other"]), None),
)
EPSILON = Epsilon.of("0.7")
CELLS_OF_A_ROW = list(product(range(GAP, 3), range(GAP, 2)))


def histogram(subject, table):
    """The rows that the statistic is taken of, counted, by the logic of SQL."""
    found = Counter()
    for mood, clinic in table:
        row = {"mood": mood, "clinic": clinic}
        if holds(subject.taken, row) is True:
            named = subject.item.column
            found[row[named] if named else int(holds(subject.item.condition, row) is True)] += 1
    return found


def loss(release, one, other):
    """The largest log-ratio between what two tables are answered by."""
    subject = release.subject
    counted = tallied(subject, one), tallied(subject, other)
    match release:
        case NoiseRelease():
            places = [true_index(subject, table) for table in counted]
            return float(release.rate) * abs(places[0] - places[1])
        case RatioRelease():
            halves = [release._halves(table) for table in counted]
            moved = abs(halves[0] - halves[1]) * release.sum_rate
            return float(moved + abs(counted[0].rows - counted[1].rows) * release.count_rate)
        case BoxedMean():
            noise = release.mechanism.noise.certified.mechanism
            moved = [counted[0].rows - counted[1].rows]
            moved += [release._halves(counted[0]) - release._halves(counted[1])]
            return float(noise.rate * noise.gauge(moved))
        case CountsRelease():
            return float(release.rate) * int(np.abs(counted[0].counts - counted[1].counts).sum())
        case ChoiceRelease():
            laws = [np.asarray(release.chances(table)) for table in counted]
        case RankRelease():
            laws = flipped(release.rule.scores(lines_of(counted)))
        case ConstantRelease():
            return 0.0
        case _:
            weights = release.certified.mechanism.weights
            laws = [np.array(weights[:, release.column(table)], dtype=float) for table in counted]
    return float(np.abs(np.log(laws[0]) - np.log(laws[1])).max())


@pytest.mark.parametrize("change", [True, False])
@pytest.mark.parametrize(
    "ask",
    ["MEDIAN(mood)", "MAX(mood)", "QUANTILE(mood, 0.2)", "SPREAD(mood)", "MODE(mood)", "SUM(mood)",
     "AVG(mood)", "COUNT(NOT mood = 2)", "SHARE(mood > 1 OR clinic = 'A')", "TOP(clinic, 2)"],
)  # fmt: skip
def test_small_neighbouring_tables_with_gaps_are_answered_alike(ask, change):
    """Every candidate, every pair of tables of two rows (or of up to two): at most e^ε."""
    facts = dataset(2, public=change, change=change, columns=SMALL)
    question = asked(f"SELECT {ask}", facts)
    subject = subject_of(question.items[0], question, facts)
    assert not subject.fixed_size or ask.startswith("COUNT")
    pairs = set()
    for row, was, now in product(CELLS_OF_A_ROW, repeat=3):
        one, other = ((row, was), (row, now)) if change else ((row, was), (row,))
        tables = [histogram(subject, table) for table in (one, other)]
        pairs.add(tuple(tuple(sorted(table.items())) for table in tables))
    pairs.add(((), tuple(sorted(histogram(subject, [(1, 0)]).items()))))
    worst = {}
    for candidate in choose(Task(subject, Wishes(), EPSILON, cache=None)).candidates:
        found = max(loss(candidate.release, dict(one), dict(other)) for one, other in pairs)
        worst[candidate.name] = found / float(EPSILON.value)
    assert max(worst.values()) <= 1 + 1e-9, worst
    assert max(worst.values()) > 0.6, worst


@pytest.mark.parametrize("change", [True, False])
def test_a_mean_with_gaps_pays_as_proved(change):
    """Scales R/ε and 2/ε under changes, where the sum is as good as with a public size."""
    facts = dataset(500, public=change, change=change, columns=SMALL)
    question = asked("SELECT AVG(mood)", facts)
    subject = subject_of(question.items[0], question, facts)
    (candidate,) = [
        one
        for one in choose(Task(subject, Wishes(), EPSILON, cache=None)).candidates
        if isinstance(one.release, RatioRelease)
    ]
    release, epsilon, far = candidate.release, EPSILON.value, subject.size - 1
    if change:
        assert (release.sum_rate, release.count_rate) == (epsilon / (2 * far), epsilon / 2)
    assert far * release.sum_rate + release.count_rate == epsilon


def test_what_was_put_in_the_place_of_gaps_is_said_everywhere(tmp_path):
    columns = with_gaps(MOOD + WEIGHT + CLINIC + SMOKES).replace(
        "high = 5", "high = 5\nmissing = 2"
    )
    file, _ = written(tmp_path, CELLS, columns=columns)
    said = "empty cells of mood count as 2, as the custodian declared"
    with discreet.open_dataset(file) as survey:
        for ask in (
            "SELECT AVG(mood)",
            "SELECT COUNT(*) WHERE mood > 2",
            "SELECT COUNT(*) GROUP BY mood",
        ):
            answer = survey.sql(ask).ask(epsilon="0.1", id=ask)
            assert said in str(answer)
            assert said in answer._repr_html_()
            assert answer.to_dict()["imputed"] == {"mood": "2"}
            assert "mood = 2" in answer.to_csv().splitlines()[1]
            again = survey.sql(ask).ask(epsilon="0.1", id=ask)
            assert again.free
            assert again.imputed == answer.imputed
            assert said in str(survey.sql(ask).plan(epsilon="0.1"))
        other = survey.sql("SELECT AVG(weight)").ask(epsilon="1")
        assert not other.imputed
        assert "empty cells" not in str(other)
