"""Help that teaches: the tour on made-up data, examples, and a way on from every refusal."""

import re
from pathlib import Path

from discreet.accounts import Accounts
from served_pages import hidden_fields, rows, served, write_survey

ASK = "/datasets/survey/ask"


def test_each_has_a_tour_of_their_own_that_spends_nothing_else(tmp_path: Path):
    file = write_survey(tmp_path)
    with Accounts(tmp_path / "discreet.accounts") as accounts:
        tokens = [accounts.create(name, datasets=("survey",)).text for name in ("ana", "bo")]
    with served(file, warm=False) as client:
        assert client.get("/tour").url.path == "/sign-in"
        client.post("/sign-in", data={"token": tokens[0]})
        tour = client.get("/tour").text
        assert "Nothing is asked yet: ε = 2 is left." in tour
        confirm = client.get("/datasets/~tour/confirm?statistic=count&epsilon=0.5&where=clinic"
                             "&is=%3D&value=North").text  # fmt: skip
        asked = client.post("/datasets/~tour/ask", data=hidden_fields(confirm))
        assert "/datasets/~tour/answers/" in str(asked.url)
        listed = client.get("/datasets/~tour/answers").text
        assert "Publish …" not in asked.text, "made-up rows are nobody's"
        assert "Make a release" not in listed
        assert "So far: 1 answer, and ε = 1.5 left." in client.get("/tour").text
        assert client.get("/api/datasets/survey").json()["budget"]["left"] == "2"
        csrf = hidden_fields(client.get("/tour").text)["csrf"]
        receipt = str(asked.url).rpartition("/")[2]
        client.post("/sign-out", data={"csrf": csrf})
        client.post("/sign-in", data={"token": tokens[1]})
        assert client.get("/datasets/~tour").status_code == 404, "nobody else's is there"
        assert "ε = 2 is left" in client.get("/tour").text
        assert client.get(f"/datasets/~tour/answers/{receipt}").status_code == 404
        csrf = hidden_fields(client.get("/tour").text)["csrf"]
        assert "ε = 2 is left" in client.post("/tour", data={"csrf": csrf}).text


def test_refusals_lead_on_and_plans_tell_the_risk(tmp_path: Path):
    with served(write_survey(tmp_path), warm=False) as client:
        refused = client.get(ASK, params={"how": "sql", "sql": "SELECT AVG(agee)", "epsilon": "1"})
        link = re.search(r'Can be asked:</strong> <a href="([^"]*)">The average of age</a>',
                         refused.text)  # fmt: skip
        assert link is not None
        planned = client.get(link[1].replace("&amp;", "&")).text
        assert "at most 62.3\N{NO-BREAK SPACE}% sure by this answer" in planned
        assert (
            "at most 88.1\N{NO-BREAK SPACE}% sure by the answer"
            in client.get("/help?epsilon=2").text
        )
        told = client.get("/datasets/survey/examples")
        assert "The average of age" in told.text
        for href in re.findall(r'<li><a href="(/datasets/survey/ask[^"]*)"', told.text)[:2]:
            assert "This cannot be asked" not in client.get(href.replace("&amp;", "&")).text
        twin = client.get("/datasets/survey/examples.json").json()
        assert "SELECT AVG(age)" in twin["Typical values"]


def test_help_of_adjacent_tables_is_the_same_to_the_byte(tmp_path: Path):
    table = rows()
    seen = []
    for name, one in (("one", table), ("other", [("South", 37, 5, "yes"), *table[1:]])):
        with served(write_survey(tmp_path / name, one), warm=False) as client:
            told = [
                client.get("/help").text,
                client.get("/tour").text,
                client.get("/datasets/survey/examples").text,
                client.get("/datasets/survey/examples.json").text,
                client.get(ASK, params={"how": "sql", "sql": "SELECT X(age)", "epsilon": "1"}).text,
            ]
        seen.append([re.sub(r'name="csrf" value="[^"]*"', "", page) for page in told])
    assert seen[0] == seen[1]
