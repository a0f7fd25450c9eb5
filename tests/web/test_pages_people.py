"""Signing in and out, who sees what, and accounts."""

import re
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from discreet.accounts import Accounts
from served_pages import browsing, hidden_fields, listening, served, write_survey


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("people")


@pytest.fixture(scope="module")
def tokens(folder: Path) -> dict[str, str]:
    with Accounts(folder / "discreet.accounts") as accounts:
        return {
            "carla": accounts.create("carla", "custodian").text,
            "ana": accounts.create("ana", datasets=("survey",)).text,
        }


@pytest.fixture(scope="module")
def server(folder: Path, tokens: dict[str, str]) -> Iterator[str]:
    files = (write_survey(folder), write_survey(folder, name="visits", title="visits"))
    with listening(*files) as found:
        yield found


@pytest.fixture
def client(server: str) -> Iterator[httpx.Client]:
    """A browser that nobody has signed in with."""
    with browsing(server) as found:
        yield found


def _enter(client: httpx.Client, token: str, after: str = "/") -> str:
    reply = client.post("/sign-in", data={"token": token, "next": after})
    return reply.text


def test_strangers_are_led_to_the_sign_in_page_and_back_to_where_they_wanted(client, tokens):
    reply = client.get("/datasets/survey/ask?statistic=count&epsilon=1")
    assert reply.url.path == "/sign-in"
    assert "Your token" in reply.text
    after = re.search(r'name="next" value="([^"]*)"', reply.text)
    assert after is not None
    entered = client.post(
        "/sign-in", data={"token": tokens["ana"], "next": after[1].replace("&amp;", "&")}
    )
    assert entered.url.path == "/datasets/survey/ask"
    assert "statistic=count" in str(entered.url)


@pytest.mark.parametrize("token", ["", "dsc_wrong", "x" * 5000])
def test_a_wrong_token_is_refused_without_saying_why(client, token):
    reply = client.post("/sign-in", data={"token": token, "next": "/"})
    assert reply.status_code == 401
    assert "Invalid token: mistyped, expired or revoked." in reply.text
    assert client.get("/").url.path == "/sign-in"


@pytest.mark.parametrize("after", ["//evil.example", "https://evil.example", "/\\evil", "evil"])
def test_signing_in_never_leads_to_another_site(client, tokens, after):
    reply = client.post(
        "/sign-in", data={"token": tokens["ana"], "next": after}, follow_redirects=False
    )
    assert reply.headers["location"] == "/"


def test_an_analyst_sees_their_own_datasets_alone_and_no_accounts(client, tokens):
    page = _enter(client, tokens["ana"])
    assert "a small survey" in page
    assert "visits" not in page
    assert "Accounts" not in page
    assert client.get("/datasets/visits").status_code == 404
    assert client.get("/accounts").status_code == 403
    assert "Export" not in client.get("/datasets/survey/ledger").text


def test_a_custodian_sees_everything(client, tokens):
    page = _enter(client, tokens["carla"])
    assert "a small survey" in page
    assert "visits" in page
    assert "Accounts" in page


def test_signing_out_ends_the_session(client, tokens):
    page = _enter(client, tokens["ana"])
    csrf = re.search(r'name="csrf" value="([^"]*)"', page)
    assert csrf is not None
    client.post("/sign-out", data={"csrf": csrf[1]})
    assert client.get("/").url.path == "/sign-in"


def test_a_token_is_shown_once_works_and_ends_when_revoked(client, tokens):
    _enter(client, tokens["carla"])
    fields = hidden_fields(client.get("/accounts").text)
    made = client.post(
        "/accounts",
        data={**fields, "name": "bo", "role": "analyst", "datasets": "survey", "epsilon": "0.25",
              "expires": "30d"},
    )  # fmt: skip
    token = re.search(r"dsc_[\w-]+", made.text)
    assert token is not None
    assert token[0] not in client.get("/accounts").text
    with_token = {"Authorization": f"Bearer {token[0]}"}
    assert client.get("/api/me", headers=with_token).json()["name"] == "bo"
    budget = client.get("/api/datasets/survey", headers=with_token).json()["budget"]
    assert budget["own"]["allowed"] == "0.25"
    asked = re.search(r"<details>(?:(?!</details>).)*Revoke bo now</button>", made.text, re.DOTALL)
    assert asked is not None, "one is asked before it happens"
    assert "stops working at once" in asked[0]
    client.post("/accounts/bo/revoke", data=fields)
    assert client.get("/api/me", headers=with_token).status_code == 401
    assert "revoked" in client.get("/accounts").text


def test_snippets_speak_of_the_token_and_suit_who_looks(client, tokens):
    _enter(client, tokens["ana"])
    confirm = client.get("/datasets/survey/confirm?statistic=median&column=age&epsilon=0.1")
    answer = client.post("/datasets/survey/ask", data=hidden_fields(confirm.text))
    told = re.findall(r'<pre id="snippet-[^>]*aria-label="([^"]*)">', answer.text)
    assert told == ["Python", "curl"], "an analyst has no dataset file"
    assert "DISCREET_TOKEN, or Client(url, token=…)" in answer.text
    assert "Bearer $DISCREET_TOKEN" in answer.text
    _enter(client, tokens["carla"])
    page = client.get(answer.url.path).text
    told = re.findall(r'<pre id="snippet-[^>]*aria-label="([^"]*)">', page)
    assert told == ["Command line"], "the key is ana's: asked by another it would be paid again"
    assert "--analyst ana" in page


def test_the_list_of_operations_has_a_header_and_no_backticks(client):
    page = client.get("/api").text
    assert '<a class="brand" href="/">' in page
    assert "`" not in page
    assert "<code>" in page


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"name": "b o", "datasets": "survey"}, "a name must have 1 to 64 characters"),
        ({"name": "bo", "datasets": "nothing"}, "there is no dataset"),
        ({"name": "bo", "datasets": "survey", "expires": "soon"}, "the end must be"),
        ({"name": "bo", "datasets": "survey", "epsilon": "-1"}, "epsilon must be positive"),
        ({"name": "bo"}, "at least one dataset"),
    ],
)
def test_an_account_that_cannot_be_made_is_explained_beside_the_form(client, tokens, given, told):
    _enter(client, tokens["carla"])
    fields = hidden_fields(client.get("/accounts").text)
    reply = client.post("/accounts", data={**fields, **given})
    assert reply.status_code == 422
    assert told in reply.text.lower()
    assert f'value="{given["name"]}"' in reply.text


def test_without_accounts_the_page_says_that_only_this_computer_is_served(tmp_path):
    with served(write_survey(tmp_path)) as client:
        page = client.get("/").text
        assert "only this computer is served" in page
        assert "Sign out" not in page
