"""discreet check: every mistake with its line; exit code 2 when something is wrong."""

import json
import re

import pytest

from discreet.budget import Ledger
from small_survey import with_gaps


def test_a_good_file_is_described(run, survey):
    done = run("check", "survey.toml")
    assert done.exit_code == 0
    for needed in ("40", "one row", "ε = 3, ana 1", "1 … 5 (5)", "A, B, other", "✓ yes"):
        assert needed in done.stdout


def test_a_long_name_does_not_push_the_facts_off_a_narrow_screen(run, survey):
    name = "how_satisfied_are_you_with_your_visit_today"
    for file in ("survey.toml", "rows.csv"):
        text = (survey / file).read_text().replace("mood", name)
        (survey / file).write_text(text)
    told = "".join(run("check", "survey.toml", env={"COLUMNS": "40"}).stdout.split())
    assert "1…5(5)" in told
    assert told.count("…") == 1
    assert "ε=3,ana1" in told


def test_cells_that_are_not_as_declared_are_counted_for_the_custodian(run, survey):
    rows = (survey / "rows.csv").read_text().splitlines()
    mood = rows[0].split(",").index("mood")
    for place, cell in ((1, ""), (2, "x"), (3, "99")):
        cells = rows[place].split(",")
        cells[mood] = cell
        rows[place] = ",".join(cells)
    (survey / "rows.csv").write_text("\n".join(rows) + "\n")
    notes = json.loads(run("check", "survey.toml", "--json").stdout)["notes"]
    (told,) = [note for note in notes if note.startswith("mood: ")]
    assert "2 gaps (5 %), counted as 3 though gaps = false says there are none" in told
    assert "1 (2.5 %) out of bounds, counted as the nearer bound;" in told
    assert told.endswith("this line is for the custodian")


def test_words_that_are_not_declared_are_named_and_tight_bounds_are_told(run, survey):
    text = (survey / "survey.toml").read_text()
    told = text.replace('values = ["A", "B"]', 'values = ["A"]').replace("high = 5", "high = 3")
    (survey / "survey.toml").write_text(told)
    notes = json.loads(run("check", "survey.toml", "--json").stdout)["notes"]
    assert any("not declared ('B'), counted as other" in note for note in notes)
    assert any("widen the bounds, if you know wider ones without the rows" in one for one in notes)


def test_what_becomes_of_gaps_is_told_column_by_column(run, survey):
    text = (survey / "survey.toml").read_text()
    (survey / "survey.toml").write_text(
        with_gaps(text).replace("high = 5", "high = 5\nmissing = 2")
    )
    told = run("check", "survey.toml").stdout
    assert "1 … 5 (5), gaps counted as 2" in told
    assert "A, B, other, gaps skipped" in told


def test_every_mistake_is_told_at_once(run, survey):
    text = (survey / "survey.toml").read_text().replace("low = 1", "low = 9")
    (survey / "survey.toml").write_text(text.replace('total = "3"', 'total = "x"'))
    done = run("check", "survey.toml")
    assert done.exit_code == 2
    assert "2 problems" in done.stdout
    assert "line 8: " in done.stdout
    assert done.stderr == ""
    told = json.loads(run("check", "survey.toml", "--json").stdout)
    assert not told["usable"]
    assert [problem["line"] for problem in told["problems"]] == [8, 11]


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (
            lambda folder: (folder / "rows.csv").unlink(),
            "path in [source] of 'survey.toml' names it",
        ),
        (lambda folder: (folder / "rows.csv").write_text("mood\r1\r"), 'line_ending = "cr"'),
        (lambda folder: (folder / "rows.csv").write_text("mood,clinic\n1,A\n"), "has no column"),
        (lambda folder: (folder / "rows.csv").write_text("mood,clinic,smokes\n"), "has 0 rows"),
    ],
)
def test_the_source_is_opened_and_counted(run, survey, spoil, says):
    spoil(survey)
    done = run("check", "survey.toml")
    assert done.exit_code == 2
    assert says in " ".join(done.stdout.split())


def test_a_wrong_size_is_told_to_the_custodian_and_to_nobody_else(run, survey):
    text = (survey / "survey.toml").read_text().replace("size = 40", "size = 31")
    (survey / "survey.toml").write_text(text)
    done = run("check", "survey.toml", "--json")
    assert done.exit_code == 2
    (problem,) = json.loads(done.stdout)["problems"]
    assert problem["text"].startswith("size = 31 in [privacy], but the table has 40 rows")
    asked = run("ask", "survey.toml", "SELECT COUNT(smokes)", "--epsilon", "1", "--yes")
    assert asked.exit_code == 2
    assert "says 31 rows, but the table has another number" in asked.stderr
    assert "40" not in asked.stdout + asked.stderr


@pytest.mark.parametrize(
    ("line", "says"),
    [("\n", "1 line is blank"), ('"2,A,yes,"two\nlines"\n', 'declare quoting = "multiline"')],
)
def test_lines_that_may_explain_a_wrong_size_are_told_with_it(run, survey, line, says):
    """A file that earlier versions read otherwise: what to do is said."""
    with (survey / "rows.csv").open("a") as rows:
        rows.write(line)
    problems = json.loads(run("check", "survey.toml", "--json").stdout)["problems"]
    assert "correct size" in problems[0]["text"]
    assert any(says in problem["text"] for problem in problems[1:])


def test_numbers_are_told_as_decimals(run, survey):
    text = (survey / "survey.toml").read_text().replace('"integer"', '"number"')
    text = text.replace("high = 5", "high = 5\nstep = 0.1").replace("missing = 3", "missing = 2.3")
    (survey / "survey.toml").write_text(text)
    assert "1 … 5 (41), no gaps" in run("check", "survey.toml").stdout


def test_more_rows_than_declared_are_noted(run, survey):
    text = (survey / "survey.toml").read_text()
    (survey / "survey.toml").write_text(text.replace("size = 40", "size_at_most = 30"))
    told = json.loads(run("check", "survey.toml", "--json").stdout)
    assert told["rows"] == 40
    assert "more than size_at_most = 30" in told["notes"][0]


def test_a_budget_that_differs_from_the_ledger_is_noted(run, survey):
    with Ledger("survey.ledger") as ledger:
        ledger.allow("", "2")
    told = json.loads(run("check", "survey.toml", "--json").stdout)
    assert len(told["notes"]) == 1
    assert "the total budget is 3 in the file, but 2 in the ledger" in told["notes"][0]
    assert "discreet ledger budget FILE --epsilon 3" in told["notes"][0]


def test_another_file_over_the_same_rows_is_noted(run, survey):
    text = (survey / "survey.toml").read_text()
    assert "budget of its own" not in run("check", "survey.toml").stdout
    (survey / "broken.toml").write_text("[source")
    (survey / "others.toml").write_text(text.replace("rows.csv", "others.csv"))
    assert "budget of its own" not in run("check", "survey.toml").stdout
    (survey / "again.toml").write_text(text)
    for file, other in (("survey.toml", "again.toml"), (survey / "again.toml", "survey.toml")):
        told = " ".join(run("check", file).stdout.split())
        assert f"{other} has a budget of its own for the same rows" in told


def test_no_file_is_one_line(run, survey):
    done = run("check", "nothing.toml")
    assert done.exit_code == 2
    assert done.stderr.startswith("error: there is no file 'nothing.toml'")


def test_a_source_in_another_encoding_is_refused(run, survey):
    rows = (survey / "rows.csv").read_text()
    for content in (rows.encode("utf-16"), rows.encode() + b"3,\xe9,no\n"):
        (survey / "rows.csv").write_bytes(content)
        done = run("check", "survey.toml")
        assert done.exit_code == 2
        assert "save it as UTF-8" in done.stdout
        assert "1 problem" in done.stdout


def test_rows_beyond_the_most_of_one_person_are_noted(run, survey):
    text = (survey / "survey.toml").read_text()
    privacy = 'unit = "clinic"\nmost_rows_per_unit = 3\nsize_at_most = 60'
    (survey / "survey.toml").write_text(text.replace("size = 40", privacy))
    told = json.loads(run("check", "survey.toml", "--json").stdout)
    assert told["rows"] == 6
    assert "most_rows_per_unit = 3 leaves out 34 of 40 rows" in told["notes"][0]


def test_a_share_of_cells_is_of_the_rows_they_were_counted_in(run, survey):
    """40 rows of which 6 are kept: 20 gaps are not 330 %."""
    text, names = (survey / "survey.toml").read_text(), (survey / "rows.csv").read_text()
    privacy = 'unit = "clinic"\nmost_rows_per_unit = 3\nsize_at_most = 60'
    (survey / "survey.toml").write_text(with_gaps(text).replace("size = 40", privacy))
    header, *rows = names.splitlines()
    mood = header.split(",").index("mood")
    for place in range(20):
        cells = rows[place].split(",")
        cells[mood] = ""
        rows[place] = ",".join(cells)
    (survey / "rows.csv").write_text("\n".join([header, *rows]) + "\n")
    notes = json.loads(run("check", "survey.toml", "--json").stdout)["notes"]
    assert any(note.startswith("mood: 20 gaps (50 % of all rows), skipped;") for note in notes)


SPANNING = 'mood,clinic,smokes,note\n3,A,yes,"two\nlines"\n4,B,no,"a ""word"""\n'


def test_a_file_whose_cells_span_lines_is_pinned_before_anything_is_answered(run, survey):
    text = (survey / "survey.toml").read_text().replace("size = 40", "size = 2")
    path = 'path = "rows.csv"\n'
    text = text.replace(path, f'{path}quoting = "multiline"\n')
    (survey / "survey.toml").write_text(text)
    (survey / "rows.csv").write_text(SPANNING)
    ask = ("ask", "survey.toml", "SELECT COUNT(smokes)", "--epsilon", "1", "--yes")
    refused = run(*ask)
    assert refused.exit_code == 2
    assert refused.stderr.startswith("error: 'rows.csv' is not pinned; check the dataset file")
    (problem,) = json.loads(run("check", "survey.toml", "--json").stdout)["problems"]
    (digest,) = re.findall(r'digest = "hmac-sha256:[0-9a-f]{32}"', problem["text"])
    (survey / "survey.toml").write_text(text.replace(path, f"{path}{digest}\n"))
    told = json.loads(run("check", "survey.toml", "--json").stdout)
    assert (told["usable"], told["rows"]) == (True, 2)
    assert run(*ask).exit_code == 0
    (survey / "rows.csv").write_text(SPANNING.replace("word", "lord"))
    refused = run(*ask)
    assert refused.exit_code == 2
    assert "'rows.csv' is not the file that was pinned; check the dataset file" in refused.stderr
    with Ledger("survey.ledger") as ledger:
        assert ledger.balance().spent == 10**9
    (survey / "rows.csv").write_text(SPANNING + '4,B,no,"open\n')
    (problem,) = json.loads(run("check", "survey.toml", "--json").stdout)["problems"]
    assert problem["text"].startswith("of 3 records, 1 have quotes that are neither")
    assert "digest" not in problem["text"]


def test_lines_that_are_written_oddly_are_noted(run, survey):
    text = (survey / "survey.toml").read_text().replace("size = 40", "size_at_most = 60")
    (survey / "survey.toml").write_text(text)
    with (survey / "rows.csv").open("a") as rows:
        rows.write('\n3,A,"open\n3,A\r,yes\n')
    told = json.loads(run("check", "survey.toml", "--json").stdout)
    assert told["rows"] == 43
    for words in ("1 line has quotes", "1 line is blank", "1 line holds a carriage return"):
        assert sum(note.startswith(words) for note in told["notes"]) == 1, words


def test_a_loose_range_is_told_to_the_custodian_with_what_to_change(run, survey):
    text = (survey / "survey.toml").read_text().replace("high = 5", "high = 1000000\nstep = 1")
    (survey / "survey.toml").write_text(text)
    notes = json.loads(run("check", "survey.toml", "--json").stdout)["notes"]
    (wide,) = [note for note in notes if "98 % of cells" in note]
    assert wide.startswith("mood: 98 % of cells lie within 0.1 % of the range from 1 to 1000000")
    assert "narrow low and high" in wide
    assert wide.endswith("this line is for the custodian")
    (crowded,) = [note for note in notes if "too many for medians" in note]
    assert crowded.endswith("the limit is 500,001; declare a larger step, such as 2")
    (survey / "survey.toml").write_text(
        text.replace("step = 1", "step = 9").replace("missing = 3", "missing = 1")
    )
    notes = json.loads(run("check", "survey.toml", "--json").stdout)["notes"]
    (coarse,) = [note for note in notes if "rounded by more than half" in note]
    assert "to step = 9; declare a smaller step" in coarse


def test_what_rows_make_known_is_told_by_check_alone(run, survey):
    text = (survey / "survey.toml").read_text().replace("high = 5", "high = 4000")
    (survey / "survey.toml").write_text(text)
    for words in (
        ["plan", "survey.toml", "SELECT AVG(mood)", "--epsilon", "1"],
        ["ask", "survey.toml", "SELECT AVG(mood)", "--epsilon", "1", "--yes"],
        ["budget", "survey.toml"],
        ["ledger", "show", "survey.toml"],
    ):
        done = run(*words)
        assert done.exit_code == 0
        assert "98 %" not in done.stdout + done.stderr
