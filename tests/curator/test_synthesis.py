"""Synthetic tables: whole rows from noisy counts, charged and stored like an answer, marked."""

import csv
import io
import json
from fractions import Fraction

import duckdb
import numpy as np
import pytest

from discreet import (
    EpsilonError,
    FileError,
    IdTaken,
    OverBudget,
    QuestionError,
    UnknownReceipt,
    open_dataset,
)
from discreet.curator.synthesis import Synthesis, planned
from discreet.questions import parse_columns
from discreet.reports.release import report_of
from small_survey import dataset_text, with_gaps
from statistics_bounds import tail_bound


def _counts(table, column):
    rows = list(csv.DictReader(io.StringIO(table.to_csv())))
    found = {}
    for row in rows:
        found[row[column]] = found.get(row[column], 0) + 1
    return found


def test_at_a_large_epsilon_the_rows_are_those_of_the_table(survey):
    """Noise is rarer than once in 10^9 draws: every reported count is the true one."""
    table = survey.synthesize("clinic", "smokes", epsilon=25)
    assert table.size == 30
    assert _counts(table, "clinic") == {"A": 15, "B": 15}
    assert _counts(table, "smokes") == {"false": 10, "true": 20}
    assert {one.columns for one in table.marginals} == {
        ("clinic",), ("smokes",), ("clinic", "smokes"),
    }  # fmt: skip
    for one in table.marginals:
        assert max(one.off) <= 1


@pytest.mark.parametrize("privacy", ["size = 30", "size_at_most = 40"])
def test_rows_are_whole_in_range_and_their_counts_are_reported(make, privacy):
    with open_dataset(make(privacy)) as survey:
        table = survey.synthesize("clinic", ("mood", 2), "smokes", epsilon="0.5")
    rows = list(table.rows())
    assert len(rows) == table.size <= 40
    assert table.size == 30 or privacy != "size = 30"
    moods = {int(row[1]) for row in rows}
    assert moods <= set(range(1, 6))
    (by_clinic,) = (one for one in table.marginals if one.columns == ("clinic",))
    told = dict(zip((name for (name,) in by_clinic.groups), by_clinic.told, strict=True))
    assert {name: many for name, many in told.items() if many} == _counts(table, "clinic")
    for marginal in table.marginals:
        assert sum(marginal.told) == table.size
        for (low, high), r, off in zip(marginal.ends, marginal.told, marginal.off, strict=True):
            assert off == max(high - r, r - low) >= 0


def test_the_report_holds_as_often_as_it_says(make):
    """Each bound by itself holds in 95 % of draws; false alarms are rarer than 10^-6."""
    truth = {"A": 15, "B": 15, "other": 0}
    draws, missed = 150, dict.fromkeys(truth, 0)
    with open_dataset(make(total="90")) as survey:
        for _ in range(draws):
            table = survey.synthesize("clinic", "smokes", epsilon="0.5")
            (one,) = (one for one in table.marginals if one.columns == ("clinic",))
            for (name,), told, off in zip(one.groups, one.told, one.off, strict=True):
                missed[name] += abs(told - truth[name]) > off
    for many in missed.values():
        assert many <= draws / 20 or tail_bound(many, draws, Fraction(1, 20)) > 1e-8


def test_it_is_charged_once_and_stored(survey):
    before = survey.left
    table = survey.synthesize("clinic", "smokes", epsilon=2, id="t")
    assert survey.left == before - 2
    again = survey.synthesize("clinic", "smokes", epsilon=2, id="t")
    assert again.free
    assert survey.left == before - 2
    assert again.to_csv() == table.to_csv()
    assert again.marginals == table.marginals
    with pytest.raises(IdTaken):
        survey.synthesize("clinic", epsilon=2, id="t")
    with pytest.raises(IdTaken):
        survey.count().ask(epsilon=2, id="t")
    with pytest.raises(UnknownReceipt, match="synthetic table"):
        survey.curator.stored("t")
    survey.count("smokes").ask(epsilon=1, id="c")
    with pytest.raises(IdTaken):
        survey.synthesize("clinic", epsilon=1, id="c")
    with pytest.raises(OverBudget):
        survey.synthesize("clinic", epsilon=99)
    assert survey.left == before - 3


@pytest.mark.parametrize(
    ("columns", "wished", "error", "message"),
    [
        (["nothing"], {}, Exception, "there is no column 'nothing'"),
        (["clinic", "clinic"], {}, QuestionError, "twice"),
        ([], {}, QuestionError, "needs columns"),
        (["clinic"], {"epsilon": 0}, EpsilonError, "epsilon must be"),
        (
            ["clinic"],
            {"marginals": [["smokes"]]},
            QuestionError,
            "got smokes; columns: clinic",
        ),
        (["clinic"], {"marginals": [[]]}, QuestionError, "got nothing"),
        ([("clinic", 2)], {}, QuestionError, "BIN needs numbers"),
        (["clinic"], {"confidence": 2}, Exception, "confidence"),
    ],
)
def test_what_cannot_be_made_is_refused_and_costs_nothing(survey, columns, wished, error, message):
    before = survey.left
    with pytest.raises(error, match=message):
        survey.synthesize(*columns, **{"epsilon": 1, **wished})
    assert survey.left == before


def test_too_many_cells_are_refused_with_bins_that_work(tmp_path):
    pay = '[columns.pay]\ntype = "integer"\nlow = 0\nhigh = 99999\n'
    words = '[columns.town]\ntype = "category"\nvalues = ["A", "B"]\n'
    (tmp_path / "rows.csv").write_text("pay,town\n5,A\n7,B\n")
    file = tmp_path / "s.toml"
    file.write_text(dataset_text("size = 2", "9", columns=pay + words))
    with open_dataset(file) as survey:
        with pytest.raises(QuestionError, match=r"put numbers into bins: BIN\(pay, 10000\), town"):
            survey.synthesize("pay", "town", epsilon=1)
        assert survey.synthesize(("pay", 10000), "town", epsilon=1).size == 2


def test_gaps_are_written_as_nothing(tmp_path):
    columns = with_gaps(
        '[columns.clinic]\ntype = "category"\nvalues = ["A", "B"]\ngaps = false\nmissing = "B"\n'
    )
    (tmp_path / "rows.csv").write_text("clinic,x\n,1\n,2\nA,3\n")
    file = tmp_path / "s.toml"
    file.write_text(dataset_text("size = 3", "100", columns=columns))
    with open_dataset(file) as survey:
        assert sorted(survey.synthesize("clinic", epsilon=50).rows()) == [("",), ("",), ("A",)]


def test_files_say_that_they_are_synthetic(survey, tmp_path):
    table = survey.synthesize("clinic", ("mood", 2), "weight", epsilon=3)
    report = table.save(tmp_path / "synthetic.csv")
    assert json.loads(report.read_text())["synthetic"] is True
    assert (tmp_path / "synthetic.csv").read_text() == table.to_csv()
    table.save(tmp_path / "my-synthetic.parquet")
    with duckdb.connect() as connection:
        place = str(tmp_path / "my-synthetic.parquet")
        rows = connection.execute(f"SELECT * FROM '{place}'").fetchall()
        types = connection.execute(f"DESCRIBE SELECT * FROM '{place}'").fetchall()
        marks = connection.execute(f"SELECT key FROM parquet_kv_metadata('{place}')").fetchall()
    assert [(row[0], row[1]) for row in types] == [
        ("clinic", "VARCHAR"), ("mood", "BIGINT"), ("weight", "DOUBLE"),
    ]  # fmt: skip
    assert [tuple(map(str, row[:2])) for row in rows] == [row[:2] for row in table.rows()]
    assert (b"synthetic",) in marks
    for name, message in (
        ("rows.csv", "write rows-synthetic.csv"),
        ("synthetic.txt", r"\.csv or \.parquet"),
        ("nowhere/synthetic.csv", "no such folder"),
    ):
        with pytest.raises(FileError, match=message):
            table.save(tmp_path / name)
    assert "synthetic rows" in str(table)


def _plan(survey, text, **wished):
    group_by = parse_columns(text, survey.dataset)
    return planned(survey.curator, Synthesis.of(group_by, **{"epsilon": 1, **wished}))


def test_what_is_measured_errs_least_by_the_exact_laws(survey):
    """One table where it tells the pairs better; single columns by themselves where they do."""
    whole = _plan(survey, "clinic, smokes, mood")
    assert whole.measures == ((0, 1, 2),)
    alone = _plan(survey, "clinic, smokes, mood, weight", marginals=[["clinic"], ["weight"]])
    assert alone.measures == ((0,), (3,))
    assert alone.levels.noise.certified.guarantee.epsilon == alone.epsilon
    assert [one.columns for one in alone.marginals] == [("clinic",), ("weight",)]
    assert whole.digest != alone.digest


def test_expected_figures_are_those_of_the_measurements(survey):
    """The mean number of misplaced rows of every marginal, against draws: 8 standard errors."""
    made, draws = _plan(survey, "clinic, smokes, mood"), 400
    truths = [np.zeros(blocks.many, dtype=np.int64) for blocks, _ in made.levels.levels]
    told = np.array([made.levels.read(made.levels.measure(truths)) for _ in range(draws)])
    start = 0
    for one in made.marginals:
        rows = np.abs(told[:, start : start + one.counts]).sum(axis=1) / 2
        start += one.counts
        assert abs(rows.mean() - one.expected) <= 8 * rows.std() / draws**0.5 + 1e-9


def test_a_report_of_answers_leaves_tables_out(survey):
    """Their rows are no answers; what they cost is in the total."""
    survey.synthesize("clinic", epsilon=2, id="t")
    survey.count("smokes").ask(epsilon=1, id="c")
    ledger = survey.curator.ledger
    made = report_of(survey.dataset, ledger, made="2026-01-01", version="0")
    assert [one.answer.receipt for one in made.answers] == ["c"]
    assert made.to_dict()["spent_in_all"] == "3"
