"""Frames that are handed over: facts in three forms, one ledger, nothing that depends on rows."""

import subprocess
import sys
import tomllib

import pandas
import polars
import pytest

from discreet import FactsChanged, OverBudget, open_dataset
from discreet.cli import app
from discreet.curator.dataset_ledger import LEDGER, premises_of
from discreet.errors import DatasetError
from small_survey import COLUMNS, VISIT, dataset_text, with_gaps

FACTS = dataset_text("size = 40", total="3", source='kind = "frame"', columns=with_gaps(COLUMNS))
ROWS = {
    "mood": [1, 2, 3, 4] * 10,
    "weight": [10.5, 11, None, 12] * 10,
    "clinic": ["A", "B", "B", None] * 10,
    "smokes": [True, False] * 20,
}
FRAME = pandas.DataFrame(ROWS)


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def forms():
    data = tomllib.loads(FACTS)
    without = {key: value for key, value in data.items() if key != "source"}
    return [FACTS, data, without]


@pytest.mark.parametrize("facts", forms(), ids=["text", "dict", "without source"])
@pytest.mark.parametrize("frame", [FRAME, polars.DataFrame(ROWS)], ids=["pandas", "polars"])
def test_facts_may_be_text_or_a_dictionary(facts, frame):
    with open_dataset(frame, facts, ledger="survey.ledger", analyst="ana") as survey:
        answer = survey.sql("SELECT COUNT(*) WHERE clinic = 'B'").ask(epsilon="1", id="q")
    with open_dataset(frame, facts, ledger="survey.ledger", analyst="ana") as survey:
        assert survey.sql("SELECT COUNT(*) WHERE clinic = 'B'").ask(epsilon="1", id="q").free
        assert survey.left == 2
        with pytest.raises(OverBudget):
            survey.count(where="smokes").ask(epsilon="2.5")
    assert answer.value >= 0


def test_a_dataset_file_has_its_ledger_beside_it_and_commands_of_its_own(
    tmp_path, capsys, monkeypatch
):
    (tmp_path / "survey.toml").write_text(FACTS, "utf-8")
    with open_dataset(FRAME, "survey.toml", analyst="ana") as survey:
        survey.median("mood").ask(epsilon="1")
    assert (tmp_path / f"survey{LEDGER}").is_file()
    for command, status in (
        (["ledger", "show", "survey.toml"], 0),
        (["plan", "survey.toml", "SELECT COUNT(*)", "--epsilon", "1"], 0),
        (["ask", "survey.toml", "SELECT COUNT(*)", "--epsilon", "1", "--yes"], 2),
        (["check", "survey.toml"], 2),
    ):
        monkeypatch.setattr(sys, "argv", ["discreet", *command])
        with pytest.raises(SystemExit) as ended:
            app()
        assert ended.value.code == status, command
    told = capsys.readouterr()
    assert "the rows of this dataset are handed over in Python: open_dataset(frame" in told.err


def test_nothing_of_a_frame_but_its_kind_is_recorded(tmp_path):
    """Whether a frame is another one is private: only the ledger says which rows are meant."""
    facts = []
    for frame in (FRAME, FRAME.iloc[::-1], FRAME.assign(clinic="A", more=3)):
        with open_dataset(frame, FACTS, ledger="survey.ledger") as survey:
            facts.append(premises_of(survey.curator.dataset, tmp_path / "survey.ledger").facts)
    assert facts[0] == facts[1] == facts[2]
    assert {key for key in facts[0] if key.startswith("source")} == {"source.kind"}


def test_the_ledger_of_a_file_is_not_that_of_a_frame(tmp_path):
    FRAME.to_csv("rows.csv", index=False)
    (tmp_path / "survey.toml").write_text(FACTS.replace('kind = "frame"', 'path = "rows.csv"'))
    with open_dataset("survey.toml", analyst="ana") as survey:
        survey.count(where="smokes").ask(epsilon="1")
    with (
        open_dataset(FRAME, FACTS, ledger="survey.ledger", analyst="ana") as survey,
        pytest.raises(FactsChanged, match=r"source.kind was csv, now frame"),
    ):
        survey.count(where="smokes").ask(epsilon="0.5")


def test_a_frame_is_read_when_it_is_handed_over():
    held = FRAME.copy()
    with open_dataset(held, FACTS, ledger="survey.ledger") as survey:
        held["smokes"] = True
        assert survey.curator.table.rows("SELECT count(*) FROM clean WHERE smokes = 1") == [(20,)]


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ((3, FACTS), "facts go with a pandas or polars frame, an Arrow table, or anything"),
        (("survey.toml", FACTS), "facts go with a pandas or polars frame"),
        ((FRAME,), "the public facts about the frame are required: facts="),
        ((FRAME, 3), "the public facts about the frame are required: facts="),
        ((FRAME, "missing.toml"), "there is no file 'missing.toml'; give a dataset file"),
        ((FRAME, FACTS.replace("40", "41")), "the dataset file says 41 rows, but the table has"),
        ((FRAME, FACTS + VISIT), "the frame has no column 'visit'; it has 'mood', 'weight'"),
        ((FRAME, FACTS.replace('kind = "frame"', 'path = "x.csv"')), "are those of a frame"),
        ((FRAME, {}), "'the facts of the frame': the file needs a section [columns]"),
        (
            (FRAME, {"columns": {3: {"type": "integer"}}}),
            "the keys of facts must be strings, got 3",
        ),
        ((FRAME, {"source": 3}), "the file needs a section [source]"),
        ((polars.DataFrame(ROWS).lazy(), FACTS), "facts go with a pandas or polars frame"),
    ],
)  # fmt: skip
def test_what_cannot_be_a_frame_with_its_facts_is_one_line(given, says):
    facts = given[-1]
    named = isinstance(facts, dict) or "\n" in str(facts)
    with pytest.raises(DatasetError) as refused:
        open_dataset(*given, ledger="x.ledger" if named else None)
    assert says in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("ledger", [None, "books", "no/such/folder/x.ledger", "x.db"])
def test_a_ledger_is_named_by_the_caller(ledger):
    with pytest.raises(DatasetError, match="ledger"):
        open_dataset(FRAME, FACTS, ledger=ledger)


def test_pandas_is_read_without_pyarrow_and_polars_says_what_is_missing():
    code = f"""
import sys
sys.modules["pyarrow"] = None
import pandas, polars, discreet
rows = {ROWS!r}
with discreet.open_dataset(pandas.DataFrame(rows), {FACTS!r}, ledger="s.ledger") as survey:
    print(survey.curator.table.rows("SELECT count(*), sum(mood) FROM clean"))
try:
    discreet.open_dataset(polars.DataFrame(rows), {FACTS!r}, ledger="s.ledger")
except discreet.DiscreetError as refused:
    print(refused)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [
        "[(40, 60)]",
        "what reads Arrow tables is not installed: pip install 'discreet[frames]'",
    ]
