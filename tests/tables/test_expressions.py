"""An expression is a total function of a row: an engine, numpy and plain Python agree on it."""

import os
from datetime import date, datetime, timedelta
from fractions import Fraction

import duckdb
import numpy as np
import pytest
from hypothesis import assume, event, given, settings
from hypothesis import strategies as st
from sqlglot import exp

from discreet.errors import QuestionError
from discreet.tables import GAP, CategoryColumn, DateColumn
from discreet.tables.declared import column_of
from discreet.tables.expressions import derive, parsed_expression, text_of, tree, with_derived
from discreet.text import Resolution
from plain_expressions import evaluate

MANY = 20_000 if os.environ.get("DISCREET_SOAK") else 100
FACTS = {
    "age": {"type": "integer", "low": 0, "high": 120},
    "change": {"type": "integer", "low": -7, "high": 9, "step": 2, "missing": 1},
    "weight": {"type": "number", "low": 30, "high": 200, "step": 0.5},
    "height": {"type": "number", "low": 0, "high": 2.2, "step": 0.01},
    "visit": {"type": "date", "low": "2019-12-25", "high": "2024-03-02"},
    "seen": {
        "type": "timestamp",
        "low": "2020-02-27",
        "high": "2020-03-02",
        "resolution": "minute",
    },
    "born": {"type": "date", "low": "1931-01-01", "high": "2003-12-31", "missing": "1931-01-01"},
    "clinic": {"type": "category", "values": ["North", "South", "north-east"]},
    "smokes": {"type": "boolean"},
}
COLUMNS = {name: column_of(name, facts) for name, facts in FACTS.items()}
NUMBERS, DATES = ("age", "change", "weight", "height"), ("visit", "seen", "born")
LIMIT = Fraction(1, 100)

constants = st.fractions(-50, 200, max_denominator=4).map(tree.Constant)
moments = st.one_of(
    st.dates(date(2019, 1, 1), date(2025, 1, 1)),
    st.builds(
        lambda minutes: datetime(2020, 2, 20) + timedelta(minutes=minutes), st.integers(0, 9_999)
    ),
).map(tree.Constant)


def pair(kind, one, other):
    return st.builds(kind, one, other)


def grown(numbers, dates, words, truths):
    """What can be made of simpler expressions, of each kind."""
    step = st.sampled_from([Fraction(1, 2), Fraction(1, 10), Fraction(1), Fraction(0)])
    call = lambda name, *given: st.builds(  # noqa: E731
        lambda *told: tree.Call(tree.Function(name), told), *given
    )
    cases = lambda told: st.builds(  # noqa: E731
        lambda pairs, last: tree.Case(tuple(pairs), last),
        st.lists(st.tuples(truths, told), min_size=1, max_size=2),
        st.one_of(told, st.just(tree.NOTHING)),
    )
    more_numbers = st.one_of(
        st.builds(tree.Combined, st.sampled_from(list(tree.Sign)), numbers, numbers),
        call("ABS", numbers),
        call("ROUND", numbers, step.map(tree.Constant)),
        call("FLOOR", numbers),
        call("CEIL", numbers),
        call("LEAST", numbers, numbers, numbers),
        call("GREATEST", numbers, numbers),
        call("COALESCE", numbers, numbers),
        st.builds(
            lambda inner, ends: tree.Call(
                tree.Function.CLAMP, (inner, *map(tree.Constant, sorted(map(Fraction, ends))))
            ),
            numbers,
            st.tuples(st.integers(-9, 99), st.integers(-9, 99)),
        ),
        cases(numbers),
        st.builds(lambda one, other: tree.Combined(tree.Sign.MINUS, one, other), dates, dates),
        call("AGE_AT", dates, dates),
        st.builds(
            tree.Taken,
            st.sampled_from([part for part in tree.DatePart if not part.value.endswith("NAME")]),
            dates,
        ),
        st.builds(tree.Between, st.sampled_from(list(Resolution)), dates, dates),
    )
    more_dates = st.one_of(
        st.builds(tree.Cut, st.sampled_from(list(Resolution)), dates),
        st.builds(
            tree.Moved,
            dates,
            st.integers(-40, 40),
            st.sampled_from([Resolution.WEEK, Resolution.DAY, Resolution.HOUR, Resolution.MINUTE]),
        ),
        cases(dates),
        call("LEAST", dates, dates),
        call("COALESCE", dates, dates),
    )
    more_words = st.one_of(
        cases(words),
        call("COALESCE", words, words),
        st.builds(
            tree.Taken, st.sampled_from([tree.DatePart.DAYNAME, tree.DatePart.MONTHNAME]), dates
        ),
    )
    relations = st.sampled_from(list(tree.ComparisonSign))
    more_truths = st.one_of(
        st.builds(tree.Compared, relations, numbers, numbers),
        st.builds(tree.Compared, relations, dates, dates),
        st.builds(
            tree.Compared,
            st.sampled_from([tree.ComparisonSign.EQUAL, tree.ComparisonSign.UNLIKE]),
            st.just(tree.Cell("clinic")),
            st.sampled_from([tree.Constant("North"), tree.Cell("clinic")]),
        ),
        st.builds(tree.Like, words, st.sampled_from(["North%", "%o_th", "", "%"]), st.booleans()),
        st.one_of(numbers, dates, words).map(tree.Missing),
        truths.map(tree.Denied),
        st.lists(truths, min_size=2, max_size=3).map(lambda parts: tree.All(tuple(parts))),
        st.lists(truths, min_size=2, max_size=3).map(lambda parts: tree.Some(tuple(parts))),
        cases(truths),
    )
    return more_numbers, more_dates, more_words, more_truths


def every(depth):
    numbers = st.one_of(st.sampled_from(NUMBERS).map(tree.Cell), constants)
    dates = st.one_of(st.sampled_from(DATES).map(tree.Cell), moments)
    words = st.one_of(
        st.just(tree.Cell("clinic")), st.sampled_from(["South", "x"]).map(tree.Constant)
    )
    truths = st.one_of(st.just(tree.Cell("smokes")), st.booleans().map(tree.Constant))
    kinds = (numbers, dates, words, truths)
    for _ in range(depth):
        kinds = tuple(st.one_of(*pair) for pair in zip(kinds, grown(*kinds), strict=True))
    return kinds


numbers, dates, words, truths = every(3)
expressions = st.one_of(
    numbers.map(lambda one: tree.Call(tree.Function.ROUND, (one, tree.Constant(Fraction(1, 2))))),
    numbers, dates, words, truths,
)  # fmt: skip
rows = st.fixed_dictionaries(
    {
        name: st.integers(GAP if column.missing is None else 0, column.size - 1)
        for name, column in COLUMNS.items()
    }
)


def value_of(column, index):
    if index == GAP:
        return None
    if isinstance(column, CategoryColumn):
        word = column.labels.names[index]
        return word == "true" if column.is_boolean else word
    number = column.grid.value(index)
    if not isinstance(column, DateColumn):
        return number
    days = column.resolution == "day"
    moment = datetime(1970, 1, 1) + timedelta(minutes=int(number) * (1_440 if days else 1))
    return moment.date() if days else moment


def place_of(column, value):
    """The index of a value that plain Python found; it must be on the grid."""
    if value is None:
        return GAP
    if isinstance(column, CategoryColumn):
        return column.labels.index(str(value).lower() if isinstance(value, bool) else value)
    number = column.count(value) if isinstance(column, DateColumn) else value
    return column.grid.index(number)


def in_duckdb(derived, table):
    with duckdb.connect() as held:
        names = ", ".join(f'"{name}" BIGINT' for name in COLUMNS)
        held.execute(f"CREATE TABLE clean ({names})")
        held.executemany(
            f"INSERT INTO clean VALUES ({', '.join('?' * len(COLUMNS))})",
            [[row[name] for name in COLUMNS] for row in table],
        )
        select = exp.select(exp.column("found", quoted=True)).from_("clean")
        told = with_derived(select, {"found": derived})
        return [row[0] for row in held.execute(told).fetchall()]


@given(expressions, st.lists(rows, min_size=1, max_size=12))
@settings(max_examples=MANY, deadline=None)
def test_engine_numpy_and_python_agree_on_every_row(expression, table):
    try:
        derived = derive(expression, COLUMNS.__getitem__)
    except QuestionError:
        event("refused")
        assume(False)
    column = derived.column
    expected = [
        place_of(column, evaluate(expression, {n: value_of(COLUMNS[n], i) for n, i in row.items()}))
        for row in table
    ]
    assert GAP not in expected or column.missing is None, "a gap was thought impossible"
    arrays = {name: np.array([row[name] for row in table]) for name in COLUMNS}
    assert derived.cells(arrays).tolist() == expected
    assert in_duckdb(derived, table) == expected


def cell(node):
    return tree.Cell(node.name)


def _parts(expression):
    yield expression
    for one in tree.inside(expression):
        yield from _parts(one)


def _is_moved_constant(part):
    return isinstance(part, tree.Moved) and isinstance(part.moment, tree.Constant | tree.Moved)


@given(expressions)
@settings(max_examples=MANY, deadline=None)
def test_an_expression_reads_as_it_is_written(expression):
    """Constants that are moved are read as one constant, so they are none of these."""
    assume(not any(_is_moved_constant(one) for one in _parts(expression)))
    text = text_of(expression)
    assume(len(text) < 4000)
    once = parsed_expression(text, cell)
    assert text_of(once) == text_of(parsed_expression(text_of(once), cell))
    try:
        first = derive(expression, COLUMNS.__getitem__, "x").column
    except QuestionError:
        return
    assert derive(once, COLUMNS.__getitem__, "x").column == first


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "weight / height",
            r"is a division, .*: ROUND\(weight / height, 0.1\)",
        ),
        ("weight * height * height * height", r"possible values, .* ROUND\(.*\) or CLAMP\("),
        ("age + clinic", "'clinic': numbers are expected here, got words"),
        ("YEAR(age)", "'age': dates are expected here, got numbers"),
        ("CASE WHEN smokes THEN 1 ELSE 'x' END", "mixes numbers and words; all its values must"),
        ("clinic < 'North'", "words have no order"),
        (
            "clinic = 'Nroth'",
            "'Nroth' is not a value of 'clinic', perhaps 'North' is meant; values: North",
        ),
        ("age > visit", "cannot be compared: numbers and dates"),
        ("CLAMP(age, 9, 1)", "bounds the wrong way round"),
        ("visit + INTERVAL 1 MONTH", "months and years are added to constants"),
        ("age / 0", "divides by 0 in every row"),
        ("POW(age, 2)", r"'POWER\(age, 2\)' is not supported here; write x"),
        ("DATE_TRUNC('moon', visit)", "a unit is one of year, quarter"),
        ("NULL", "always NULL"),
        ("NULLIF(" * 20 + "age" + ", 1)" * 20, "an expression has at most 5,000 parts"),
    ],
)
def test_what_cannot_be_worked_out_is_refused_in_one_line(text, told):
    with pytest.raises(QuestionError, match=told) as problem:
        derive(parsed_expression(text, cell), COLUMNS.__getitem__)
    assert "\n" not in str(problem.value)


def test_a_truth_value_is_another_constant_than_its_number():
    """Python's True equals 1: what is known of one would otherwise be taken for the other."""
    assert tree.Constant(True) != tree.Constant(Fraction(1))
    assert tree.Constant(False) != tree.Constant(Fraction(0))
    assert len({tree.Constant(True), tree.Constant(Fraction(1)), tree.Constant(True)}) == 2


@pytest.mark.parametrize(
    ("text", "gaps"),
    [
        ("COALESCE(age, 1)", False),
        ("COALESCE(age, weight)", True),
        ("COALESCE(age, weight, 1) + 1", False),
        ("GREATEST(age, 1)", False),
        ("LEAST(age, weight)", True),
        ("COALESCE(age, 1) + weight", True),
    ],
)
def test_what_has_a_value_in_every_row_is_known_to(text, gaps):
    made = derive(parsed_expression(text, cell), COLUMNS.__getitem__).column
    assert (made.missing is None) == gaps
    assert made.complete != gaps
