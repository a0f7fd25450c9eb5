"""A plan in words and pictures, from public facts alone."""

import re

import pytest

from discreet.planning import Wishes, plan, promise_text
from discreet.questions import parse_sql
from discreet.tables import read_dataset
from discreet.text import IF_PRIOR, ON_SHAPES, brief
from discreet.web.figures import scatter
from discreet.web.pages.plans import PlanView
from served_pages import ASKED, write_survey

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
    told, *_ = PlanView.of(made, dataset).promises
    assert made.parts[0].chosen.figures.simulated
    assert IF_PRIOR in told


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
