"""discreet init: a draft beside its source, and the lines to confirm."""

import json


def test_a_draft_is_written_and_the_lines_are_named(run, survey):
    done = run("init", "rows.csv")
    assert done.exit_code == 0
    assert "wrote rows.toml, a draft that answers nothing yet" in done.stdout
    for needed in (
        "made from private rows: keep it to yourself",
        "mood: a scale, whole numbers from 1 to 5",
        "clinic: 'A' or 'B', and no other word, never empty",
        "everybody may know that there are 40 rows",
        "confirmed = true",
    ):
        assert needed in done.stdout
    checked = json.loads(run("check", "rows.toml", "--json").stdout)
    assert checked["usable"]
    assert not checked["confirmed"]
    refused = run("ask", "rows.toml", "SELECT COUNT(*)", "--epsilon", "1", "--yes")
    assert refused.exit_code == 2
    assert "is a draft" in refused.stderr
    assert not (survey / "rows.ledger").exists()


def test_a_file_is_never_overwritten_unasked(run, survey):
    (survey / "rows.toml").write_text("precious")
    done = run("init", "rows.csv")
    assert done.exit_code == 2
    assert "--force" in done.stderr
    assert (survey / "rows.toml").read_text() == "precious"
    assert run("init", "rows.csv", "--force").exit_code == 0
    assert run("init", "rows.csv", "--save", "other.toml", "--name", "our survey").exit_code == 0
    assert 'name = "our survey"' in (survey / "other.toml").read_text()


def test_what_cannot_be_drafted_is_one_line(run, survey):
    (survey / "folder").mkdir()
    for words in (["nothing.csv"], ["folder"], ["rows.xlsx"], ["survey.toml", "--force"], [""],
                  ["rows.csv", "--save", "no/where.toml"], ["rows.csv", "--save", "nul\0.toml"],
                  ["."], ["nul\0.csv"]):  # fmt: skip
        done = run("init", *words)
        assert done.exit_code == 2, words
        assert done.stderr.startswith("error: ")
        assert done.stderr.count("\n") == 1


def test_a_folder_is_called_one(run, survey):
    for place in (".", survey):
        assert "is a folder; give the file that holds the table" in run("init", place).stderr
    done = run("init", "visits/*/*.parquet")
    assert done.exit_code == 2
    assert "'visits/*/*.parquet' is a pattern; give the file that holds the table" in done.stderr
    assert 'files = "visits/*.parquet"' in done.stderr


def test_what_is_left_out_is_said_with_the_reason(run, survey):
    (survey / "visits.csv").write_text("ward,note\nA,fell ill at home\nB,came by bus today\n" * 40)
    done = run("init", "visits.csv")
    assert "  note: " in done.stdout


def test_a_first_row_that_became_names_is_told_on_the_screen(run, run_json, survey):
    (survey / "bare.csv").write_text("34,North\n41,South\n")
    done = run("init", "bare.csv")
    assert "line 10  the first line of the file holds column names, although '34'" in done.stdout
    assert "column names" not in run("init", "rows.csv").stdout
    told = run_json("init", "bare.csv", "--force")["to_confirm"]
    assert told[0]["text"].startswith("the first line of the file")


def test_the_source_is_looked_for_first(run, survey):
    for name in ("nosuch.toml", "kept.toml"):
        (survey / name).write_text("precious")
    (survey / "kept.xls").write_text("a table")
    assert (
        "there is no file 'nosuch.xlsx'; give a table: .csv," in run("init", "nosuch.xlsx").stderr
    )
    assert "cannot tell what 'kept.xls' is; its name must end" in run("init", "kept.xls").stderr


def test_a_broken_quote_is_named_at_once(run, run_json, tmp_path, monkeypatch):
    """Not only by check: whoever drafts looks at the table then."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "odd.csv").write_text('age,word\n12,"a\n13,b\n14,c\n')
    assert "1 line has quotes" in run("init", "odd.csv").stdout
    (told,) = run_json("init", "odd.csv", "--force")["odd_lines"]
    assert told.startswith("1 line has quotes that are neither around a cell")
