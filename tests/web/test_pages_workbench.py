"""The workbench: what it shows is the design itself, and everything is in the link."""

import json
import re
from collections.abc import Iterator
from html import unescape

import httpx
import pytest

from discreet.certifier import certify
from discreet.designer import design
from discreet.measures import expected_loss
from discreet.mechanisms import build
from discreet.model import AllPairs, Goal, Grid, Within, mechanism_from_dict
from served_pages import served, twin_of, write_survey

LIKERT = "/workbench?kind=numbers&low=1&high=5&step=1&relation=all&epsilon=1"
COUNT = "/workbench?kind=numbers&low=0&high=8&step=1&relation=within&steps=1&epsilon=0.5"


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    with served(write_survey(tmp_path_factory.mktemp("bench"))) as found:
        yield found


def test_the_page_shows_the_best_value_and_the_losses_of_the_classics(client):
    page = client.get(LIKERT).text
    space = Grid.between(1, 5)
    best = design(space, AllPairs(), "1")
    assert f"Expected error {best.value:.4g} at ε = 1." in page
    laplace = expected_loss(build("laplace", space, AllPairs(), "1"))
    assert f"<td>{laplace:.4g}</td>" in page
    assert "Optimal: the proven lower bound agrees" in page


def test_the_exact_integers_add_up_to_the_total_and_are_certified(client):
    page = client.get(COUNT).text
    total = int(re.search(r"each column adds up to ([\d,]+)", page)[1].replace(",", ""))
    table = re.search(r'<table class="small exact">(.*?)</table>', page, re.DOTALL)[1]
    rows = [
        [int(cell) for cell in re.findall(r"<td>(\d+)</td>", row)]
        for row in re.findall(r"<tr>(.*?)</tr>", table, re.DOTALL)
        if "<td>" in row
    ]
    assert len(rows) == 9
    assert all(sum(column) == total for column in zip(*rows, strict=True))
    link = re.search(r'<a class="button" href="([^"]*)" download="mechanism.json">', page)
    mechanism = mechanism_from_dict(json.loads(client.get(unescape(link[1])).text))
    assert mechanism.weights.tolist() == rows
    certify(mechanism, "0.5")


def test_the_link_says_everything_again(client):
    query = f"{COUNT}&loss=squared&goal=worst&require=symmetric&require=fair"
    page = client.get(query).text
    link = unescape(re.search(r'<input id="share" readonly value="([^"]*)">', page)[1])
    again = client.get(link).text
    assert again == page


def test_requirements_hold_and_are_said(client):
    page = client.get(f"{COUNT}&require=fair&require=symmetric").text
    for name in ("fair", "symmetric"):
        row = re.search(rf'<th scope="row">{name}</th>(.*?)</tr>', page, re.DOTALL)[1]
        assert "✓ yes" in row


def test_a_prior_and_the_worst_case_change_the_goal(client):
    goal = Goal.of("absolute", [0.5, 0.2, 0.1, 0.1, 0.1])
    best = design(Grid.between(1, 5), AllPairs(), "1", goal)
    page = client.get(f"{LIKERT}&goal=prior&prior=0.5,0.2,0.1,0.1,0.1").text
    assert f"Expected error {best.value:.4g}" in page
    worst = design(Grid.between(0, 8), Within(1), "0.5", Goal.of("absolute", worst_case=True))
    page = client.get(f"{COUNT}&goal=worst").text
    assert f"Worst-case error {worst.value:.4g}" in page


def test_the_curve_falls_and_its_table_holds_the_design(client):
    page = client.get(LIKERT).text
    tables = re.findall(r"<table class=\"small\">(.*?)</table>", page, re.DOTALL)
    curve = next(table for table in tables if '<th scope="col">ε</th>' in table)
    ours = [
        float(re.search(r"<td>([\d.]+)</td>", row)[1])
        for row in re.findall(r"<tr>(.*?)</tr>", curve, re.DOTALL)
        if "<td>" in row
    ]
    assert ours == sorted(ours, reverse=True)
    best = design(Grid.between(1, 5), AllPairs(), "0.5")
    assert ours[3] == pytest.approx(best.value, rel=1e-3)


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("epsilon=0", "epsilon must be positive"),
        ("low=5&high=1", "the range is reversed"),
        ("low=x", "number"),
        ("relation=within&steps=-1", "whole number"),
        ("kind=labels&labels=a,a", "twice"),
        ("goal=prior&prior=1,2", "probabilit"),
        ("require=shiny", "unknown requirement"),
    ],
)
def test_what_cannot_be_designed_is_said_in_one_sentence(client, query, told):
    reply = client.get(f"/workbench?{query}")
    assert reply.status_code == 200
    assert "This cannot be designed." in reply.text
    assert told.lower() in unescape(reply.text).lower()


def test_a_large_design_is_not_drawn_but_told(client):
    page = client.get("/workbench?low=0&high=300&relation=within&epsilon=1").text
    assert "301 outputs by 301 answers are too many to draw" in page
    document = client.get(twin_of(page)).json()
    assert document["shape"] == [301, 301]
