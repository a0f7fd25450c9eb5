"""A report says what the ledger says, escapes what comes from outside, and depends on no row."""

import json
import re
from fractions import Fraction
from pathlib import Path

import pytest

from discreet.curator import Curator, Order, open_dataset
from discreet.errors import InvalidInput, UnknownReceipt
from discreet.exact import Epsilon
from discreet.questions import parse_sql
from discreet.reports import answer_pictures, differences, report_html, report_markdown, report_of
from discreet.reports.check import receipts_of
from discreet.reports.words import at_most_sure
from exponential_series import exponential
from small_survey import CLINIC, MOOD, SMOKES, VISIT, dataset_text

TWICE = '[derived.twice]\nexpression = "2 * mood"\n'
EVIL = "<script>alert(1)</script>|`x`"
QUESTIONS = (
    "SELECT COUNT(*) GROUP BY clinic",
    "SELECT MEDIAN(mood), AVG(mood)",
    "SELECT MODE(clinic)",
)
ROWS = [("A", 3, "true")] * 20 + [("B", 5, "false")] * 20


def write_survey(folder, rows=ROWS, name="survey"):
    lines = [f"{clinic},{mood},{smokes}" for clinic, mood, smokes in rows]
    (folder / "rows.csv").write_text("\n".join(["clinic,mood,smokes", *lines]) + "\n")
    text = dataset_text("size = 40", columns=MOOD + CLINIC + SMOKES + TWICE, name=name)
    (folder / "survey.toml").write_text(text)
    return folder / "survey.toml"


@pytest.fixture
def curator(tmp_path):
    with Curator(write_survey(tmp_path), "ana") as opened:
        yield opened


def asked(curator, *questions, epsilon="1"):
    return [
        curator.ask(Order(parse_sql(one, curator.dataset), epsilon=Epsilon.of(epsilon))).receipt
        for one in questions
    ]


def made(curator, **chosen):
    at = "2026-03-01T09:30:12+00:00"
    return report_of(curator.dataset, curator.ledger, made=at, version="0", **chosen)


def test_every_answer_stands_in_all_forms_as_it_was_released(curator):
    receipts = asked(curator, *QUESTIONS)
    report = made(curator)
    page, document = (form(report, "s.toml", "s.json") for form in (report_html, report_markdown))
    data = report.to_dict()
    assert [one["receipt"] for one in data["answers"]] == receipts
    for receipt, told in zip(receipts, data["answers"], strict=True):
        stored = curator.stored(receipt)
        assert told["results"] == stored.to_dict()["results"]
        assert all(receipt in form and stored.results[0].text in form for form in (page, document))
    assert data["epsilon"] == "3"
    assert not differences(json.loads(json.dumps(data)), report)


def test_chosen_answers_come_in_the_order_given(curator):
    first, second, third = asked(curator, *QUESTIONS)
    chosen = made(curator, receipts=[third, first, third])
    assert [one.answer.receipt for one in chosen.answers] == [third, first]
    assert str(chosen.epsilon) == "2"
    assert chosen.total.spent == 3 * 10**9
    with pytest.raises(UnknownReceipt, match="nope"):
        made(curator, receipts=[second, "nope"])
    with pytest.raises(UnknownReceipt):
        made(curator, receipts=[first], analyst="eve")


def test_a_synthetic_table_is_listed_and_has_a_report_of_its_own(tmp_path):
    with open_dataset(write_survey(tmp_path), analyst="ana") as survey:
        table = survey.synthesize("clinic", "smokes", epsilon=1)
        receipts = asked(survey.curator, QUESTIONS[0])
        report = made(survey.curator)
        assert [one.receipt for one in report.others] == [table.receipt]
        assert [one.answer.receipt for one in report.answers] == receipts
        assert str(report.epsilon) == "2"
        for form in (report_html, report_markdown):
            assert table.receipt in form(report, "s.toml", "s.json")
        alone = made(survey.curator, receipts=[table.receipt])
        assert not alone.answers
        assert receipts_of(report.to_dict()) == [*receipts, table.receipt]


def test_without_answers_there_is_nothing_to_report(curator):
    with pytest.raises(InvalidInput, match="nothing to report"):
        made(curator)


def test_any_changed_value_is_found(curator):
    asked(curator, *QUESTIONS)
    report = made(curator)
    data = report.to_dict()
    for place, answer in enumerate(data["answers"]):
        for key in ("epsilon", "asked", "words", "plan", "at"):
            changed = json.loads(json.dumps(data))
            changed["answers"][place][key] = "x"
            assert len(differences(changed, report)) == 1
        for number in range(len(answer["results"])):
            for key in answer["results"][number]:
                changed = json.loads(json.dumps(data))
                changed["answers"][place]["results"][number][key] = "another"
                assert differences(changed, report), key


def test_names_from_outside_are_words_in_a_page(tmp_path):
    file = write_survey(tmp_path, name=EVIL)
    with Curator(file, "ana") as curator:
        asked(curator, f'SELECT COUNT(smokes) AS "{EVIL}"')
        report = made(curator)
        page = report_html(report, EVIL, EVIL)
        assert "<script" not in page
        assert not re.search(r"src=|href=|@import|url\(", page)
        rows = [line for line in report_markdown(report, "s", "s").splitlines() if "alert" in line]
        assert rows
        assert not any(re.search(r"(?<!\\)<script", line) for line in rows if line[:6] != "SELECT")


def test_adjacent_tables_have_the_same_report_but_for_what_was_drawn(tmp_path):
    pages = []
    for number, rows in enumerate(([("A", 1, "true")] * 40, [("B", 5, "false")] * 40)):
        folder = tmp_path / str(number)
        folder.mkdir()
        with Curator(write_survey(folder, rows), "ana") as curator:
            curator.ask(
                Order(parse_sql("SELECT COUNT(smokes)", curator.dataset), epsilon=Epsilon.of("1")),
                question_id="same",
            )
            report = made(curator)
            page = report_html(report, "s.toml", "s.json")
            answer = report.answers[0].answer
            pages.append(_without_drawn(page, answer, report))
    assert pages[0] == pages[1]


def _without_drawn(page, answer, report):
    page = re.sub(r"<figure>.*?</figure>", "", page, flags=re.DOTALL)
    page = page.replace(report.head, "").replace(answer.results[0].bound, "")
    page = re.sub(r"\d+ \w+ \d{4}, \d\d:\d\d UTC", "", page)
    return page.replace(f' class="number">{answer.results[0].text}</td>', "")


@pytest.mark.parametrize("epsilon", [Fraction(1, 100), Fraction(1, 2), Fraction(2), Fraction(7)])
def test_how_sure_somebody_can_become_is_never_told_too_low(epsilon):
    low, high = exponential(epsilon)
    told = at_most_sure(epsilon)
    assert told >= high / (1 + high)
    assert told - Fraction(1, 1000) <= low / (1 + low) + Fraction(1, 10**6)


def test_the_files_are_written_and_verified(tmp_path, monkeypatch):
    from typer.testing import CliRunner

    from discreet.cli import app

    file = write_survey(tmp_path)
    monkeypatch.chdir(tmp_path)
    with Curator(file, "ana") as curator:
        (receipt,) = asked(curator, QUESTIONS[0])
    run = lambda *words: CliRunner().invoke(app, ["report", *words])  # noqa: E731
    done = run("survey.toml", "--out", "handed-in", "--receipt", receipt)
    assert done.exit_code == 0
    assert all(Path(f"handed-in{end}").is_file() for end in (".html", ".md", ".json"))
    assert run("survey.toml", "--verify", "handed-in.json").exit_code == 0
    text = Path("handed-in.json").read_text().replace('"whole_range": false', '"whole_range": true')
    Path("handed-in.json").write_text(text)
    assert run("survey.toml", "--verify", "handed-in.json").exit_code == 1
    for words, said in {
        ("survey.toml", "--verify", "handed-in.md"): "is not JSON",
        ("survey.toml", "--verify", "none.json"): "cannot read the report",
        ("survey.toml", "--receipt", "nope"): "there is no answer with the receipt 'nope'",
        ("survey.toml", "--out", "no/such/folder"): "cannot write",
        ("none.toml",): "none.toml",
    }.items():
        done = run(*words)
        assert done.exit_code == 2, done.stdout
        assert said in done.stderr
        assert done.stderr.count("\n") == 1


def _pictures(curator, sql, epsilon="5"):
    order = Order(parse_sql(sql, curator.dataset), epsilon=Epsilon.of(epsilon))
    return answer_pictures(curator.ask(order), order.question, curator.dataset)


def test_totals_are_never_drawn_beside_their_parts(curator):
    (picture,) = _pictures(curator, "SELECT COUNT(*) GROUP BY CUBE(clinic, smokes)")
    assert len(picture.rows) == 6, "three clinics with other, yes and no; no totals"
    assert "(all)" not in picture.svg
    assert "(all)" not in picture.message


def test_quantiles_share_a_picture_and_a_regression_has_a_line(curator):
    (picture,) = _pictures(curator, "SELECT QUARTILES(mood)")
    assert len(picture.rows[0]) == 4
    line, *each = _pictures(curator, "SELECT REGR_SLOPE(mood, twice), REGR_INTERCEPT(mood, twice)")
    assert [row[0] for row in line.rows] == ["2", "10"], "over the declared range"
    assert len(each) == 2
    (correlation,) = _pictures(curator, "SELECT CORR(mood, twice)")
    assert correlation.rows[-1] == ("possible", "−1 to 1")


def test_groups_of_days_are_a_time_line(tmp_path):
    lines = [f"2023-{1 + place % 12:02}-{1 + place % 28:02}" for place in range(40)]
    (tmp_path / "rows.csv").write_text("\n".join(["visit", *lines]) + "\n")
    text = dataset_text("size = 40", columns=VISIT)
    (tmp_path / "survey.toml").write_text(text)
    with Curator(tmp_path / "survey.toml", "ana") as opened:
        (picture,) = _pictures(opened, "SELECT COUNT(*) GROUP BY DATE_TRUNC('month', visit)")
    assert 'class="plot time"' in picture.svg
    assert [row[0] for row in picture.rows] == [f"2023-{month:02}-01" for month in range(1, 13)]
    assert "where the date is missing" in picture.message
