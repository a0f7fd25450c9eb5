"""discreet synthesize: the plan is free, the table is paid once, marked, and written again free."""

import csv
import io
import json

import pytest

from discreet.budget import Ledger
from discreet.cli.failures import OVER_BUDGET, UNUSABLE

MAKE = ["synthesize", "survey.toml", "--columns", "clinic,smokes", "--epsilon", "1"]


def _spent():
    with Ledger("survey.ledger") as ledger:
        return ledger.balance().spent


def test_a_plan_shows_how_well_and_spends_nothing(run, run_json, survey):
    done = run(*MAKE, "--plan")
    assert done.exit_code == 0, done.stderr
    for needed in ("clinic × smokes", "misplaced rows", "95 % within", "costs ε = 1, once"):
        assert needed in done.stdout
    made = run_json(*MAKE, "--plan")
    assert made["marginals"][0]["columns"] == ["clinic"]
    assert _spent() == 0


def test_a_table_is_written_with_its_report_and_free_again(run, run_json, survey):
    done = run(*MAKE, "--out", "synthetic.csv", "--id", "t", "--yes")
    assert done.exit_code == 0, done.stderr
    for needed in ("synthetic rows in synthetic.csv", "rows off", "belong to no one", "ε = 1"):
        assert needed in " ".join(done.stdout.split())
    assert _spent() == 10**9
    folder = survey
    rows = list(csv.DictReader(io.StringIO((folder / "synthetic.csv").read_text())))
    report = json.loads((folder / "synthetic.csv.report.json").read_text())
    assert report["rows"] == len(rows)
    again = run_json(*MAKE, "--out", "again-synthetic.csv", "--id", "t")
    assert again["free"] is True
    assert (folder / "again-synthetic.csv").read_text() == (folder / "synthetic.csv").read_text()
    assert _spent() == 10**9


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--columns", "nothing"], "there is no column 'nothing'"),
        (["--columns", ""], "name at least one column"),
        (["--columns", "clinic GROUP BY x"], ""),
        (["--columns", "ROLLUP(clinic)"], "is not a list of columns"),
        (["--columns", "clinic, mood:2"], "is not a list of columns, such as"),
        (["--columns", "clinic, clinic"], "names clinic twice"),
        (["--columns", "clinic, BIN(mood"], "the parenthesis before 'mood' is not closed"),
        (["--columns", "clinic, BIN(clinic, 2)"], "BIN needs numbers"),
        (["--epsilon", "0"], "epsilon must be"),
        (["--epsilon", "-1"], "epsilon must be"),
        (["--marginal", "mood"], "got mood; columns: clinic, smokes"),
        (["--confidence", "2"], "confidence"),
        (["--out", "rows.csv"], "write rows-synthetic.csv"),
        (["--out", "no/such/synthetic.csv"], "no such folder"),
        (["--out", "synthetic.xlsx"], ".csv or .parquet"),
    ],
)
def test_what_cannot_be_made_is_one_line_and_costs_nothing(run, survey, words, message):
    done = run(*MAKE, "--yes", *words)
    assert done.exit_code == UNUSABLE
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert _spent() == 0


def test_no_file_is_written_over_and_nothing_is_spent_beyond_the_budget(run, survey):
    (survey / "synthetic.csv").write_text("mine")
    assert "exists already" in run(*MAKE, "--out", "synthetic.csv", "--yes").stderr
    done = run(*MAKE, "--epsilon", "50", "--out", "my-synthetic.csv", "--yes")
    assert done.exit_code == OVER_BUDGET
    assert not (survey / "my-synthetic.csv").exists()
    assert run(*MAKE).exit_code == UNUSABLE  # nobody is there to say yes
    assert _spent() == 0
