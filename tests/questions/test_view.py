"""What is made of answers: bounds that hold, tests as SQL has them, and SQL that is read back."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import QuestionError
from discreet.questions import parse_sql, question_text, reshaped, shown_text
from discreet.questions.view import (
    AndOr,
    AnswerAt,
    Comparing,
    Computed,
    Estimate,
    FormulaNot,
    FormulaNumber,
    Untold,
    passes,
    work_out,
)
from discreet.tables import read_dataset
from small_survey import CLINIC, HEAVY, MOOD, SMOKES, VISIT, dataset_text, with_gaps


@pytest.fixture(scope="module")
def dataset(tmp_path_factory):
    file = tmp_path_factory.mktemp("clinic") / "clinic.toml"
    columns = with_gaps(MOOD + HEAVY + CLINIC + SMOKES) + VISIT
    file.write_text(dataset_text("size_at_most = 1000", "3", columns=columns))
    return read_dataset(file)


numbers = st.fractions(-5, 5, max_denominator=4)
leaves = st.one_of(st.builds(AnswerAt, st.integers(0, 2)), st.builds(FormulaNumber, numbers))
formulas = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.builds(Computed, st.sampled_from("+-*/"), st.tuples(inner, inner)),
        st.builds(
            Computed, st.sampled_from(["ABS", "ROUND", "NULLIF0"]), st.tuples(inner), st.just(1)
        ),
    ),
    max_leaves=6,
)
triples = st.tuples(numbers, numbers, numbers).map(sorted)


@given(formulas, st.tuples(triples, triples, triples), st.tuples(numbers, numbers, numbers))
def test_a_bound_holds_wherever_those_of_its_parts_hold(formula, known, told):
    """Between each low and high lies the truth; the told value may lie anywhere."""
    found = work_out(
        formula,
        lambda one: Estimate(told[one.place], (known[one.place][0], known[one.place][2])),
    )
    truth = work_out(formula, lambda one: Estimate(known[one.place][1], None)).value
    if found.ends is not None and truth is not None:
        assert found.ends[0] <= truth <= found.ends[1]


def test_what_is_not_told_makes_nothing_told():
    def nothing(_):
        return Estimate(None, None)

    assert work_out(Computed("*", (FormulaNumber(Fraction(0)), AnswerAt(0))), nothing).value is None
    assert passes(Comparing(">", AnswerAt(0), FormulaNumber(Fraction(1))), lambda _: None) is None
    assert passes(Untold(AnswerAt(0)), lambda _: None) is True


truths = st.sampled_from([True, False, None])


@given(truths, truths)
def test_tests_are_joined_as_sql_joins_them(first, second):
    def told(one):
        value = Fraction(1) if isinstance(one, FormulaNumber) else (first, second)[one.place]
        return None if value is None else Fraction(value)

    parts = tuple(Comparing("=", AnswerAt(place), FormulaNumber(Fraction(1))) for place in (0, 1))
    table = {True: 1, None: Fraction(1, 2), False: 0}
    back = {value: key for key, value in table.items()}
    each = [table[first], table[second]]
    assert passes(AndOr(True, parts), told) is back[min(each)]
    assert passes(AndOr(False, parts), told) is back[max(each)]
    assert passes(FormulaNot(parts[0]), told) is back[1 - each[0]]


SHAPED = [
    "SELECT SUM(mood) / COUNT(*)",
    "SELECT AVG(mood) - 3, 100.0 * COUNT(smokes) / COUNT(*) AS pct",
    "SELECT clinic, AVG(mood) AS m FROM data GROUP BY clinic HAVING m > 3 ORDER BY m DESC, clinic",
    "SELECT clinic, AVG(mood) GROUP BY 1 HAVING COUNT(*) >= 10 ORDER BY 2 LIMIT 2 OFFSET 1",
    "SELECT COUNT(*) GROUP BY mood HAVING NOT (COUNT(*) BETWEEN 2 AND 3 OR COUNT(*) IN (7, 9))",
    "SELECT AVG(mood) GROUP BY mood HAVING AVG(mood) IS NOT NULL ORDER BY 1 NULLS FIRST",
    "SELECT clinic, 100 * COUNT(*) / SUM(COUNT(*)) OVER () AS share GROUP BY clinic ORDER BY 2",
    "SELECT AVG(mood) FILTER (WHERE smokes) - AVG(mood) FILTER (WHERE NOT smokes) AS gap",
    "SELECT COUNT(mood) FILTER (WHERE smokes), COUNT(*) FILTER (WHERE mood > 2), COUNT(*) - 1",
    "SELECT RATIO(mood, weight), RATIO(SUM(mood), COUNT(*)), WEIGHTED_AVG(mood, weight)",
    "SELECT ROUND(AVG(mood), 1), -AVG(mood), ABS(2 - (3 - SUM(mood))), 4 / (2 / COUNT(*))",
    "SELECT SUM(mood)::double / NULLIF(COUNT(mood), 0), CAST(COUNT(*) AS DECIMAL(9, 2)) * -2",
    "SELECT MONTH(visit) AS month, COUNT(*) AS n GROUP BY month ORDER BY n DESC, month LIMIT 3",
    "SELECT HISTOGRAM(weight, 5) ORDER BY weight DESC FETCH FIRST 3 ROWS ONLY",
    "SELECT MODE(clinic) GROUP BY mood ORDER BY MODE(clinic), mood",
    "SELECT MAX(mood) - MIN(mood), MEDIAN(mood) GROUP BY BIN(weight, 10) ORDER BY BIN(weight, 10)",
    "SELECT d.clinic, COUNT(*) FROM data AS d GROUP BY d.clinic ORDER BY d.clinic DESC",
    "SELECT QUANTILE(mood, 0.9) AS a, QUANTILE(mood, 0.9) AS b GROUP BY clinic HAVING b > 3",
    "SELECT QUARTILES(mood), QUANTILE(mood, 0.5) AS b GROUP BY clinic HAVING b > 3 ORDER BY b",
]


@pytest.mark.parametrize("sql", SHAPED)
def test_what_is_written_is_read_back_as_the_same(dataset, sql):
    question = parse_sql(sql, dataset)
    again = parse_sql(shown_text(question, dataset), dataset)
    assert again.view == question.view
    assert again.view is not None
    assert again.to_dict() == question.to_dict()
    assert parse_sql(question_text(question, dataset), dataset).digest == question.digest


def test_a_view_is_no_part_of_what_is_asked(dataset):
    plain = parse_sql("SELECT COUNT(*) GROUP BY clinic", dataset)
    shaped = parse_sql("SELECT COUNT(*) GROUP BY clinic ORDER BY 1 DESC LIMIT 2", dataset)
    assert (shaped, hash(shaped), shaped.digest) == (plain, hash(plain), plain.digest)
    assert plain.view is None
    assert shaped.view is not None
    needs = parse_sql("SELECT AVG(mood) GROUP BY clinic HAVING COUNT(*) > 3", dataset)
    assert [item.statistic.name for item in needs.items] == ["mean", "count"]
    assert [one.label for one in needs.view.outputs] == ["AVG(mood)"]


def test_how_many_bounds_must_hold_at_once(dataset):
    for sql, many in [
        ("SELECT AVG(mood) - 3 ORDER BY COUNT(*)", 1),
        ("SELECT SUM(mood) / COUNT(*), AVG(mood)", 2),
        ("SELECT COUNT(*) / SUM(COUNT(*)) OVER () GROUP BY clinic", 2),
        ("SELECT SUM(mood) / COUNT(*) + SUM(mood) - MAX(mood)", 3),
    ]:
        assert parse_sql(sql, dataset).view.at_once == many, sql


def test_another_view_replaces_the_clause_that_was_there(dataset):
    question = parse_sql("SELECT AVG(mood) AS m GROUP BY clinic HAVING m > 2 LIMIT 3", dataset)
    question = reshaped(question, dataset, "HAVING", "COUNT(*) > 9")
    question = reshaped(question, dataset, "ORDER BY", "m DESC")
    assert shown_text(question, dataset) == (
        'SELECT AVG(mood) AS "m" GROUP BY clinic HAVING COUNT(*) > 9 '
        "ORDER BY AVG(mood) DESC LIMIT 3"
    )


@pytest.mark.parametrize(
    ("sql", "reason"),
    [
        (
            "SELECT COUNT(*) GROUP BY clinic HAVING clinic = 'A'",
            "conditions on columns go into WHERE",
        ),
        ("SELECT COUNT(*) HAVING COUNT(*) > 'x'", "HAVING compares statistics with numbers"),
        ("SELECT COUNT(*) HAVING COUNT(*) > (SELECT 3)", "ask it on its own first"),
        ("SELECT COUNT(*) GROUP BY clinic HAVING mood", "HAVING compares statistics"),
        ("SELECT COUNT(*) GROUP BY clinic ORDER BY mood", "ORDER BY takes columns of GROUP BY"),
        ("SELECT COUNT(*) ORDER BY 2", "SELECT has places 1 to 1"),
        ("SELECT COUNT(*) ORDER BY ALL", "ORDER BY takes columns of GROUP BY"),
        ("SELECT TOP(clinic, 2) ORDER BY TOP(clinic, 2)", "cannot be sorted by TOP"),
        ("SELECT COUNT(*) LIMIT 0", "LIMIT at least 1"),
        ("SELECT COUNT(*) LIMIT 10%", "take a whole number"),
        ("SELECT COUNT(*) LIMIT mood", "take a whole number"),
        ("SELECT MODE(clinic) || 'x'", "cannot be asked"),
        ("SELECT MODE(clinic) AS m GROUP BY mood HAVING m = 0", "MODE(clinic) is not a number"),
        ("SELECT MODE(clinic) + 1", "MODE(clinic) is not a number, so it cannot be used"),
        ("SELECT MAX(visit) - MIN(visit)", "is not a number, so it cannot be used"),
        ("SELECT AVG(mood) + mood", "is not an answer to compute with"),
        ("SELECT COUNT(*) + 1e99", "have at most 15 digits"),
        ("SELECT ROUND(AVG(mood), mood)", "rounded to 0 to 12 decimals"),
        ("SELECT RATIO(mood)", "write RATIO(SUM(a), SUM(b))"),
        ("SELECT " + "COUNT(*) + " * 150 + "1", "at most 200 parts"),
        (
            "SELECT SUM(AVG(mood)) OVER () / COUNT(*) GROUP BY clinic",
            "the total of counts by group",
        ),
        (
            "SELECT COUNT(*) / SUM(COUNT(*)) OVER () GROUP BY clinic HAVING COUNT(*) > 1",
            "ask without",
        ),
        ("SELECT RANK() OVER (ORDER BY mood)", "values of single rows are never released"),
        ("SELECT mood, LAG(mood) OVER () FROM data", "cannot be asked"),
        ("SELECT SHARE(smokes) FILTER (WHERE mood > 2)", "write WHERE for all"),
    ],
)
def test_what_cannot_be_made_of_answers_is_refused_with_what_can(dataset, sql, reason):
    with pytest.raises(QuestionError) as refused:
        parse_sql(sql, dataset)
    assert reason in str(refused.value)
    assert "\n" not in str(refused.value)
