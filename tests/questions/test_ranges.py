"""What declared facts say of a formula holds for every table, and what is told keeps to it."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.curator import open_dataset
from discreet.questions import parse_sql
from discreet.questions.ranges import range_of
from discreet.questions.view import Estimate, work_out
from discreet.tables import read_dataset

COLUMNS = (
    '[columns.a]\ntype = "integer"\nlow = -2\nhigh = 5\n'
    '[columns.b]\ntype = "integer"\nlow = 3\nhigh = 9\n'
    '[columns.place]\ntype = "category"\nvalues = ["x", "y"]\nclosed = true\n'
)
FORMULAS = {
    "SUM(a) / COUNT(*)": (-2, 5),
    "SUM(b) / COUNT(*)": (0, 9),
    "SUM(b) / COUNT(b)": (3, 9),
    "100 * SHARE(a > 1) - 3": (-3, 97),
    "AVG(b) / AVG(a)": None,
    "AVG(a) / AVG(b)": (Fraction(-2, 3), Fraction(5, 3)),
    "ROUND(MEDIAN(b) * 2 - AVG(a), 1)": (1, 20),
    "ABS(MIN(a) - SPREAD(b))": (0, 8),
    "COUNT(*) - 3": None,
    "SUM(a) / COUNT(b)": None,
}


@pytest.fixture(scope="module")
def survey(tmp_path_factory):
    folder = tmp_path_factory.mktemp("ranges")
    (folder / "rows.csv").write_text("a,b,place\n5,9,x\n")
    (folder / "s.toml").write_text(
        'name = "s"\nconfirmed = true\n[source]\npath = "rows.csv"\n[privacy]\n'
        'neighbours = "add-or-remove"\nsize_at_most = 20\n[budget]\ntotal = "100"\n' + COLUMNS
    )
    return folder / "s.toml"


def _asked(formula, facts):
    question = parse_sql(f"SELECT {formula}", facts)
    return question, question.view.outputs[0].formula


@pytest.mark.parametrize(("formula", "ends"), FORMULAS.items())
def test_ranges_follow_from_declared_facts(survey, formula, ends):
    facts = read_dataset(survey)
    question, asked = _asked(formula, facts)
    assert range_of(asked, question, facts) == ends


def _truth(item, rows):
    """What a statistic is, of rows (a, b) with gaps; None where SQL says NULL."""
    name = item.statistic.words.function
    if name == "COUNT":
        return Fraction(len(rows) if item.condition.__class__.__name__ == "AllOf" else
                        sum(b is not None for _, b in rows))  # fmt: skip
    if name == "SHARE":
        known = [a > 1 for a, _ in rows if a is not None]
        return Fraction(sum(known), len(known)) if known else None
    cells = sorted(row["ab".index(item.column)] for row in rows
                   if row["ab".index(item.column)] is not None)  # fmt: skip
    if not cells:
        return None
    told = {"SUM": sum(cells), "AVG": Fraction(sum(cells), len(cells)), "MIN": cells[0],
            "MEDIAN": cells[(len(cells) - 1) // 2], "SPREAD": cells[-1] - cells[0]}  # fmt: skip
    return Fraction(told[name])


cells = st.tuples(st.one_of(st.none(), st.integers(-2, 5)), st.one_of(st.none(), st.integers(3, 9)))


@given(st.sampled_from(list(FORMULAS)), st.lists(cells, max_size=6))
def test_the_truth_of_any_table_lies_in_the_range(survey, formula, rows):
    facts = read_dataset(survey)
    question, asked = _asked(formula, facts)
    ends = range_of(asked, question, facts)
    truth = work_out(asked, lambda told: Estimate(_truth(question.items[told.place], rows), None))
    if truth.value is not None and ends is not None:
        assert ends[0] <= truth.value <= ends[1]


def test_what_is_told_of_a_group_without_rows_is_possible(survey):
    with open_dataset(survey, analyst="ana") as opened:
        for _ in range(30):
            asked = opened.sql("SELECT SUM(b) / COUNT(*), MEDIAN(b) - 3 GROUP BY place")
            for result in asked.ask(epsilon="0.05", fresh=True).results:
                low, high = (0, 9) if "SUM" in result.label else (0, 6)
                if result.value is not None:
                    assert low <= result.interval[0] <= result.value <= result.interval[1] <= high
                    assert result.bound


def test_names_after_as_head_the_columns_of_groups(survey):
    with open_dataset(survey, analyst="ana") as opened:
        asked = opened.sql('SELECT place AS "where", COUNT(*) AS n GROUP BY place ORDER BY "where"')
        answer = asked.ask(epsilon="1", id="heads")
        assert answer.grouped_by == ("where",)
        assert list(answer.to_pandas().columns[:2]) == ["where", "statistic"]
        assert opened.curator.stored("heads").results == answer.results
        plain = opened.sql("SELECT COUNT(*) GROUP BY place").ask(epsilon="1")
        assert plain.free
        assert plain.grouped_by == ("place",)
        same = opened.sql("SELECT place AS a, BIN(b, 7) AS a, COUNT(*) GROUP BY place, BIN(b, 7)")
        assert same.ask(epsilon="1").grouped_by == ("a", "b")
