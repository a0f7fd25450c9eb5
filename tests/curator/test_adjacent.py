"""Neighbouring tables look the same in everything but the values drawn.

Same plan, same status, same shape, same messages, same keys: whatever one person's row holds.
"""

import os
import secrets
import shutil

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.budget import audit
from discreet.curator import open_dataset
from discreet.errors import DiscreetError
from discreet.planning import Reading
from discreet.planning.grouping import grouping_of
from discreet.planning.subjects.subject import subject_of
from discreet.questions import parse_sql
from discreet.tables import Key, open_table, read_dataset
from question_grammar import CONDITIONS, EVERY_KIND, GROUPS, HEADER, NUMBERS, REGIONS, row
from small_survey import dataset_text

PAIRS = 3_400 if os.environ.get("DISCREET_SOAK") else 15  # for each of three relations
COUNTED = 10_000 if os.environ.get("DISCREET_SOAK") else 40
KEY = secrets.token_hex(32)
"""Neighbouring tables are two pasts of one dataset: they share its secret."""

REST = (b"2023-05-01", b"2023-05-01 12:00", b"2,5")
QUESTIONS = {
    "SELECT COUNT(*), AVG(mood) WHERE clinic = 'A'": 1,
    "SELECT MEDIAN(mood) GROUP BY clinic": 90,  # enough to show that a group has rows
    "SELECT SUM(weight), MODE(clinic), TOP(clinic, 2)": 1,
    "SELECT MAX(weight) WHERE smokes AND mood >= 4": 1,
    "SELECT COUNT(mood > 2) GROUP BY BIN(weight, 1)": 1,
    "SELECT MEDIAN(visit), COUNT(visit - DATE '2023-05-01' > 3 * mood)": 1,
    "SELECT COUNT(*), AVG(half) WHERE clinic LIKE 'A%' OR weight / (mood - 3) > 2": 1,
    "SELECT COUNT(*) GROUP BY QUARTER(visit), CASE WHEN smokes THEN 'yes' ELSE clinic END": 1,
    "SELECT AVG(seen), COUNT(*) WHERE COALESCE(region, 'south') = 'south' OR HOUR(seen) > 9": 1,
    "SELECT SUM(fee), COUNT(*) GROUP BY COALESCE(region, late), late": 1,
    "SELECT MIN(weight)": 1,
}
"""What is asked, and for how much."""

cells = st.one_of(
    st.sampled_from(
        [b"", b"NULL", b"nan", b"NaN", b"-inf", b"1e999", b"9" * 400, b"3", b"11.5", b"A", b"a",
         b" B ", b"yes", b"TRUE", b"\xff\xfe", b"\x00", b'"', b"''", b"a\nb", b"1,2", b"x" * 5000,
         b"1.234,5", b"2,5", b"2023-05-03 10:30:00", b"2023-05-01", b"2023-02-30",
         b"9999-12-31 23:59", b"-infinity", b"31.12.2023",
         b"error('x')", b"'; DROP TABLE clean; --", "３".encode(), b"0x1F", b"1_000"]
    ),
    st.integers(1, 5).map(lambda mood: str(mood).encode()),
    st.binary(max_size=8),
)  # fmt: skip
rows = st.tuples(st.sampled_from([b"p1", b"p2", b"p3", b""]), *[cells] * 7)
lines = st.lists(
    st.one_of(cells, st.sampled_from([b'"', b",", b"\r", b"p1", b"\xe2\x80"])), max_size=9
).map(b"".join)
"""Records as nobody should write them."""


def _line(row):
    """A record in one line: with a line feed inside, it would be two."""
    cells = (b'"' + cell.replace(b'"', b'""') + b'"' for cell in row)
    return (row if isinstance(row, bytes) else b",".join(cells)).replace(b"\n", b"\r")


def _write(folder, content, privacy):
    folder.mkdir(exist_ok=True)
    header = f"person,{HEADER}".encode()
    (folder / "regions.csv").write_text(REGIONS)
    (folder / "rows.csv").write_bytes(b"\n".join([header, *map(_line, content)]) + b"\n")
    (folder / "survey.toml").write_text(dataset_text(privacy, "98.5", columns=EVERY_KIND))
    (folder / "survey.ledger.key").write_text(f"{KEY}\n")
    return folder / "survey.toml"


def _shape(value):
    """A document without its numbers and words: keys, lengths and types."""
    if isinstance(value, dict):
        return {key: _shape(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_shape(inner) for inner in value]
    return (
        "number" if isinstance(value, int | float) and not isinstance(value, bool) else type(value)
    )


def _seen(file):
    """Everything that an analyst can see, but for the values drawn and the receipts."""
    seen = []
    with open_dataset(file, analyst="ana") as survey:
        for place, (sql, epsilon) in enumerate(QUESTIONS.items()):
            try:
                inquiry = survey.sql(sql)
                seen.append(("plan", inquiry.plan(epsilon=epsilon).digest))
                told = inquiry.ask(epsilon=epsilon, id=str(place)).to_dict()
            except DiscreetError as problem:
                seen.append(("refused", type(problem).__name__, str(problem)))
                continue
            fixed = ("asked", "confidence", "epsilon", "spent", "left", "free", "plan")
            results = [
                (
                    result["statistic"],
                    result["group"],
                    len(result["value"]) if isinstance(result["value"], dict) else None,
                    type(result["rows_about"]),
                    "drawn" if result["rows_about"] is not None else _shape(result["interval"]),
                    result["expected_error"],
                    result["mechanism"],
                    result["certificate"],
                    result["supposed"],
                    result["rows_off"],
                )
                for result in told["results"]
            ]
            seen.append(({key: told[key] for key in fixed}, tuple(told), results))
        entries = survey.curator.ledger.entries()
        assert audit(entries).clean
        seen.append([(e.kind, e.analyst, e.question, e.billionths) for e in entries])
    return seen


def _compare(folder, one, two, privacy):
    first = _seen(_write(folder / "one", one, privacy))
    second = _seen(_write(folder / "two", two, privacy))
    shutil.rmtree(folder)
    assert first == second


@given(
    st.sampled_from([1, 5]).flatmap(lambda size: st.lists(rows, min_size=size, max_size=size)),
    st.one_of(rows, lines),
    st.data(),
)
@settings(max_examples=PAIRS, deadline=None)
def test_one_row_changed(tmp_path_factory, content, other, data):
    place = data.draw(st.integers(0, len(content) - 1))
    changed = [*content[:place], other, *content[place + 1 :]]
    privacy = data.draw(st.sampled_from([f"size = {len(content)}", "size_at_most = 20"]))
    _compare(tmp_path_factory.mktemp("pair"), content, changed, privacy)


@given(st.lists(rows, max_size=8), st.one_of(rows, lines), st.data())
@settings(max_examples=PAIRS, deadline=None)
def test_one_row_added(tmp_path_factory, content, other, data):
    place = data.draw(st.integers(0, len(content)))
    longer = [*content[:place], other, *content[place:]]
    privacy = 'neighbours = "add-or-remove"\nsize_at_most = 20'
    _compare(tmp_path_factory.mktemp("pair"), content, longer, privacy)


@given(st.lists(rows, max_size=6), st.lists(rows, max_size=5), st.data())
@settings(max_examples=PAIRS, deadline=None)
def test_one_person_with_many_rows(tmp_path_factory, content, theirs, data):
    relation = data.draw(st.sampled_from(["change", "add-or-remove"]))
    person = [(b"somebody else", *row[1:]) for row in theirs]
    privacy = (
        f'unit = "person"\nmost_rows_per_unit = 2\nneighbours = "{relation}"\nsize_at_most = 20'
    )
    _compare(tmp_path_factory.mktemp("pair"), content, [*person, *content], privacy)


def test_the_budget_runs_out_for_both(tmp_path):
    """The test above would be weak if no question were ever refused: the sixth one is."""
    seen = _seen(_write(tmp_path / "one", [(b"p1", b"1", b"2", b"A", b"yes", *REST)], "size = 1"))
    assert sum(line[0] == "refused" for line in seen) >= 1


@pytest.mark.parametrize("content", [b"\xff" * 9, b"x" * 12_000_000])
def test_a_record_that_the_engine_would_skip_is_a_row(tmp_path, content):
    whole = (b"p1", b"1", b"10", b"A", b"yes", *REST)
    torn = (b"p2", content, b"10", b"A", b"no", b"", b"", b"")
    file = _write(tmp_path / "one", [whole, torn, whole], "size = 3")
    with open_dataset(file, analyst="ana") as survey:
        assert survey.count().ask(epsilon=1).value == 3


def _counted(file, sql):
    """What is counted of each group, and the span of what is summed; None where that is refused."""
    facts = read_dataset(file)
    try:
        question = parse_sql(sql, facts)
        grouping, item = grouping_of(question, facts), question.items[0]
        subject = subject_of(item, question, facts)
        reading = Reading.of(question, subject, grouping, facts=facts)
    except DiscreetError:
        return None
    with open_table(facts, Key(bytes.fromhex(KEY))) as table:
        counted = reading.counted(table)
    span = 1 if item.column is None else max(facts.column(item.column).size - 1, 1)
    return [(one.rows, one.total) for one in counted], span


groups = st.one_of(st.just(""), st.lists(GROUPS, min_size=1, max_size=2).map(", ".join))
plain = st.integers(0, 60).map(lambda place: b"p1," + row(place).encode())


@given(
    st.one_of(st.just("COUNT(*)"), NUMBERS.map(lambda number: f"SUM({number})")),
    st.one_of(st.just("TRUE"), CONDITIONS),
    groups,
    st.lists(plain, min_size=1, max_size=6),
    st.one_of(plain, rows, lines),
    st.data(),
)
@settings(max_examples=COUNTED, deadline=None)
def test_one_record_moves_counts_by_one_record_whatever_is_asked(
    tmp_path_factory, what, where, by, content, other, data
):
    """It leaves one group and comes to another, and adds no more to a sum than a row may hold."""
    place = data.draw(st.integers(0, len(content) - 1))
    changed = [*content[:place], other, *content[place + 1 :]]
    sql = f"SELECT {what} WHERE {where}" + (f" GROUP BY {by}" if by else "")
    folder = tmp_path_factory.getbasetemp() / "counted"
    folder.mkdir(exist_ok=True)
    told = [_counted(_write(folder / name, table, f"size = {len(content)}"), sql)
            for name, table in (("one", content), ("two", changed))]  # fmt: skip
    if told[0] is None:
        assert told[1] is None
        return
    (before, span), (after, _) = told
    moved = [b[0] - a[0] for a, b in zip(before, after, strict=True)]
    if "ROLLUP" not in by and "CUBE" not in by and "SETS" not in by and "CUMULATIVE" not in by:
        assert sum(map(abs, moved)) <= 2
        assert abs(sum(moved)) <= 1
    assert all(abs(one) <= 1 for one in moved)
    assert all(abs(b[1] - a[1]) <= span for a, b in zip(before, after, strict=True))
