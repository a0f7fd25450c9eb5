"""Answers as tables: every form holds the same results, and words stay words."""

import json
import re
from datetime import date
from fractions import Fraction
from pathlib import Path

import pytest

from discreet.curator import Answer, Result
from discreet.curator.tidy import TOLD, tidy
from discreet.curator.writing import check_file, is_kept, write
from discreet.errors import InvalidInput

EVIL = "=1+1|\\b_$&"


def result(label, value, **facts):
    return Result(
        label=label,
        value=value,
        interval=facts.pop("interval", None),
        expected_error=None,
        mechanism="m",
        certificate=None,
        group=facts.get("groups") and ", ".join(word for _, word in facts["groups"]),
        **facts,
    )


def answer(*results):
    return Answer(
        receipt="q-1", asked="SELECT …", results=results, confidence=Fraction(19, 20),
        epsilon="0.5", spent="0.5", left="1", free=False, plan="p",
    )  # fmt: skip


TWO_TO_THREE = (Fraction(2), Fraction(3))
GROUPED = answer(
    result(
        "AVG(x)", Fraction(5, 2), interval=(Fraction(2), Fraction(3)), groups=(("clinic", "A"),)
    ),
    result("AVG(x)", None, rows_about=3, groups=(("clinic", EVIL),)),
)
WORDS = answer(result("MODE(c)", EVIL), result("COUNT(*)", 7, interval=(Fraction(4), Fraction(9))))
TOP = answer(result("TOP(c, 2)", (("a", 4), (EVIL, 3))))
SUPPOSED = answer(result("MAX(x)", 3, interval=(Fraction(2), Fraction(4)), supposed=True))


def test_a_row_for_each_result_with_its_group_and_plain_numbers():
    table = tidy(GROUPED)
    assert list(table) == ["clinic", *TOLD]
    assert table["value"] == [2.5, None]
    assert (table["low"], table["high"]) == ([2, None], [3, None])
    assert table["rows"] == [None, 3]
    assert table["epsilon"] == [0.5, 0.5]


def test_groups_that_are_dates_are_dates_and_a_missing_one_is_a_gap():
    months = ("2023-05-01", "2023-06-01", "(missing)")
    table = tidy(answer(*(result("COUNT(*)", 1, groups=(("month", one),)) for one in months)))
    assert table["month"] == [date(2023, 5, 1), date(2023, 6, 1), None]
    for kept in ("2023-05", "(all)", "2023-05-01 to 2023-05-07"):  # a word, a total, a run of days
        table = tidy(answer(*(result("n", 1, groups=(("g", one),)) for one in (kept, months[0]))))
        assert table["g"] == [kept, months[0]]


def test_a_notebook_shows_two_crossed_columns_as_one_table():
    sides = [(("a", down), ("b", across)) for down in "xy" for across in ("1", "(all)")]
    html = answer(*(result("COUNT(*)", place, interval=(1, 9), groups=groups)
                    for place, groups in enumerate(sides))).to_html()  # fmt: skip
    heads, first, second = re.findall("<tr.*?</tr>", html)
    assert re.findall(">([^<>]+)<", heads) == ["a × b", "1", "(all)"]
    assert re.findall(">([^<>]+)<", first) == ["x", "0", "1 … 9", "1", "1 … 9"]
    assert re.findall(">([^<>]+)<", second) == ["y", "2", "1 … 9", "3", "1 … 9"]


def test_a_top_has_a_row_for_each_word():
    table = tidy(TOP)
    assert table["word"] == ["a", EVIL]
    assert table["value"] == [4, 3]


def test_ends_that_rest_on_a_prior_are_told_in_words_alone():
    table = tidy(SUPPOSED)
    assert (table["low"], table["high"]) == ([None], [None])
    assert "if the prior holds" in table["bound"][0]


def test_a_column_of_groups_never_takes_another_ones_name():
    table = tidy(answer(result("COUNT(*)", 1, groups=(("value", "A"), ("group value", "B")))))
    assert list(table)[:2] == ["group value", "group group value"]


@pytest.mark.parametrize("told", [GROUPED, WORDS, TOP, SUPPOSED])
def test_frames_hold_the_same_cells(told):
    pytest.importorskip("pandas")
    pytest.importorskip("polars")
    pytest.importorskip("pyarrow")
    table = tidy(told)
    numbers = not any(isinstance(one, str) for one in table["value"])
    for columns in (
        told.to_polars().to_dict(as_series=False),
        told.to_arrow().to_pydict(),
        told.to_pandas().astype(object).where(told.to_pandas().notna(), None).to_dict("list"),
    ):
        assert list(columns) == list(table)
        for name, cells in columns.items():
            kept = numbers or name != "value"
            assert list(cells) == (table[name] if kept else [str(one) for one in table[name]])


def test_a_spreadsheet_has_numbers_and_no_formulas(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    path = GROUPED.to_excel(tmp_path / "a.xlsx")
    head, *rows = openpyxl.load_workbook(path)["answer"].iter_rows()
    assert [cell.value for cell in head] == list(tidy(GROUPED))
    assert rows[0][2].value == 2.5
    assert all(cell.data_type != "f" for row in rows for cell in row)


def test_documents_escape_what_would_be_markup():
    assert r"\=" not in GROUPED.to_markdown()
    line = GROUPED.to_markdown().splitlines()[-1]
    assert line.count("|") - line.count(r"\|") == GROUPED.to_markdown().splitlines()[0].count("|")
    tex = GROUPED.to_latex()
    assert r"=1+1|\textbackslash{}b\_\$\&" in tex
    assert tex.count(r"\\") == 3
    assert "q-1" not in tex


@pytest.mark.parametrize("ending", [".csv", ".md", ".tex", ".html", ".json", ".xlsx", ".parquet"])
def test_every_ending_is_written_and_read_back(tmp_path, ending):
    pytest.importorskip({".xlsx": "openpyxl", ".parquet": "pyarrow"}.get(ending, "json"))
    path = write(GROUPED, tmp_path / f"answer{ending}")
    assert path.stat().st_size > 0
    if ending == ".json":
        assert json.loads(path.read_text())["receipt"] == "q-1"
    if ending == ".parquet":
        import pyarrow.parquet

        assert pyarrow.parquet.read_table(path).to_pydict()["value"] == [2.5, None]


def test_what_cannot_be_written_is_refused_before_anything_is_spent(tmp_path, monkeypatch):
    for path in ("answer", "answer.docx", tmp_path / "no" / "answer.csv"):
        with pytest.raises(InvalidInput, match=r"written as|cannot write"):
            check_file(path)
    monkeypatch.setattr("importlib.import_module", _missing)
    with pytest.raises(InvalidInput, match="openpyxl is not installed; pip install openpyxl"):
        check_file(tmp_path / "answer.xlsx")


def _missing(name):
    raise ImportError(name)


def test_paths_may_be_words_or_paths(tmp_path):
    assert write(TOP, str(tmp_path / "t.csv")) == Path(tmp_path / "t.csv")


def test_no_answer_is_written_over_what_a_dataset_lives_on(survey):
    folder = survey.curator.path.parent
    rows = survey.curator.dataset.source.path
    for path in (rows, survey.curator.path, folder / f"{survey.curator.path.stem}.ledger"):
        assert is_kept(path, survey.curator)
    assert not is_kept(folder / "answers.csv", survey.curator)
