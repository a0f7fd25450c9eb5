"""A plan in words and pictures, from public facts alone."""

import re
from urllib.parse import parse_qs, urlencode

import pytest

from discreet.figures import scatter
from discreet.planning import Wishes, plan, promise_text
from discreet.questions import parse_sql
from discreet.statistics import NAMES
from discreet.tables import read_dataset
from discreet.text import IF_PRIOR, ON_SHAPES, brief
from discreet.web.pages.forms import AskForm
from discreet.web.pages.plans import PlanView
from discreet.web.pages.sentence import QUANTILES, Sentence
from served_pages import ASKED, write_survey, write_visits

STATED = Wishes.of(prior="uniform")


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory):
    return read_dataset(write_survey(tmp_path_factory.mktemp("facts")))


@pytest.mark.parametrize(("sql", "epsilon"), ASKED)
def test_a_plan_in_words_depends_on_public_facts_alone_and_is_the_same_each_time(
    dataset, sql, epsilon
):
    question = parse_sql(sql, dataset)
    views = [PlanView.of(plan(question, dataset, epsilon=epsilon), dataset) for _ in range(2)]
    assert views[0] == views[1]
    assert all(told.endswith(".") for told in views[0].promises)
    assert all(part.picture is not None for part in views[0].parts)


@pytest.mark.parametrize("statistic", sorted({*NAMES, *QUANTILES}))
def test_every_statistic_of_the_sentence_can_be_shown(dataset, statistic):
    given = {"statistic": [statistic], "where": ["smokes"], "is": ["="], "value": ["true"]}
    sentence = Sentence.of(given, dataset)
    view = PlanView.of(plan(sentence.question(dataset), dataset, epsilon="1"), dataset)
    assert view.promises
    assert all(part.candidates for part in view.parts)


def test_an_answer_that_could_be_nearly_anything_is_called_that(dataset):
    view = PlanView.of(
        plan(parse_sql("SELECT MIN(age)", dataset), dataset, epsilon="0.02"), dataset
    )
    assert view.notes


@pytest.mark.parametrize("truth", [30.0, 41.0, 45.0, 60.0])
def test_the_truth_is_drawn_where_the_axis_says(truth):
    answers = [float(at) for at in range(41, 51)]
    picture = scatter(answers, [0.1] * 10, truth, "A message.", near=(41.0, 50.0))
    ticks = re.findall(r'<text x="([^"]*)"[^>]*class="tick[^"]*"[^>]*>(\d+)<', picture.svg)
    (first, at), *_, (last, to) = sorted((float(told), float(x)) for x, told in ticks)
    line = re.search(r'<line x1="([^"]*)"[^>]*class="truth"', picture.svg)
    assert line is not None
    wanted = at + (truth - first) * (to - at) / (last - first)
    assert float(line[1]) == pytest.approx(wanted, abs=0.5)


@pytest.mark.parametrize("sql", ["SELECT MEDIAN(age)", "SELECT MODE(clinic)", "SELECT AVG(age)"])
def test_a_promise_holds_for_any_data_or_says_what_it_rests_on(dataset, sql):
    made = plan(parse_sql(sql, dataset), dataset, epsilon="1")
    told, *_ = PlanView.of(made, dataset).promises
    chosen = made.parts[0].chosen
    promise = promise_text(made.parts[0].subject, made.wishes, chosen)
    figures = chosen.figures
    if promise:
        assert told.startswith(f"The answer will be {promise}, with 95 % confidence.")
    assert not figures.supposed or promise or ON_SHAPES in told
    assert "expected error" not in told


def test_a_promise_for_a_mean_says_that_gaps_would_break_it(dataset):
    made = plan(parse_sql("SELECT AVG(age)", dataset), dataset, epsilon="1")
    told, *_ = PlanView.of(made, dataset).promises
    assert "of the true value if no cell is empty, with 95 % confidence." in told


@pytest.mark.parametrize("sql", ["SELECT MEDIAN(age)", "SELECT AVG(age) WHERE clinic = 'North'"])
def test_a_promise_under_a_prior_says_so(dataset, sql):
    made = plan(parse_sql(sql, dataset), dataset, epsilon="1", wishes=STATED)
    view = PlanView.of(made, dataset)
    assert made.parts[0].chosen.figures.simulated
    assert IF_PRIOR in " ".join((*view.promises, *view.details))


def test_words_by_answer_say_how_likely_they_are_wrong_at_most(dataset):
    wishes = Wishes.of(mechanism="by answer")
    made = plan(parse_sql("SELECT MODE(clinic)", dataset), dataset, epsilon="1", wishes=wishes)
    told, *_ = PlanView.of(made, dataset).promises
    worst = made.parts[0].chosen.figures.worst
    assert f"For any data it is wrong with probability {brief(100 * worst, 3)} % at most." in told


def test_notes_speak_of_the_form_and_not_of_the_command_line(dataset):
    sql = "SELECT COUNT(*) WHERE clinic = 'North' GROUP BY BIN(age, 5)"
    view = PlanView.of(
        plan(parse_sql(sql, dataset), dataset, epsilon="0.4", wishes=STATED), dataset
    )
    assert any("“rows are spread evenly” under More options" in note for note in view.notes)
    assert not any("--" in note for note in view.notes)


def test_a_plan_says_which_answers_share_a_draw(dataset):
    question = parse_sql("SELECT COUNT(age > 25), COUNT(clinic = 'North'), COUNT(smokes)", dataset)
    view = PlanView.of(plan(question, dataset, epsilon=1), dataset)
    assert view.promises[-1].startswith("All 3 are answered together, from one draw")
    assert len(view.parts) == 3


@pytest.mark.parametrize(
    ("chosen", "asked"),
    [
        ("by=visit", "SELECT COUNT(*) GROUP BY DATE_TRUNC('month', visit)"),
        ("by=visit&width=year", "SELECT COUNT(*) GROUP BY DATE_TRUNC('year', visit)"),
        ("by=visit&width=DAYNAME", "SELECT COUNT(*) GROUP BY DAYNAME(visit)"),
        ("by=visit&width=30", "SELECT COUNT(*) GROUP BY BIN(visit, 30)"),
        ("by=clinic&totals=1", "SELECT COUNT(*) GROUP BY ROLLUP(clinic)"),
        ("by=clinic&by=outcome&totals=1", "SELECT COUNT(*) GROUP BY CUBE(clinic, outcome)"),
        ("by=waited&width=20&running=1", "SELECT COUNT(*) GROUP BY CUMULATIVE(waited, 20)"),
        ("by=visit&running=1", "SELECT COUNT(*) GROUP BY DATE_TRUNC('month', visit)"),
        ("where=age&is=missing&value=", "SELECT COUNT(*) WHERE age IS NULL"),
        ("where=age&is=known&value=", "SELECT COUNT(*) WHERE age IS NOT NULL"),
        ("where=visit&is=<=&value=2022-03-01", "SELECT COUNT(*) WHERE visit <= DATE '2022-03-01'"),
    ],
)
def test_the_sentence_knows_dates_gaps_and_totals(tmp_path, chosen, asked):
    facts = read_dataset(write_visits(tmp_path))
    given = parse_qs(f"statistic=count&{chosen}", keep_blank_values=True)
    form = AskForm.of(given, facts)
    assert form.asked(facts) == asked
    again = AskForm.of(parse_qs(urlencode(form.fields()), keep_blank_values=True), facts)
    assert again.asked(facts) == asked, "a link to the form says the same"


def test_a_picture_of_an_imagined_table_does_not_contradict_the_promise(dataset):
    """A correlation errs far less where rows are spread evenly than on public shapes together."""
    made = plan(parse_sql("SELECT CORR(age, satisfaction)", dataset), dataset, epsilon="3")
    view = PlanView.of(made, dataset)
    (part,), within = made.parts, brief(made.parts[0].chosen.figures.within)
    assert part.chosen.figures.rests_on == ON_SHAPES
    assert f"±{within}" in view.promises[0]
    message = view.parts[0].picture.message
    assert "and rows were spread evenly, 95 % of answers would" in message
    others = "on public shapes taken together, some closer and some farther off"
    assert message.endswith(f"; {others}, within ±{within}.")
    assert message.startswith("If the true answer were 0 and"), "not −0.0000002, which is no answer"
