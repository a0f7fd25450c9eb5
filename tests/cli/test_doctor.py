"""discreet doctor: each thing that answering needs, and what to do about what is not there."""

import json

import pytest

from discreet.cli.commands import doctor


def verdicts(done):
    """By what was looked at, the worst of each."""
    told = json.loads(done.stdout)
    worst = {"good": 0, "doubtful": 1, "bad": 2}
    ordered = sorted(told["findings"], key=lambda one: worst[one["verdict"]])
    return told["fit"], {one["about"]: (one["verdict"], one["text"]) for one in ordered}


def test_without_a_file_it_says_what_is_installed(run):
    fit, found = verdicts(run("doctor", "--json"))
    assert fit
    assert set(found) == {"versions", "extras", "clock"}
    assert "serve" in found["extras"][1].partition("not installed")[0]


def test_a_dataset_that_can_be_asked_is_fit_and_nothing_is_left_behind(run, survey):
    before = {path.name for path in survey.iterdir()}
    done = run("doctor", "survey.toml", "--json")
    fit, found = verdicts(done)
    assert done.exit_code == 0
    assert fit
    assert {found[about][0] for about in ("file", "folder", "rows", "ledger", "clock")} == {"good"}
    assert {path.name for path in survey.iterdir()} == before
    assert "✓" in run("doctor", "survey.toml").stdout


def test_after_an_ask_the_ledger_adds_up_and_nothing_more_is_charged(run, survey):
    assert (
        run("ask", "survey.toml", "SELECT COUNT(smokes)", "--epsilon", "1", "--yes").exit_code == 0
    )
    for _ in range(2):
        _, found = verdicts(run("doctor", "survey.toml", "--json"))
        assert found["ledger"][0] == "good"
        assert "entries add up; ε = 2 is left" in found["ledger"][1]


def _no_rows(survey):
    (survey / "rows.csv").unlink()


def _no_column(survey):
    text = (survey / "rows.csv").read_text()
    (survey / "rows.csv").write_text(text.replace("mood", "moody", 1))


def _no_anchor(survey):
    (survey / "survey.ledger.head").unlink()


def _other_facts(survey):
    text = (survey / "survey.toml").read_text()
    (survey / "survey.toml").write_text(text.replace("high = 5", "high = 6", 1))


def _no_file(survey):
    (survey / "survey.toml").write_text('name = "survey"\n')


@pytest.mark.parametrize(
    ("break_it", "about"),
    [
        (_no_rows, "rows"),
        (_no_column, "rows"),
        (_no_anchor, "ledger"),
        (_other_facts, "ledger"),
        (_no_file, "file"),
    ],
)
def test_what_must_be_mended_is_told_in_one_line(run, survey, break_it, about):
    assert (
        run("ask", "survey.toml", "SELECT COUNT(smokes)", "--epsilon", "1", "--yes").exit_code == 0
    )
    break_it(survey)
    done = run("doctor", "survey.toml", "--json")
    fit, found = verdicts(done)
    assert done.exit_code == 2
    assert not fit
    assert found[about][0] == "bad"
    assert "\n" not in found[about][1]


def test_a_clock_behind_the_ledger_is_told(run, survey, monkeypatch):
    run("ask", "survey.toml", "SELECT COUNT(smokes)", "--epsilon", "1", "--yes")
    plain = doctor.datetime

    class Behind(plain):
        @classmethod
        def now(cls, zone):
            return plain(2025, 1, 1, tzinfo=zone)

    monkeypatch.setattr(doctor, "datetime", Behind)
    _, found = verdicts(run("doctor", "survey.toml", "--json"))
    assert found["clock"][0] == "bad"
    assert "before the ledger's newest entry" in found["clock"][1]


def test_a_draft_and_files_that_all_can_read_are_doubtful(run, survey):
    text = (survey / "survey.toml").read_text().replace("confirmed = true", "confirmed = false")
    (survey / "survey.toml").write_text(text)
    (survey / "rows.csv").chmod(0o644)
    fit, found = verdicts(run("doctor", "survey.toml", "--json"))
    assert fit
    assert found["file"][0] == found["access"][0] == "doubtful"


SHARED = '\n[ledger]\nkind = "postgresql"\nurl_env = "DOCTORS_LEDGER"\naccounts = true\n'


def test_a_ledger_in_postgresql_is_looked_at_with_its_role_and_accounts(
    run, survey, postgres, monkeypatch
):
    with (survey / "survey.toml").open("a") as more:
        more.write(SHARED)
    database = postgres.database()
    postgres.sql("CREATE ROLE patient LOGIN")
    monkeypatch.setenv("DOCTORS_LEDGER", "postgresql://ana:s3cret@/x?host=/nowhere")
    fit, found = verdicts(run("doctor", "survey.toml", "--json"))
    assert (fit, found["database"][0]) == (False, "bad")
    assert "nothing listens there" in found["database"][1]
    assert "s3cret" not in str(found)
    monkeypatch.setenv("DOCTORS_LEDGER", postgres.url(database))
    fit, found = verdicts(run("doctor", "survey.toml", "--json"))
    assert found["role"] == (
        "doubtful", "postgres is a superuser, who can change any ledger: connect as another role",
    )  # fmt: skip
    assert found["accounts"][0] == "bad"
    assert "discreet ledger prepare" in found["accounts"][1]
    for words in (
        ("prepare", "survey.toml", "--role", "patient"),
        ("move", "survey.toml", "--yes"),
    ):
        assert run("ledger", *words).exit_code == 0
    monkeypatch.setenv("DOCTORS_LEDGER", postgres.url(database, role="patient"))
    fit, found = verdicts(run("doctor", "survey.toml", "--json"))
    assert fit, [one for one in found.values() if one[0] == "bad"]
    assert "does not own the ledgers: it may serve" in found["role"][1]
    assert found["accounts"][1].startswith("0 accounts in PostgreSQL")
    assert found["database"][0] == found["ledger"][0] == "good"
    monkeypatch.setattr(doctor, "SKEW", 0)
    assert (
        "PostgreSQL's clock, which ends sessions, is 0 s"
        in verdicts(run("doctor", "survey.toml", "--json"))[1]["clock"][1]
    )
