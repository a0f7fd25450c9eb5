"""discreet ask: what is spent is spent for good, so it is asked first; exit codes say the rest."""

import csv
import io

import pytest

from discreet.budget import Ledger, audit
from discreet.cli.commands.demo import copied_survey
from discreet.cli.failures import INTERRUPTED, NO_LEDGER, OVER_BUDGET, UNUSABLE

ASK = ["ask", "survey.toml", "SELECT MEDIAN(mood)"]


def _spent():
    with Ledger("survey.ledger") as ledger:
        assert audit(ledger.entries()).clean
        return ledger.balance().spent


def test_an_answer_is_told_with_its_cost(run, survey):
    done = run(*ASK, "--epsilon", "0.5", "--yes")
    assert done.exit_code == 0, done.stderr
    for needed in ("SELECT MEDIAN(mood)", "95 % confidence", "ε = 0.5 spent", "0.5 of 3 spent"):
        assert needed in done.stdout
    assert _spent() == 500_000_000


def test_an_analyst_with_a_budget_of_their_own_sees_it(run, survey):
    words = (*ASK, "--epsilon", "0.5", "--yes", "--analyst")
    total, own = run(*words, "ana").stdout.splitlines()[-2:]
    assert ("0.5 of 3 spent" in total, own.split()[0], "0.5 of 1 spent" in own) == (
        True,
        "ana",
        True,
    )
    assert run(*words, "tester").stdout.splitlines()[-1].split()[0] == "total"


WORDS = "SELECT MEDIAN(mood), COUNT(smokes), SUM(mood) GROUP BY clinic"


@pytest.mark.parametrize("width", [30, 40, 60, 79])
def test_on_a_narrow_screen_nothing_is_cut(run, run_json, survey, width):
    asked = ["ask", "survey.toml", WORDS, "--epsilon", "1", "--id", "narrow", "--yes"]
    told = run_json(*asked)
    shown = run(*asked, env={"COLUMNS": str(width)}).stdout
    assert all(len(line) <= width for line in shown.splitlines())
    together = "".join(shown.split())
    for one in told["results"]:
        if one["too_few_rows"]:
            assert f"toofewrows(about{one['rows_about']})" in together
            continue
        assert one["bound"].replace(" ", "") in together
        assert one["statistic"] in together
        assert one["mechanism"].replace(" ", "") in together
    spans = sum((" … " in one["bound"]) + bool(one["rows_within"]) for one in told["results"])
    assert shown.count("…") == spans


@pytest.mark.parametrize("width", [40, 60])
def test_nor_are_plans_and_books(run, survey, width):
    narrow = {"COLUMNS": str(width)}
    run(*ASK, "--epsilon", "0.333333333", "--yes", "--analyst", "ana")
    plan = ["plan", "survey.toml", WORDS, "--epsilon", "1", "--loss", "squared"]
    for words in (plan, ["ledger", "show", "survey.toml"], ["ledger", "verify", "survey.toml"]):
        done = run(*words, env=narrow)
        assert done.exit_code == 0
        assert "…" not in done.stdout
    shown = run("ledger", "show", "survey.toml", env=narrow).stdout
    assert sum("░" in line for line in shown.splitlines()) == 2
    shown = " ".join(shown.split())
    assert "0.333333333 of 1 spent, 0.666666667 left" in shown


def test_the_certificate_is_told_short(run, run_json, survey):
    asked = ["ask", "survey.toml", "SELECT COUNT(smokes)", "--epsilon", "1", "--id", "x", "--yes"]
    digest = run_json(*asked)["results"][0]["certificate"]
    assert f" certificate {digest[:12]}\n" in run(*asked).stdout


def test_a_mode_is_told_by_rows_that_it_is_behind_at_most(run, run_json, survey):
    copied_survey(survey)
    asked = ["ask", "clinic.toml", "SELECT MODE(clinic)", "--epsilon", "1", "--id", "x", "--yes"]
    told = run_json(*asked)["results"][0]
    assert (told["supposed"], told["interval"], told["expected_error"]) == (False, None, None)
    assert told["bound"] == f"at most {told['rows_behind']} rows behind the most frequent"
    assert told["bound"] in run(*asked, env={"COLUMNS": "200"}).stdout


def test_an_interval_that_rests_on_a_prior_says_so_in_its_own_cell(run, run_json, survey):
    copied_survey(survey)
    asked = ["ask", "clinic.toml", "SELECT MEDIAN(waited)", "--epsilon", "1", "--yes", "--id"]
    told = run_json(*asked, "safe")["results"][0]
    assert (told["interval"], told["interval_if_prior_holds"]) == (None, None)
    assert told["bound"].endswith("percentile of these rows")
    stated = [*asked, "stated", "--prior", "uniform"]
    told = run_json(*stated)["results"][0]
    low, high = told["interval_if_prior_holds"]
    assert told["interval"] is None
    assert told["bound"] == f"{low:g} … {high:g} if the prior holds"
    assert told["bound"] in run(*stated, env={"COLUMNS": "200"}).stdout
    cells = next(csv.DictReader(io.StringIO(run(*stated, "--csv").stdout)))
    assert (cells["low"], cells["high"], cells["low_if_prior_holds"]) == ("", "", f"{low:g}")


def test_where_nobody_can_be_asked_yes_is_needed(run, survey):
    done = run(*ASK, "--epsilon", "0.5")
    assert done.exit_code == UNUSABLE
    assert done.stderr == "error: not confirmed: answer the prompt, or add --yes\n"
    assert _spent() == 0


@pytest.mark.parametrize(("reply", "spent"), [("y\n", 500_000_000), ("n\n", 0), ("\n", 0), ("", 0)])
def test_a_person_is_asked(run, survey, monkeypatch, reply, spent):
    monkeypatch.setattr("discreet.cli.rendering.terminal.somebody_is_there", lambda: True)
    done = run(*ASK, "--epsilon", "0.5", input=reply)
    assert done.exit_code == (0 if spent else INTERRUPTED)
    assert "This spends ε = 0.5 of the 3 left" in done.stderr
    ending = "nothing was spent\n" if reply else "\nnothing was spent\n"
    assert done.stderr.endswith(ending) == (not spent)
    assert _spent() == spent


def test_a_dry_run_spends_nothing(run, run_json, survey):
    done = run(*ASK, "--epsilon", "0.5", "--dry-run")
    assert done.exit_code == 0
    assert "nothing was spent" in done.stdout
    assert run_json(*ASK, "--epsilon", "0.5", "--dry-run")["epsilon"] == "0.5"
    assert _spent() == 0


def test_a_dry_run_says_what_would_become_of_the_question(run, run_json, survey):
    def dry(*words):
        told = run_json(*ASK, *words, "--dry-run")
        return told["left"], told["free"], told["refused"]

    done = run(*ASK, "--epsilon", "3.5", "--dry-run")
    assert done.stdout.endswith("over budget: only ε = 3 is left; nothing was spent\n")
    assert dry("--epsilon", "3") == ("3", False, False)
    assert dry("--epsilon", "2", "--analyst", "ana") == ("1", False, True)
    run(*ASK, "--epsilon", "2", "--id", "mood", "--yes")
    assert dry("--epsilon", "2", "--id", "other", "--fresh") == ("1", False, True)
    assert dry("--epsilon", "2", "--id", "other") == ("1", True, False)
    assert dry("--epsilon", "2", "--id", "mood") == ("1", True, False)
    done = run(*ASK, "--epsilon", "2", "--id", "mood", "--dry-run")
    assert "free of charge: the answer under this id is stored" in done.stdout
    taken = run(*ASK, "--epsilon", "1", "--id", "mood", "--dry-run")
    assert (taken.exit_code, "choose a new id" in taken.stderr) == (UNUSABLE, True)
    assert _spent() == 2_000_000_000


def test_a_dry_run_makes_no_ledger(run_json, survey):
    for file in survey.glob("survey.ledger*"):
        file.unlink()
    for words, left in (([], "3"), (["--analyst", "ana"], "1")):
        assert run_json(*ASK, "--epsilon", "3", "--dry-run", *words)["left"] == left
    assert not list(survey.glob("survey.ledger*"))


def test_the_same_id_is_free_and_needs_no_yes(run_json, survey):
    first = run_json(*ASK, "--epsilon", "0.5", "--id", "mood", "--yes")
    again = run_json(*ASK, "--epsilon", "0.5", "--id", "mood")
    assert again["free"]
    assert again["results"] == first["results"]
    assert _spent() == 500_000_000


def test_explain_plans_and_needs_no_yes(run, run_json, survey):
    several = "SELECT COUNT(smokes), COUNT(mood > 2), COUNT(clinic = 'A')"
    words = ["--epsilon", "0.5"]
    asked = run("ask", "survey.toml", f"EXPLAIN {several}", *words)
    assert asked.exit_code == 0, asked.stderr
    assert "all 3 are answered together, from one draw" in asked.stdout
    assert asked.stdout.endswith("ε = 3 is left; nothing was spent\n")
    told = run_json("ask", "survey.toml", f"explain {several}", *words)
    planned = run_json("plan", "survey.toml", f"EXPLAIN {several}", *words)
    assert told["digest"] == planned["digest"]
    assert planned["digest"] == run_json("plan", "survey.toml", several, *words)["digest"]
    assert told["together"][0]["parts"] == [0, 1, 2]
    assert _spent() == 0


def test_what_an_earlier_answer_tells_needs_no_yes(run, run_json, survey):
    table = run_json("ask", "survey.toml", "SELECT COUNT(*) GROUP BY clinic, smokes",
                     "--epsilon", "1", "--yes")  # fmt: skip
    part = ["ask", "survey.toml", "SELECT COUNT(smokes)", "--epsilon", "1"]
    told = run(*part)
    assert f"from the answer of {_today()} ({table['receipt']}), no charge" in told.stdout
    assert run_json(*part)["from"]["receipt"] == table["receipt"]
    assert "--fresh pays ε = 1 for a new draw, 95 %: COUNT(smokes = 'true') within" in told.stdout
    (result,) = run_json(*part)["results"]
    shown = run("plan", *part[1:]).stdout
    assert f"no charge, 95 %: COUNT(smokes) {result['bound']}; a fresh" in " ".join(shown.split())
    assert "costs nothing: read from an earlier answer" in shown
    assert "a fresh draw would cost ε = 1" in " ".join(shown.split())
    assert run(*part, "--fresh").exit_code == UNUSABLE  # nobody said yes
    assert not run_json(*part, "--fresh", "--yes")["free"]
    assert _spent() == 2_000_000_000


def _today():
    with Ledger("survey.ledger") as ledger:
        return ledger.entries()[-1].at[:10]


def test_over_budget_is_exit_code_three(run, survey):
    for words in (["--epsilon", "3.1"], ["--epsilon", "1.5", "--analyst", "ana"]):
        done = run(*ASK, *words, "--yes")
        assert done.exit_code == OVER_BUDGET
        assert done.stderr.startswith("error: this would cost ε = ")
    assert _spent() == 0


def test_a_ledger_that_cannot_be_trusted_is_exit_code_four(run, survey):
    (survey / "survey.ledger.head").write_bytes(b"x" * 256)
    done = run(*ASK, "--epsilon", "1", "--yes")
    assert done.exit_code == NO_LEDGER
    assert "discreet ledger acknowledge" in done.stderr


def test_csv_and_groups(run, survey):
    done = run("ask", "survey.toml", "SELECT COUNT(*) GROUP BY clinic", "--epsilon", "1", "--yes",
               "--csv", "--consistent")  # fmt: skip
    lines = list(csv.DictReader(io.StringIO(done.stdout)))
    assert [line["group"] for line in lines] == ["A", "B", "other"]
    assert sum(int(line["value"]) for line in lines) == 40
    assert run(*ASK, "--epsilon", "1", "--yes", "--csv", "--json").exit_code == UNUSABLE


def test_rows_that_are_no_text_are_said_to_be_none(run, survey):
    (survey / "rows.csv").write_bytes(bytes(range(9)) + b"mood\rclinic\r" + bytes(range(40)))
    done = run(*ASK, "--epsilon", "1", "--yes")
    assert done.exit_code == UNUSABLE
    assert done.stderr.startswith("error: 'rows.csv' is no text: it is full of control characters")


def test_a_second_file_over_the_same_rows_is_told_on_standard_error(run, survey):
    (survey / "again.toml").write_text((survey / "survey.toml").read_text())
    ask = ["ask", "survey.toml", "SELECT COUNT(smokes)", "--epsilon", "0.1", "--yes", "--json"]
    done = run(*ask)
    assert done.exit_code == 0
    told = "warning: again.toml has a budget of its own for the same rows"
    assert done.stderr.startswith(told)
    assert done.stderr.count("budget of its own") == 1
    draft = (survey / "survey.toml").read_text().replace("confirmed = true", "confirmed = false")
    (survey / "draft.toml").write_text(draft)
    refused = run("ask", "draft.toml", *ask[2:])
    assert refused.exit_code == UNUSABLE
    assert refused.stderr.count("\n") == 1
