"""The pages as a browser without JavaScript sees them."""

import re
from collections.abc import Iterator
from csv import DictReader
from fractions import Fraction
from pathlib import Path
from typing import Any

import httpx
import pytest

from discreet.text import capital
from discreet.web.pages import ledger
from served_pages import hidden_fields, served, twin_of, write_survey

ASK = "/datasets/survey/ask"
MEDIAN = "statistic=median&column=satisfaction&aim=epsilon&epsilon=0.5"
PLAYED = (
    f"{ASK}?{MEDIAN}",
    f"{ASK}?statistic=count&where=clinic&is==&value=North&aim=within&within=12",
    f"{ASK}?statistic=count&by=clinic&aim=epsilon&epsilon=0.4",
    f"{ASK}?how=sql&sql=SELECT+AVG(age),+MODE(clinic)&aim=epsilon&epsilon=1",
    f"{ASK}?statistic=top&column=clinic&most=2&aim=epsilon&epsilon=0.5",
    f"{ASK}?statistic=share&where=smokes&is==&value=true&aim=epsilon&epsilon=0.5",
    f"{ASK}?statistic=quantile&rank=0.9&column=age&aim=epsilon&epsilon=0.5",
)
EVERY_PAGE = (
    "/",
    "/datasets/survey",
    ASK,
    *PLAYED,
    f"/datasets/survey/confirm?{MEDIAN}",
    "/datasets/survey/ledger",
    "/workbench",
    "/workbench?kind=labels&labels=a,b,c&epsilon=log+3&goal=worst",
    "/accounts",
    "/help",
    "/help?epsilon=2",
)


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    with served(write_survey(tmp_path_factory.mktemp("survey"))) as found:
        yield found


@pytest.fixture(scope="module")
def spender(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    """Where tests may spend."""
    with served(write_survey(tmp_path_factory.mktemp("spent"), total="90")) as found:
        yield found


def _left(client: httpx.Client) -> Fraction:
    return Fraction(client.get("/api/datasets/survey").json()["budget"]["left"])


def _spent(client: httpx.Client) -> str:
    return client.get("/api/datasets/survey/ledger").text


def _ask(client: httpx.Client, query: str, key: str | None = None) -> str:
    """From the form to the answer by links and forms alone; the address of the answer."""
    page = client.get(f"/datasets/survey/confirm?{query}")
    assert page.status_code == 200, page.text
    fields = hidden_fields(page.text)
    if key is not None:
        fields["key"] = key
    reply = client.post(ASK, data=fields, follow_redirects=False)
    assert reply.status_code == 303, reply.text
    return reply.headers["location"]


def test_an_answer_has_its_page_whatever_its_key_is(spender):
    query = "statistic=share&where=smokes&is==&value=true&aim=epsilon&epsilon=0.25"
    page = _ask(spender, query, "2026/03 <share>?#%2F")
    assert spender.get(page).status_code == 200
    listed = spender.get("/datasets/survey/answers").text
    assert spender.get(re.search(r'href="([^"]*2026[^"]*)"', listed)[1]).status_code == 200


@pytest.mark.parametrize("path", EVERY_PAGE)
def test_every_page_is_a_whole_document_without_inline_script_or_style(client, path):
    reply = client.get(path)
    page = reply.text
    assert reply.status_code == 200, page
    assert page.startswith("<!doctype html>")
    assert '<html lang="en">' in page
    assert len(re.findall(r"<h1[ >]", page)) == 1
    assert '<a class="skip" href="#main">' in page
    assert "<style" not in page
    assert not re.search(r"<[^>]* (style|on[a-z]+)=", page)
    assert all("src=" in tag for tag in re.findall(r"<script[^>]*>", page))
    assert "script-src" not in reply.headers["content-security-policy"]
    assert "unsafe" not in reply.headers["content-security-policy"]
    assert "http://" not in re.sub(r"http://(127\.0\.0\.1:|www\.w3\.org)", "", page)


@pytest.mark.parametrize("path", EVERY_PAGE)
def test_every_page_has_a_json_twin_that_answers(client, path):
    page = client.get(path).text
    twin = twin_of(page)
    assert f'<a href="{twin.replace("&", "&amp;")}">This page as JSON</a>' in page
    reply = client.get(twin, headers={"Accept": "application/json"})
    assert reply.status_code == 200, reply.text
    assert reply.json() is not None


@pytest.mark.parametrize("path", PLAYED)
def test_the_twin_of_a_plan_is_what_the_api_replies(client, path):
    twin = client.get(twin_of(client.get(path).text)).json()
    wishes = {key: twin[key] for key in ("asked", "epsilon", "enough", "billionths", "digest")}
    by_within = "within=" in path
    body = {
        "sql": twin["asked"],
        **({"within": "12"} if by_within else {"epsilon": wishes["epsilon"]}),
    }
    api = client.post("/api/datasets/survey/plan", json=body).json()
    assert {key: api[key] for key in wishes} == wishes


@pytest.mark.parametrize("path", PLAYED)
def test_a_plan_says_what_one_would_get_and_every_candidate(client, path):
    page = client.get(path).text
    plan = client.get(twin_of(page)).json()
    page = page.replace("\N{NO-BREAK SPACE}", " ")
    assert 'class="promise"' in page
    for part in plan["parts"]:
        for candidate in part["candidates"]:
            title = candidate["title"][:1].upper() + candidate["title"][1:]
            assert title.replace("'", "&#39;") in page
    assert "ignores the data" in page
    assert "<figure>" in page
    assert "Data of this figure" in page
    assert "Continue …" in page


def test_looking_and_playing_never_touch_the_ledger(client):
    before = _spent(client)
    for path in EVERY_PAGE:
        client.get(path)
    assert _spent(client) == before


def test_without_javascript_a_question_is_asked_from_form_to_ledger(spender):
    client = spender
    before = _left(client)
    address = _ask(client, MEDIAN)
    assert _left(client) == before - Fraction("0.5")
    left = f"{float(before) - 0.5:g}"
    page = client.get(address).text
    assert "The median of satisfaction" in page
    value = re.search(r'<p class="big">([^<]*)</p>', page)
    assert value is not None
    assert value[1] in "12345"
    assert "This answer cost ε = 0.5." in page
    assert f"ε = {left} is left" in page
    stored = client.get(twin_of(page)).json()
    assert str(stored["results"][0]["value"]) == value[1]
    csv = client.get(twin_of(page) + ".csv")
    line = next(DictReader(csv.text.splitlines()))
    assert (line["value"], line["epsilon"], line["left"]) == (value[1], "0.5", left)
    assert line["receipt"] == stored["receipt"]
    ledger = client.get("/datasets/survey/ledger").text
    assert "The median of satisfaction" in ledger
    assert "ε 0.5" in ledger
    assert f"ε {left}" in ledger
    verdict = client.post("/datasets/survey/ledger/verify", data=hidden_fields(ledger)).text
    assert "The ledger is intact." in verdict


def test_what_costs_nothing_is_called_that(spender):
    query = "statistic=median&column=age&aim=within&within=15"
    confirm = spender.get(f"/datasets/survey/confirm?{query}").text
    assert "<h1>Ask at no cost?</h1>" in confirm
    assert "Spend ε" not in confirm
    before = _left(spender)
    page = spender.get(_ask(spender, query)).text
    assert "This answer cost nothing." in page
    assert _left(spender) == before


def test_pressing_twice_pays_once_and_the_same_key_for_another_question_is_refused(spender):
    client = spender
    first = _ask(client, MEDIAN, key="one-press")
    spent = _spent(client)
    assert _ask(client, MEDIAN, key="one-press") == first
    assert _spent(client) == spent
    fields = hidden_fields(client.get("/datasets/survey/confirm?statistic=min&epsilon=0.1").text)
    reply = client.post(ASK, data={**fields, "key": "one-press"})
    assert reply.status_code == 409
    assert _spent(client) == spent


def test_what_is_confirmed_is_what_is_asked(spender):
    """A page that shows another plan than the one of now buys nothing and is shown afresh."""
    client = spender
    fields = hidden_fields(client.get(f"/datasets/survey/confirm?{MEDIAN}").text)
    planned = client.get(f"/datasets/survey/ask.json?{MEDIAN}").json()
    assert fields["plan"] == planned["digest"]
    spent = _spent(client)
    reply = client.post(ASK, data={**fields, "plan": "0" * 64}, follow_redirects=False)
    assert reply.status_code == 303
    assert "/confirm?" in reply.headers["location"]
    assert _spent(client) == spent
    answer = client.post(ASK, data=fields, follow_redirects=False).headers["location"]
    again = client.post(ASK, data={**fields, "plan": "0" * 64}, follow_redirects=False)
    assert again.headers["location"] == answer


def test_coming_back_to_the_confirm_page_never_pays_again(spender):
    client = spender
    bare = f"/datasets/survey/confirm?{MEDIAN}"
    reply = client.get(bare, follow_redirects=False)
    assert reply.status_code == 303
    address = reply.headers["location"]
    key = re.fullmatch(re.escape(bare) + r"&key=([\w-]{16,})", address)
    assert key is not None
    assert client.get(bare, follow_redirects=False).headers["location"] != address
    seen = [hidden_fields(client.get(address).text) for _ in range(2)]
    assert seen[0]["key"] == seen[1]["key"] == key[1]
    answer = client.post(ASK, data=seen[0], follow_redirects=False).headers["location"]
    spent = _spent(client)
    again = client.get(address).text
    assert "Already answered" in again
    assert f'href="{answer}"' in again
    assert '<button class="main">' not in again
    assert client.get(twin_of(again)).json()["receipt"].endswith(key[1])
    assert client.post(ASK, data=seen[1], follow_redirects=False).headers["location"] == answer
    assert _spent(client) == spent


def test_a_key_that_cannot_be_one_is_refused_before_anything_is_offered(client):
    for key in ("a:b", "x" * 101):
        reply = client.get("/datasets/survey/confirm", params={"statistic": "min", "key": key})
        assert reply.status_code == 400


def test_asking_is_never_a_get(client):
    before = _spent(client)
    fields = hidden_fields(client.get(f"/datasets/survey/confirm?{MEDIAN}").text)
    client.get(ASK, params=fields)
    client.get("/datasets/survey/confirm", params=fields)
    assert _spent(client) == before


def test_a_form_without_the_csrf_word_is_refused_in_the_words_of_the_api(client):
    fields = hidden_fields(client.get(f"/datasets/survey/confirm?{MEDIAN}").text)
    before = _spent(client)
    for csrf in ("", "another"):
        reply = client.post(ASK, data={**fields, "csrf": csrf})
        assert reply.status_code == 403
        assert "this form has expired" in reply.text.lower()
    assert _spent(client) == before


def test_more_than_is_left_cannot_be_confirmed(client):
    page = client.get(f"{ASK}?statistic=median&aim=epsilon&epsilon=2.5").text
    assert "Not enough budget." in page
    assert "Continue …" not in page
    reply = client.get(
        "/datasets/survey/confirm?statistic=median&epsilon=2.5", follow_redirects=False
    )
    assert reply.status_code == 303


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("how=sql&sql=DROP+TABLE+data", "one SELECT at a time"),
        ("statistic=median&column=age&epsilon=-1", "ε must be positive"),
        ("statistic=count&where=age&is==&value=North&epsilon=1", "what age is compared with"),
        ("statistic=nonsense&epsilon=1", "unknown statistic"),
        ("statistic=count&where=gone&is==&value=1&epsilon=1", "there is no column"),
        ("statistic=mode&column=clinic&aim=within&within=1", "words have no distance"),
        ("statistic=mean&column=age&aim=within&within=0", "must be more than 0"),
        ("statistic=count&by=age&width=0.3&epsilon=1", "whole number of steps of 1"),
        ("statistic=median&epsilon=1&confidence=200", "a confidence must lie between"),
        ("statistic=median&epsilon=1&require=shiny", "unknown requirement"),
    ],
)
def test_what_does_not_fit_is_said_in_one_sentence_beside_the_form(client, query, told):
    reply = client.get(f"{ASK}?{query}")
    assert reply.status_code == 200
    said = re.search(r"<strong>This cannot be asked.</strong> ([^<]*[.?!])</p>", reply.text)
    assert said is not None
    assert told.lower() in said[1].replace("&#39;", "'").lower()
    assert said[1] == capital(said[1])
    assert "Continue …" not in reply.text


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("statistic=share&epsilon=1", "A share needs a condition"),
        ("statistic=count&where=age&epsilon=1", "Enter a value to compare age with."),
        ("statistic=count&where=age&is=>=&value=+&epsilon=1", "Enter a value to compare age with."),
        ("statistic=median&aim=within&within=", "Enter the accuracy."),
        ("statistic=median&aim=epsilon&epsilon=", "Enter ε."),
    ],
)
def test_what_is_not_finished_is_a_quiet_hint_and_no_error(client, query, told):
    for part in ("", "&part=plan"):
        reply = client.get(f"{ASK}?{query}{part}")
        assert reply.status_code == 200
        assert told in reply.text
        assert "cannot be asked" not in reply.text
        assert 'role="alert"' not in reply.text
        assert "Continue …" not in reply.text
    confirm = client.get(f"/datasets/survey/confirm?{query}&key=k", follow_redirects=False)
    assert confirm.headers["location"].startswith(ASK)


def test_pages_claim_no_more_than_is_proved(client):
    """Not every mechanism is a table of integers: some are samplers with a written proof."""
    for path in ("/", "/help", "/help?epsilon=2"):
        page = client.get(path).text
        assert "drawn exactly, by mechanisms with proven privacy" in page
        assert "exact integers" not in page
        assert "nobody can tell" not in page.lower()


@pytest.mark.parametrize(
    "path",
    ["/datasets/other", "/datasets/other/ask", "/datasets/survey/answers/nobody:x", "/nowhere"],
)
def test_what_is_not_there_is_said_on_a_page_in_the_words_of_problem_json(client, path):
    page = client.get(path)
    assert page.status_code == 404
    assert page.text.startswith("<!doctype html>")
    api = client.get(path if path == "/nowhere" else f"/api{path}".removesuffix("/ask"),
                     headers={"Accept": "application/json"})  # fmt: skip
    assert api.headers["content-type"].startswith("application/problem+json")
    detail = api.json()["detail"].replace("Not Found", "there is no such page")
    assert detail in page.text.lower()


def test_the_link_to_sql_and_back_asks_the_same(client):
    query = "statistic=count&where=age&is=>=&value=30&where=clinic&is=!=&value=North&epsilon=0.3"
    sentence = client.get(twin_of(client.get(f"{ASK}?{query}").text)).json()
    page = client.get(f"{ASK}?{query}").text
    as_sql = re.search(r'<a href="([^"]*)">edit as SQL</a>', page)
    assert as_sql is not None
    written = client.get(as_sql[1].replace("&amp;", "&"))
    assert "A question in SQL" in written.text
    assert client.get(twin_of(written.text)).json()["digest"] == sentence["digest"]


@pytest.mark.parametrize("width", ["", "&width=", "&width=1", "&width=5"])
def test_the_width_of_groups_that_is_shown_is_the_width_that_is_asked(client, width):
    page = client.get(f"{ASK}?statistic=count&by=age{width}&epsilon=0.3").text
    shown = re.search(r'name="width"[^>]* value="([^"]*)"', page)
    assert shown is not None
    grouped = "age" if shown[1] == "1" else f"BIN(age, {shown[1]})"
    assert f"<code>SELECT COUNT(*) GROUP BY {grouped}</code>" in page
    assert client.get(twin_of(page)).json()["asked"] == f"SELECT COUNT(*) GROUP BY {grouped}"
    assert shown[1] == (width.removeprefix("&width=") or "2")


def test_a_table_of_two_columns_is_asked_and_told_column_by_column(spender):
    """Without a script: each column that is chosen offers one more, and keeps its width."""
    client = spender
    page = client.get(f"{ASK}?statistic=count&by=clinic&epsilon=1").text
    assert page.count('name="by"') == 2
    query = "statistic=count&by=clinic&width=&by=age&width=4&by=&epsilon=1"
    page = client.get(f"{ASK}?{query}").text
    assert page.count('name="by"') == page.count('name="width"') + 1 == 3
    assert "<code>SELECT COUNT(*) GROUP BY clinic, BIN(age, 4)</code>" in page
    answer = client.get(_ask(client, query)).text
    heads = re.findall(r'<th scope="col"[^>]* aria-sort="none"><a [^>]*>([^<]*)<', answer)
    assert heads == ["clinic", "age", "answer"]
    for result in client.get(twin_of(answer)).json()["results"]:
        cells = "".join(f'<th scope="row">{cell}</th>' for cell in result["groups"].values())
        assert cells in answer
    again = client.get(f"{ASK}?statistic=count&by=clinic&by=clinic&epsilon=1").text
    assert "GROUP BY names clinic twice; name each column once" in again


def test_a_two_way_table_is_drawn_with_its_totals(spender):
    """Asked in SQL, as the page's own form does; every told count stands in its row and column."""
    client = spender
    query = "how=sql&sql=SELECT+COUNT(*)+GROUP+BY+CUBE(clinic,+smokes)&epsilon=1"
    page = client.get(_ask(client, query)).text
    table = page.split('id="crossed"')[1].split("</table>")[0]
    heads = re.findall(r'<th scope="col"[^>]*>([^<]*)</th>', table)
    assert heads == ["clinic × smokes", "false", "true", "(missing)", "(all)"]
    drawn = {}
    for row in re.findall(r"<tr[^>]*>(.*?)</tr>", table, re.DOTALL)[1:]:
        name = re.search(r'<th scope="row"[^>]*>([^<]*)</th>', row)[1]
        cells = re.findall(r"<td[^>]*>([^<]*)<", row)
        drawn |= {(name, column): cell for column, cell in zip(heads[1:], cells, strict=True)}
    for result in client.get(twin_of(page)).json()["results"]:
        assert drawn[tuple(result["groups"].values())] == str(result["value"])
    assert drawn["(all)", "(all)"] == "40"


def test_a_histogram_is_shown_as_bars_and_as_a_table(spender):
    client = spender
    page = client.get(_ask(client, "statistic=count&by=clinic&epsilon=1")).text
    stored = client.get(twin_of(page)).json()
    surely = [one for one in stored["results"] if one["interval"][0] > 0]
    assert page.count('class="bar"') == len(surely) <= len(stored["results"]) == 3
    assert page.count("faint-dot") == 3 - len(surely), "a group that may be empty has no bar"
    for result in stored["results"]:
        row = re.search(rf'<th scope="row">{result["group"]}</th>.*?</tr>', page, re.DOTALL)
        assert row is not None
        assert str(result["value"]) in row[0]


def test_a_table_sorts_by_its_heads_without_a_script_and_totals_stay_last(spender):
    client = spender
    query = "how=sql&sql=SELECT+COUNT(*)+GROUP+BY+ROLLUP(clinic)&epsilon=1"
    address = _ask(client, query)
    told = {one["group"]: one["value"] for one in client.get(f"/api{address}").json()["results"]}
    for sort, turned in (("answer", False), ("-answer", True), ("group-1", None), ("-x", None)):
        page = client.get(f"{address}?sort={sort}").text
        table = page.split('id="results"')[1].split("</table>")[0]
        names = re.findall(r'<th scope="row">([^<]*)</th>', table)
        assert names[-1] == "(all)"
        shown = [told[name] for name in names[:-1]]
        if turned is not None:
            assert shown == sorted(shown, reverse=turned)
            state = "descending" if turned else "ascending"
            assert f'aria-sort="{state}"' in table
            other = sort.removeprefix("-") if turned else f"-{sort}"
            assert f"?sort={other}#results" in table, "the head turns the order round"
        else:
            assert names[:-1] == ["North", "South", "other"]


@pytest.mark.parametrize("query", ["statistic=mode&column=satisfaction", MEDIAN])
def test_an_answer_says_what_is_known_of_the_truth_and_what_that_rests_on(spender, query):
    page = spender.get(_ask(spender, f"{query}&epsilon=1")).text
    (result,) = spender.get(twin_of(page)).json()["results"]
    told = result["bound"].replace(" … ", " and ")
    assert re.search(rf"is (between )?{re.escape(told)}, with 95\s% confidence\.", page)


def test_an_answer_says_what_the_custodian_put_in_the_place_of_gaps(spender):
    said = "Empty cells of clinic count as other, as the custodian declared."
    page = spender.get(_ask(spender, "statistic=mode&column=clinic&epsilon=1")).text
    assert said in page
    assert spender.get(twin_of(page)).json()["imputed"] == {"clinic": "other"}
    assert "Empty cells" not in spender.get(_ask(spender, f"{MEDIAN}&epsilon=1")).text


def test_the_snippets_ask_the_same_question_with_the_same_key(spender):
    client = spender
    address = _ask(client, MEDIAN + "&confidence=90&require=fair", key="abc")
    page = client.get(address).text.replace("&#39;", "'").replace("&#34;", '"')
    assert "Idempotency-Key: abc" in page
    body = re.search(r"-d '(\{.*?\})'", page)
    assert body is not None
    reply = client.post(
        "/api/datasets/survey/ask", content=body[1],
        headers={"Idempotency-Key": "abc", "Content-Type": "application/json"},
    )  # fmt: skip
    assert reply.status_code == 200, reply.text
    assert reply.json()["free"] is True
    python = re.search(r"(from discreet import Client.*?)</pre>", page, re.DOTALL)
    assert python is not None
    assert "token" not in python[1], "there are no accounts"
    names: dict[str, Any] = {}
    exec(python[1], names)
    names["client"].close()
    assert names["answer"].free
    assert names["answer"].value == reply.json()["results"][0]["value"]


def test_a_long_statement_shows_its_newest_lines_and_says_where_the_others_are(
    spender, monkeypatch
):
    for key in ("l1", "l2", "l3"):
        _ask(spender, MEDIAN, key=key)
    monkeypatch.setattr(ledger, "MOST_LINES", 2)
    page = spender.get("/datasets/survey/ledger").text
    every = spender.get("/api/datasets/survey/ledger").json()["lines"]
    assert page.count('<time datetime="') == 2
    assert f"{len(every) - 2} older lines" in page


def test_a_page_waits_for_a_long_plan_and_can_cancel_it(tmp_path: Path):
    with served(write_survey(tmp_path), patience=0.0) as client:
        page = client.get(f"{ASK}?statistic=median&column=age&epsilon=0.31").text
        assert "Working …" in page
        assert 'http-equiv="refresh"' in page
        fields = hidden_fields(page)
        job = re.search(r'action="/jobs/([^/]*)/cancel"', page)
        assert job is not None
        reply = client.post(f"/jobs/{job[1]}/cancel", data=fields, follow_redirects=False)
        assert reply.headers["location"] == ASK
        assert client.get(f"/api/jobs/{job[1]}").json()["state"] in ("cancelled", "done")
