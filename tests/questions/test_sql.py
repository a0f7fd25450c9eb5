"""SQL becomes a small tree of index sets; everything else is refused in one sentence."""

import logging
import os

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sqlglot import exp
from sqlglot.dialects.duckdb import DuckDB

from discreet.errors import QuestionError
from discreet.questions import parse_condition, parse_sql, question_text
from discreet.questions.conditions import holds, rows_where, to_sql
from discreet.tables import TABLE, open_table, read_dataset
from small_survey import CLINIC, HEADER, HEAVY, MOOD, SMOKES, dataset_text, with_gaps

FUZZED = 100_000 if os.environ.get("DISCREET_SOAK") else 1_000


@pytest.fixture(scope="module")
def dataset(tmp_path_factory):
    folder = tmp_path_factory.mktemp("clinic")
    (folder / "clinic.toml").write_text(
        dataset_text(
            "size_at_most = 1000",
            "3",
            columns=with_gaps(MOOD + HEAVY + CLINIC + SMOKES),
            source='path = "clinic.csv"',
        )
    )
    cells = [
        f"{mood},{weight},{clinic},{smokes}"
        for mood in ("1", "2", "3", "5", "", "9")
        for weight in ("10", "27.25", "50", "nan")
        for clinic in ("A", "B", "Z", "")
        for smokes in ("yes", "no", "perhaps")
    ]
    (folder / "clinic.csv").write_text(f"{HEADER}\n" + "\n".join(cells) + "\n")
    return read_dataset(folder / "clinic.toml")


@pytest.fixture(scope="module")
def table(dataset):
    with open_table(dataset) as opened:
        yield opened


numbers = st.one_of(st.integers(-3, 60), st.decimals(-3, 60, places=2)).map(str)
words = st.sampled_from(["'A'", "'B'", "'other'"])
leaves = st.one_of(
    st.tuples(
        st.sampled_from(["mood", "weight"]),
        st.sampled_from(["=", "!=", "<>", "<", "<=", ">", ">="]),
        numbers,
    ).map(" ".join),
    st.tuples(st.sampled_from(["mood", "weight"]), numbers, numbers).map(
        lambda t: f"{t[0]} BETWEEN {t[1]} AND {t[2]}"
    ),
    st.tuples(st.sampled_from(["mood", "weight"]), st.lists(numbers, min_size=1, max_size=3)).map(
        lambda t: f"{t[0]} IN ({', '.join(t[1])})"
    ),
    st.tuples(st.sampled_from(["=", "!="]), words).map(lambda t: f"clinic {t[0]} {t[1]}"),
    st.just("smokes"),
    st.just("NOT smokes"),
    st.sampled_from(["mood", "weight", "clinic", "smokes"]).map(lambda name: f"{name} IS NULL"),
    st.sampled_from(["mood", "clinic"]).map(lambda name: f"{name} IS NOT NULL"),
    st.tuples(numbers, st.sampled_from(["<", ">="])).map(lambda t: f"{t[0]} {t[1]} mood"),
)
conditions = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["AND", "OR"]), inner).map(lambda t: f"({' '.join(t)})"),
        inner.map(lambda text: f"NOT ({text})"),
    ),
    max_leaves=6,
)


@given(conditions)
@settings(max_examples=150, deadline=None)
def test_the_engine_the_arrays_and_the_tree_agree_on_every_row(dataset, table, text):
    condition = parse_condition(text, dataset)
    names = [column.name for column in dataset.columns]
    columns = [exp.column(name, quoted=True) for name in names]
    every = exp.select(*columns).from_(TABLE)
    expected = sorted(
        row
        for row in table.rows(every)
        if holds(condition, dict(zip(names, row, strict=True))) is True
    )
    assert sorted(table.rows(every.where(to_sql(condition)))) == expected
    chosen = rows_where(condition, table.columns)
    arrays = [table.columns[name][chosen].tolist() for name in names]
    assert sorted(zip(*arrays, strict=True)) == expected


def test_comparisons_are_exact_between_grid_points(dataset):
    for text, first, last in (
        ("weight > 27.2", 35, 80),
        ("weight >= 27.5", 35, 80),
        ("weight < 27.5", 0, 34),
        ("weight <= 27.4999999999999999999", 0, 34),
        ("weight > -1e9", 0, 80),
    ):
        condition = parse_condition(text, dataset)
        assert (condition.first, condition.last) == (first, last), text
    for text in ("weight = 27.3", "weight < -1e9", "weight > 1e9"):
        assert parse_condition(text, dataset).indices == (), text


@pytest.mark.parametrize(
    ("sql", "kinds"),
    [
        ("SELECT COUNT(*)", ["count"]),
        ("select count(*) from data where clinic = 'A'", ["count"]),
        ("SELECT COUNT(mood > 3), SHARE(smokes) FROM clinic", ["count", "share"]),
        ("SELECT COUNT(smokes), COUNT_IF(mood > 3)", ["count", "count"]),
        ("SELECT COUNT(mood > 3 AND smokes = 'true')", ["count"]),
        ("SELECT clinic, COUNT(1) FROM data GROUP BY ALL", ["count"]),
        ("SELECT AVG(mood) AS m, m * 2 - 1 AS twice FROM data", ["mean"]),
        ("SELECT COUNT(DISTINCT mood), COUNT(DISTINCT clinic)", ["distinct", "distinct"]),
        ("SELECT COUNT(mood), COUNT(*) WHERE clinic IS NOT NULL", ["count", "count"]),
        ("SELECT SUM(mood), AVG(mood), MEAN(weight)", ["sum", "mean", "mean"]),
        ("SELECT MIN(mood), MAX(mood), MEDIAN(mood) AS m", ["min", "max", "median"]),
        ("SELECT QUANTILE(weight, 0.9), MODE(clinic), TOP(clinic, 2)", ["quantile", "mode", "top"]),
        ("SELECT clinic, COUNT(*) FROM data GROUP BY clinic", ["count"]),
        ("SELECT BIN(weight, 5), COUNT(*) GROUP BY BIN(weight, 5)", ["count"]),
        ("SELECT smokes, COUNT(*), clinic GROUP BY clinic, BIN(weight, 5), smokes", ["count"]),
    ],
)
def test_what_can_be_asked(dataset, sql, kinds):
    assert [item.statistic.name for item in parse_sql(sql, dataset).items] == kinds


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT AVG(alk.phos)",
        "SELECT AVG(alk.phos) FROM data",
        "SELECT MEDIAN(ALK.Phos + 1)",
        "SELECT COUNT(*) WHERE alk.phos > 3",
        "SELECT COUNT(*) GROUP BY BIN(alk.phos, 5)",
    ],
)
def test_a_name_with_a_dot_is_asked_for_its_quotes(tmp_path, sql):
    file = tmp_path / "clinic.toml"
    heavy = HEAVY.replace("[columns.weight]", '[columns."alk.phos"]')
    assert heavy != HEAVY
    file.write_text(dataset_text("size = 10", "3", columns=heavy, source='path = "clinic.csv"'))
    with pytest.raises(QuestionError, match=r'^write "alk\.phos" in double quotes'):
        parse_sql(sql, read_dataset(file))


@pytest.mark.parametrize(
    ("sql", "reason"),
    [
        ("", "a question must be a line of SQL"),
        (None, "a question must be a line of SQL"),
        (3, "a question must be a line of SQL"),
        ("SELECT", "ask SELECT with COUNT"),
        ("SELECT * FROM data", "values of single rows are never released"),
        ("SELECT mood FROM data", "only one for each group: SELECT COUNT(*) GROUP BY mood"),
        (
            "SELECT clinic, AVG(mood)",
            "'clinic' cannot be asked; values of single rows",
        ),
        ("SELECT COUNT(*) FROM data JOIN data", "JOIN is not possible here"),
        ("SELECT COUNT(*) FROM data, data", "not possible here"),
        ("SELECT COUNT(*) FROM (SELECT 1)", "a question inside another cannot be asked; write its"),
        ("SELECT COUNT(*) FROM other.data", "there is only one table here"),
        ("SELECT COUNT(*) FROM read_csv('x')", "there is only one table here"),
        ("SELECT COUNT(*) FROM data TABLESAMPLE 10%", "there is only one table here"),
        ("WITH x AS (SELECT 1) SELECT COUNT(*) FROM x", "question inside another cannot be asked"),
        ("DELETE FROM data", "one SELECT at a time"),
        ("DROP TABLE data", "one SELECT at a time"),
        ("SELECT COUNT(*); DROP TABLE data", "one SELECT at a time"),
        ("SELECT COUNT(*) UNION SELECT COUNT(*)", "one SELECT at a time"),
        ("SELECT DISTINCT clinic", "DISTINCT is not possible here: the declared values are public"),
        ("SELECT SUM(COUNT(*)) OVER (ORDER BY mood) GROUP BY mood", "GROUP BY CUMULATIVE(mood)"),
        (
            "SELECT AVG(mood) OVER (PARTITION BY clinic)",
            "released; ask SELECT AVG(mood) GROUP BY clinic",
        ),
        ("SELECT mood, COUNT(*) + clinic GROUP BY ALL", "is not an answer to compute with"),
        ("SELECT COUNT(DISTINCT mood, clinic)", "COUNT(DISTINCT …) takes one column"),
        ("SELECT COUNT(DISTINCT nothing)", "there is no column 'nothing'"),
        ("SELECT COUNT()", "nothing is not a condition"),
        ("SELECT QUANTILE()", "a declared column is expected here, got nothing"),
        (
            "SELECT QUANTILE(mood)",
            "QUANTILE(mood) lacks its p, from 0 to 1: write QUANTILE(mood, 0.9)",
        ),
        ("SELECT TOP(clinic)", "TOP(clinic) lacks its r, how many: write TOP(clinic, 3)"),
        ("SELECT COUNT(*) WHERE clinic='O'Brien'", "a quote inside words is doubled: 'O''Brien'"),
        ("SELECT COUNT(*) WHERE clinic IN ('O'Brien', 'D'Arc')", "inside words is doubled"),
        ("SELECT COUNT(*) WHERE clinic = 'A", "the quote before 'A' is not closed"),
        ('SELECT COUNT("smokes)', "the quote before 'smokes)' is not closed"),
        ("SELECT COUNT(*) WHERE (", "the parenthesis at the end is not closed"),
        ("SELECT COUNT(*) OVER ()", "cannot be asked"),
        (
            "SELECT AVG(mood / weight)",
            "is a division, so it may be any fraction; choose how finely",
        ),
        ("SELECT AVG(nothing)", "there is no column 'nothing'"),
        ("SELECT AVG(modo)", "there is no column 'modo', perhaps 'mood' is meant; columns:"),
        (
            "SELECT COUNT(*) WHERE clinic = 'a'",
            "'a' is not a value of clinic, perhaps 'A' is meant",
        ),
        ("SELECT TOP 5 mood, COUNT(*) GROUP BY mood", "add ORDER BY … LIMIT 5 to"),
        ("SELECT AVG(e.mood) FROM data d", "one table here: write mood without 'e', got 'e.mood'"),
        ("SELECT AVG(clinic)", "mean needs numbers, but clinic holds words"),
        ("SELECT SUM(DISTINCT mood)", "a declared column is expected here"),
        ("SELECT error('x')", "cannot be asked"),
        ("SELECT SLEEP(10)", "cannot be asked"),
        ("SELECT QUANTILE(mood, 2)", "needs p from 0 to 1"),
        ("SELECT QUANTILE(mood, mood)", "a constant is expected here"),
        ("SELECT TOP(clinic, 99)", "needs r from 1 to 3"),
        ("SELECT TOP(clinic, 1.5)", "a whole number"),
        ("SELECT TOP(mood, 2)", "TOP counts words"),
        ("SELECT COUNT(*) GROUP BY clinic, mood, clinic", "GROUP BY names clinic twice"),
        ("SELECT COUNT(*) GROUP BY BIN(mood, 2), mood", "GROUP BY names mood twice"),
        ("SELECT COUNT(*) GROUP BY COUNT(*)", "GROUP BY takes columns"),
        ("SELECT COUNT(*) GROUP BY clinic, 7", "GROUP BY takes columns"),
        ("SELECT COUNT(*) GROUP BY ROLLUP (clinic, AVG(mood))", "GROUP BY takes columns"),
        ("SELECT COUNT(*) GROUP BY BIN(clinic, 2)", "BIN needs numbers"),
        ("SELECT COUNT(*) GROUP BY BIN(weight, 0.3)", "a whole number of steps of 0.5"),
        ("SELECT COUNT(*) GROUP BY BIN(mood, 0)", "a bin must be at least one step wide, which is"),
        ("SELECT COUNT(*) GROUP BY BIN(mood, -3)", "a bin must be at least one step wide, which"),
        ('SELECT COUNT(clinic LIKE "%A")', "LIKE takes a pattern in 'single' quotes"),
        ("SELECT COUNT(UPPER(clinic) LIKE clinic)", "LIKE takes a pattern in 'single' quotes"),
        ("SELECT COUNT(*) FROM other", "write FROM survey or FROM data, or leave FROM out"),
        ("hello world", "there is no SELECT in 'hello world'"),
        ("SELECT COUNT(*) WHERE mood = NULL", "a constant is expected here"),
        ("SELECT COUNT(*) WHERE mood IS TRUE", "is not supported here"),
        ("SELECT COUNT(*) WHERE mood LIKE '3'", "LIKE is for words, and mood does not hold words"),
        ("SELECT COUNT(*) WHERE mood = 'x'", "must be a number"),
        ("SELECT COUNT(*) WHERE clinic = 'Z'", "'Z' is not a value of clinic; values: A, B, other"),
        (
            "SELECT COUNT(*) WHERE smokes = 'yes'",
            "'yes' is not a value of smokes; values: false, true; write smokes, or NOT smokes",
        ),
        ("SELECT COUNT(*) WHERE clinic < 'B'", "clinic has no order"),
        ("SELECT COUNT(*) WHERE CAST(mood AS INT) = 1", "is not supported here; write ROUND(x)"),
        ("SELECT COUNT(*) WHERE mood = (SELECT 1)", "write its answer as a constant: SELECT"),
        ("SELECT COUNT(*) WHERE mood IN (SELECT 1)", "write its answer as a constant: SELECT"),
        ("SELECT COUNT(*) WHERE 1 = 1", "'1 = 1' is not a condition; compare columns"),
        ("SELECT COUNT(*) WHERE mood + 1", "'mood + 1' is not a condition; compare columns"),
        ("SELECT COUNT_IF(smokes, clinic)", "cannot be asked"),
        ("SELECT BIN(mood, 1), COUNT(*) GROUP BY BIN(mood, 2)", "the answer names its groups"),
        ("SELECT mood, COUNT(*) GROUP BY BIN(mood, 2)", "the answer names its groups"),
        ("SELECT clinic, COUNT(*) GROUP BY smokes", "the answer names its groups"),
        ("EXPLAIN SELECT COUNT(*)", "one SELECT at a time"),
        ("SELECT AVG(mood) FROM data AS d(weight, mood)", "there is only one table here"),
        ("SELECT COUNT(* EXCLUDE (mood))", "is not a condition"),
        ("SELECT COUNT(* REPLACE (1 AS mood))", "is not a condition"),
        ("SELECT COUNT(*) WHERE mood = clinic", "cannot be compared: numbers and words"),
        ("SELECT " + "(" * 5000, "at most 50 levels of parentheses"),
        ("SELECT COUNT(*) WHERE " + "NOT " * 2400 + "smokes", "ask SELECT"),
        ("x" * 20_000, "at most 10,000 characters"),
        ("SELECT COUNT(*)" + ", COUNT(*)" * 60, "at most 50 statistics"),
    ],
)
def test_what_cannot_be_asked_is_refused_in_one_sentence(dataset, sql, reason):
    with pytest.raises(QuestionError) as refused:
        parse_sql(sql, dataset)
    assert reason in str(refused.value)
    assert "\n" not in str(refused.value)


SCRAPS = """
SELECT FROM data WHERE GROUP BY COUNT ( ) * , AND OR NOT IN BETWEEN = < > != mood weight clinic
smokes 'A' 3 0.5 -1 1e9 NULL TRUE ; -- /* */ " ' AVG SUM MEDIAN QUANTILE BIN TOP SHARE CASE WHEN
THEN END CAST AS INT :: [ ] { } || + / % $ @ ? ε \\ JOIN UNION LIMIT OVER WITH
HAVING ORDER OFFSET DESC FILTER( RATIO( OVER ()
ROUND( LEAST( CLAMP( COALESCE( ABS( IF( NULLIF( YEAR( DATE_TRUNC('month', DATE_DIFF('day', AGE_AT(
ELSE LIKE ILIKE IS 'A%' - DATE '2023-05-01' INTERVAL DAY MONTH EXTRACT( DAYNAME( visit
"""
pieces = st.sampled_from(SCRAPS.split())


def refusal(sql, dataset):
    """The message of a refusal; empty when the question was understood."""
    try:
        parse_sql(sql, dataset)
    except QuestionError as refused:
        return str(refused)
    return ""


@given(st.one_of(st.lists(pieces, max_size=25).map(" ".join), st.text(max_size=80)))
@settings(max_examples=FUZZED, deadline=None)
@example("SELECT COUNT(*) WHERE mood = 1e400")
@example("SELECT COUNT(*) WHERE mood = 1e999999999")
@example("SELECT TOP(clinic, 1e300)")
@example("SELECT COUNT()@0")
@example("SELECT COUNT()")
@example("SELECT COUNT_IF()")
@example("SELECT SHARE()")
@example("SELECT QUANTILE()")
@example("SELECT MEDIAN()")
@example("SELECT COUNT(*) WHERE mood IN ()")
def test_no_string_does_more_than_be_refused(dataset, text):
    assert "\n" not in refusal(text, dataset)


def test_the_parser_says_nothing_by_itself(dataset, capfd, caplog):
    caplog.set_level("CRITICAL", "sqlglot")
    with pytest.raises(QuestionError):
        parse_sql("EXPLAIN SELECT COUNT(*)", dataset)
    assert any(
        isinstance(one, logging.NullHandler) for one in logging.getLogger("sqlglot").handlers
    )
    assert capfd.readouterr() == ("", "")


def test_a_comment_is_no_part_of_a_label(dataset):
    (statistic,) = parse_sql("SELECT COUNT(*) /* AVG(mood) */", dataset).items
    assert statistic.label == "COUNT(*)"


@pytest.mark.parametrize(
    ("written", "plainly"),
    [
        ("SELECT AVG(data.mood) FROM data", "SELECT AVG(mood)"),
        ("SELECT SUM((mood)), (MAX(mood)) AS most", "SELECT SUM(mood), MAX(mood)"),
        ("SELECT COUNT(*) WHERE (mood) > (3)", "SELECT COUNT(*) WHERE mood > 3"),
        ("SELECT QUANTILE_DISC(mood, 0.9)", "SELECT QUANTILE(mood, 0.9)"),
        ("SELECT PERCENTILE_DISC(mood, 0.9)", "SELECT QUANTILE(mood, 0.9)"),
        ("SELECT clinic, COUNT(*) GROUP BY clinic", "SELECT COUNT(*) GROUP BY clinic"),
        ("SELECT COUNT(*) GROUP BY clinic, BIN(mood, 2), smokes",
         "SELECT COUNT(*) GROUP BY clinic, BIN(mood, 2), smokes"),
        ("SELECT BIN(mood, 2) b, COUNT(*) GROUP BY BIN(mood, 2)",
         "SELECT COUNT(*) GROUP BY BIN(mood, 2)"),
    ],
)  # fmt: skip
def test_what_people_write_otherwise_is_the_same_question(dataset, written, plainly):
    assert parse_sql(written, dataset).digest == parse_sql(plainly, dataset).digest


@pytest.mark.parametrize("ends", ["2 AND 4", "4 AND 2"])
def test_between_symmetric_does_not_mind_the_order(dataset, table, ends):
    symmetric = parse_condition(f"mood BETWEEN SYMMETRIC {ends}", dataset)
    plain = parse_condition("mood BETWEEN 2 AND 4", dataset)
    for mood in range(5):
        assert holds(symmetric, {"mood": mood}) == holds(plain, {"mood": mood})


def test_a_dataset_may_be_called_as_a_keyword_is(tmp_path):
    """The parser stumbles over FROM force; words in quotes stay what they are."""
    (tmp_path / "force.csv").write_text(f"{HEADER}\n1,10,A,yes\n")
    (tmp_path / "force.toml").write_text(
        dataset_text("size = 1", source='path = "force.csv"', name="force")
    )
    facts = read_dataset(tmp_path / "force.toml")
    plainly = parse_sql("SELECT AVG(mood) WHERE clinic = 'A'", facts)
    for table in ("force", '"force"', "FORCE"):
        asked = parse_sql(f"SELECT AVG(mood) FROM {table} WHERE clinic = 'A'", facts)
        assert asked.digest == plainly.digest
    with pytest.raises(QuestionError, match="is not closed"):
        parse_sql("SELECT COUNT(clinic = 'A FROM force", facts)


def test_the_same_question_has_the_same_digest_however_it_is_written(dataset):
    one = parse_sql("SELECT COUNT(*) FROM data WHERE mood >= 3 AND clinic = 'A'", dataset)
    other = parse_sql("select  count(*)  where (3 <= mood) and (clinic = 'A')", dataset)
    assert one.digest == other.digest
    assert one.digest != parse_sql("SELECT COUNT(*) WHERE mood >= 2", dataset).digest


@pytest.mark.parametrize(
    "sql",
    [
        'SELECT COUNT(*) WHERE clinic = "A"',
        'SELECT COUNT(*) WHERE clinic IN ("A", "B")',
        'SELECT COUNT(*) WHERE "A" = clinic',
        "SELECT COUNT(*) WHERE clinic = A",
        "SELECT COUNT(*) WHERE clinic = ‘A’",
        "SELECT COUNT(*) WHERE clinic = “A or B”",
        "SELECT COUNT(*) WHERE “clinic” = 'A'",
        "SELECT COUNT(*) WHERE 'clinic' = 'A'",
        "SELECT COUNT(*) WHERE clinic = 'A",
        "SELECT COUNT(*) GROUP BY 'clinic'",
        "SELECT AVG('weight')",
        "SELECT AVG(weight (kg))",
        "SELECT MEDIAN(pain score)",
    ],
)
def test_wrong_quotes_are_explained(dataset, sql):
    with pytest.raises(QuestionError) as refused:
        parse_sql(sql, dataset)
    ending = "; words go in 'single' quotes, names of columns and tables in \"double\" quotes"
    assert str(refused.value).endswith(ending)


@pytest.mark.parametrize(
    "nested",
    ["INT(" * 40 + "1" + ")" * 40, "ROW(" * 40 + "1" + ")" * 40, "TO_BOOLEAN(" * 9 + "1" + ")" * 9,
     "[" * 40 + "1" + "]" * 40, "CAST(1 AS " + "ARRAY<" * 40 + "INT" + ">" * 40 + ")",
     "age = " + "- " * 3000 + "1", "a" + ".a" * 3000],
)  # fmt: skip
def test_what_would_take_the_parser_for_ever_is_refused_at_once(nested, dataset):
    """sqlglot's time doubles with every level of calls and types."""
    for sql in (f"SELECT {nested}", f"SELECT COUNT(*) WHERE {nested}"):
        with pytest.raises(QuestionError):
            parse_sql(sql, dataset)


KEYWORDS = sorted({word.lower() for word in DuckDB.Tokenizer.KEYWORDS if word.isidentifier()})


def test_a_column_may_be_called_as_any_word_of_sql(tmp_path):
    names = [*KEYWORDS, "lambda"]
    columns = "".join(f'[columns."{name}"]\ntype = "boolean"\n' for name in names)
    file = tmp_path / "words.toml"
    file.write_text(dataset_text(columns=columns))
    dataset = read_dataset(file)
    for name in names:
        asked = parse_sql(f'SELECT COUNT("{name}"), SHARE("{name}") GROUP BY "{name}"', dataset)
        assert parse_sql(question_text(asked, dataset), dataset).digest == asked.digest, name
