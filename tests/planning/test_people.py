"""COUNT(DISTINCT person): people are counted once each, and one of them is one step."""

import random
from itertools import combinations_with_replacement

import duckdb
import pytest

from discreet.attack.attack import attack
from discreet.curator import open_dataset
from discreet.errors import InvalidInput
from discreet.planning import Reading, Sharing, grouping_of, plan, subject_of
from discreet.questions import parse_sql, question_text
from discreet.requests import read_order
from discreet.statistics import Count, People
from discreet.tables import open_table, read_dataset
from small_survey import dataset_text

COLUMNS = """
[columns.mood]
type = "integer"
low = 0
high = 4
[columns.Person]
type = "category"
values = ["A", "B"]
closed = true
gaps = false
missing = "A"
"""
HEADER = "pid,mood,Person"


def dataset_of(folder, rows, *, most=2, change=True, bound=50):
    """A dataset of rows (person, mood, word), of which each person has at most so many."""
    lines = [HEADER, *(",".join(map(str, row)) for row in rows)]
    (folder / "t.csv").write_text("\n".join(lines) + "\n")
    relation = "change" if change else "add-or-remove"
    privacy = (
        f'unit = "pid"\nmost_rows_per_unit = {most}\nsize_at_most = {bound}\n'
        f'neighbours = "{relation}"'
    )
    text = dataset_text(privacy, columns=COLUMNS, source='path = "t.csv"', total="100")
    (folder / "t.toml").write_text(text)
    return read_dataset(folder / "t.toml")


def reading_of(sql, facts):
    """What is counted for a question."""
    question = parse_sql(sql, facts)
    grouping = grouping_of(question, facts)
    subject = subject_of(question.items[0], question, facts, grouping.counted)
    return Reading.of(question, subject, grouping, facts=facts)


def counted(reading, table):
    """The people of every group, by arrays and by the engine, which agree."""
    held, found = table.columns, []
    for columns in (held, None):
        table.columns = columns
        found.append([(one.rows, one.total) for one in reading.counted(table)])
    table.columns = held
    assert found[0] == found[1]
    return [total for _, total in found[0]]


ASKED = {
    "SELECT COUNT(DISTINCT pid)": lambda mood, word: True,
    "SELECT COUNT(DISTINCT pid) WHERE mood > 2": lambda mood, word: mood > 2,
    "SELECT COUNT_PEOPLE(mood > 2)": lambda mood, word: mood > 2,
}
BY_WORD = "SELECT COUNT(DISTINCT pid) GROUP BY Person"


def test_one_person_is_one_step_in_every_small_table(tmp_path):
    """All tables of three people with up to two rows each, and all their neighbours."""
    kinds = [(4, "A"), (1, "B")]
    states = [rows for many in range(3) for rows in combinations_with_replacement(kinds, many)]
    facts, told = dataset_of(tmp_path, []), {}
    readings = [reading_of(sql, facts) for sql in (*ASKED, BY_WORD)]
    for people in combinations_with_replacement(range(len(states)), 3):
        rows = [(f"p{at}", *row) for at, one in enumerate(people) for row in states[one]]
        with open_table(dataset_of(tmp_path, [*rows, ("", 4, "A"), ("n/a", 4, "B")])) as table:
            found = [counted(reading, table) for reading in readings]
        for (number,), meets in zip(found, ASKED.values(), strict=False):
            assert number == sum(any(meets(*row) for row in states[one]) for one in people)
        assert found[-1] == [
            sum(any(row[1] == word for row in states[one]) for one in people) for word in "AB"
        ]
        told[people] = found
    charged = {change: _factor(tmp_path, change=change) for change in (True, False)}
    for people, found in told.items():
        for at in range(3):
            for other in range(len(states)):
                near = told[tuple(sorted((*people[:at], other, *people[at + 1 :])))]
                moved = [
                    [abs(one - two) for one, two in zip(*pair, strict=True)]
                    for pair in zip(found, near, strict=True)
                ]
                assert max(map(max, moved)) <= 1
                comes_or_goes = () in (states[people[at]], states[other])
                assert sum(moved[-1]) <= charged[not comes_or_goes]


def _factor(folder, *, change):
    facts = dataset_of(folder, [], change=change)
    question = parse_sql(BY_WORD, facts)
    groups = grouping_of(question, facts).counted
    return Sharing.of(subject_of(question.items[0], question, facts, groups), facts, groups).factor


@pytest.mark.parametrize("change", [True, False])
@pytest.mark.parametrize(("sql", "where"), [
    ("COUNT(DISTINCT pid)", ""),
    ("COUNT(DISTINCT pid)", "WHERE mood > 2 AND Person = 'B'"),
    ("COUNT(DISTINCT pid)", "WHERE mood * 2 = 6"),
    ("COUNT(DISTINCT pid) FILTER (WHERE mood IS NULL)", ""),
    ("COUNT(DISTINCT pid)", "WHERE mood = 1 GROUP BY Person"),
])  # fmt: skip
@pytest.mark.parametrize("bound", [400, 5_000_000])
def test_people_are_what_plain_sql_says(tmp_path, sql, where, change, bound):
    dice = random.Random(7)
    rows = [
        (f"p{dice.randrange(90)}", dice.choice(["", 0, 1, 2, 3, 4]), dice.choice("AB"))
        for _ in range(300)
    ]
    dataset_of(tmp_path, rows, most=20, change=change, bound=bound)
    with duckdb.connect() as plain:
        order = " ORDER BY Person" if "GROUP" in where else ""
        origin = f"read_csv('{tmp_path / 't.csv'}', header = true, quote = '\"')"
        expected = plain.execute(f"SELECT {sql} FROM {origin} {where}{order}").fetchall()
    with open_dataset(tmp_path / "t.toml") as opened:
        told = opened.sql(f"SELECT {sql} {where}").ask(epsilon=90)
    assert [(one.value,) for one in told.results] == expected


@pytest.mark.parametrize("change", [True, False])
def test_the_noise_is_that_of_one_row_however_many_a_person_has(tmp_path, change):
    errors = {}
    for most in (1, 8):
        facts = dataset_of(tmp_path, [], most=most, change=change)
        for sql in ("SELECT COUNT(*)", "SELECT COUNT(DISTINCT pid)"):
            made = plan(parse_sql(sql, facts), facts, epsilon="0.5", cache=None)
            errors[most, sql] = made.parts[0].chosen.figures.within
    people, rows = (errors[8, sql] for sql in ("SELECT COUNT(DISTINCT pid)", "SELECT COUNT(*)"))
    assert people == errors[1, "SELECT COUNT(*)"]
    assert rows > 3 * people > 0


def test_where_each_person_has_one_row_people_are_rows(tmp_path):
    facts = dataset_of(tmp_path, [], most=1)
    assert parse_sql("SELECT COUNT(DISTINCT pid)", facts).items[0].statistic == Count()
    dataset_of(tmp_path, [("p1", 1, "A"), ("p2", 3, "B"), ("p2", 3, "B"), ("", 3, "B")], most=1)
    with open_table(facts) as table:
        assert counted(reading_of("SELECT COUNT_PEOPLE(*)", facts), table) == [2]


@pytest.mark.parametrize("sql", [
    "SELECT COUNT_PEOPLE(*)", "SELECT COUNT_PEOPLE(mood >= 3) WHERE Person = 'A' GROUP BY mood",
])  # fmt: skip
def test_a_question_of_people_reads_as_it_is_written(tmp_path, sql):
    facts = dataset_of(tmp_path, [])
    question = parse_sql(sql, facts)
    assert question.items[0].statistic == People()
    assert question_text(question, facts) == sql
    assert parse_sql(question_text(question, facts), facts) == question


def test_tables_without_ids_are_not_attacked(tmp_path):
    facts = dataset_of(tmp_path, [])
    order = read_order("SELECT COUNT(DISTINCT pid)", facts, epsilon="0.5")
    with pytest.raises(InvalidInput, match="attack COUNT"):
        attack(order, facts)


def test_plans_say_that_rows_beyond_the_most_are_left_out(tmp_path):
    (tmp_path / "s.toml").write_text(
        dataset_text('unit = "who"\nmost_rows_per_unit = 2\nsize_at_most = 9')
    )
    facts = read_dataset(tmp_path / "s.toml")
    made = plan(parse_sql("SELECT AVG(mood)", facts), facts, epsilon=1)
    assert any("at most 2 rows count" in remark for remark in made.remarks)
