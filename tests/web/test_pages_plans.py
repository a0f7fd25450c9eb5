"""A plan in words and pictures, from public facts alone."""

import re
from dataclasses import replace

import pytest

from discreet.planning import plan
from discreet.questions import parse_sql
from discreet.tables import read_dataset
from discreet.web.figures import scatter
from discreet.web.pages.plans import PlanView
from served_pages import ASKED, write_survey


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


@pytest.mark.parametrize(
    ("sql", "within"),
    [("SELECT MEDIAN(age)", 0.0), ("SELECT MEDIAN(age)", 2.0), ("SELECT MODE(clinic)", None),
     ("SELECT MEDIAN(age)", None)],
)  # fmt: skip
@pytest.mark.parametrize("simulated", [True, False])
def test_a_promise_of_simulated_figures_says_what_it_supposes(dataset, sql, within, simulated):
    made = plan(parse_sql(sql, dataset), dataset, epsilon="1")
    part = made.parts[0]
    error = 0.1 if simulated else None
    figures = replace(part.chosen.figures, within=within, standard_error=error)
    part = replace(part, chosen=replace(part.chosen, figures=figures))
    (told,) = PlanView.of(replace(made, parts=(part,)), dataset).promises
    assert (", if rows are spread as supposed." in told) is simulated


def test_notes_speak_of_the_form_and_not_of_the_command_line(dataset):
    sql = "SELECT COUNT(*) WHERE clinic = 'North' GROUP BY BIN(age, 5)"
    view = PlanView.of(plan(parse_sql(sql, dataset), dataset, epsilon="0.4"), dataset)
    assert any("“rows are spread evenly” under More options" in note for note in view.notes)
    assert not any("--" in note for note in view.notes)
