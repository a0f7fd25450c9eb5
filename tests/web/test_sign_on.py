"""Single sign-on: the declared proxy alone is believed, and only about accounts that are active."""

from types import SimpleNamespace

import pytest

from discreet.errors import InvalidInput
from discreet.web.identity import _recognised
from discreet.web.problems import Unauthorized
from discreet.web.serving import refuse_without_accounts
from discreet.web.settings import Settings
from served_api import serving

HEADER = "X-Forwarded-User"


@pytest.fixture(scope="module")
def api(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sign-on")
    with serving(folder, sign_on_header=HEADER, sign_on_proxy="127.0.0.1") as running:
        yield running


def _me(api, **headers):
    return api.get(None, "/api/me", headers=headers)


def test_the_proxy_says_who_it_is(api):
    assert _me(api, **{HEADER: "ana"}).json()["name"] == "ana"
    assert _me(api, **{HEADER: "otto"}).json()["role"] == "custodian"
    assert _me(api).status_code == 401
    token = {"Authorization": f"Bearer {api.tokens['ben']}", HEADER: "otto"}
    assert _me(api, **token).json()["name"] == "ben", "a token speaks for itself"


@pytest.mark.parametrize("name", ["", "nobody", "ana ben", "ana,otto"])
def test_a_name_without_an_account_opens_nothing(api, name):
    assert _me(api, **{HEADER: name}).status_code == 401


def test_a_name_given_twice_opens_nothing(api):
    twice = [(HEADER, "otto"), (HEADER, "ana")]
    assert api.client.get("/api/me", headers=twice).status_code == 401


def test_forms_still_need_their_word(api):
    forged = api.call(None, "POST", "/accounts/ben/revoke", headers={HEADER: "otto"}, data={})
    assert forged.status_code == 403
    page = api.get(None, "/accounts", headers={HEADER: "otto"}).text
    word = page.split('name="csrf" value="')[1].split('"')[0]
    other = api.get(None, "/", headers={HEADER: "ana"}).text
    assert word not in other, "nobody has another's word"
    assert api.client.get("/api/accounts", headers={HEADER: "ana"}).status_code == 403


def test_a_revoked_account_is_out_at_once(api):
    assert _me(api, **{HEADER: "ben"}).status_code == 200
    assert api.call("otto", "DELETE", "/api/accounts/ben").status_code == 200
    assert _me(api, **{HEADER: "ben"}).status_code == 401


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"sign_on_header": HEADER, "sign_on_proxy": "10.1.2.3"},
        {"sign_on_header": HEADER, "sign_on_proxy": "10.1.2.3", "behind_proxy": True},
    ],
)
def test_from_any_other_address_the_header_means_nothing(tmp_path, settings):
    """Nor can a caller make the declared address up in what proxies add."""
    with serving(tmp_path, **settings) as api:
        assert _me(api, **{HEADER: "otto"}).status_code == 401
        spoofed = {HEADER: "otto", "X-Forwarded-For": "10.1.2.3"}
        assert _me(api, **spoofed).status_code == 401


@pytest.mark.parametrize(
    ("header", "proxy", "said"),
    [
        (HEADER, None, "needs both"),
        (None, "127.0.0.1", "needs both"),
        ("Cookie", "127.0.0.1", "only the proxy sets"),
        ("X User", "127.0.0.1", "only the proxy sets"),
        (HEADER, "proxy.example", "the address of the proxy"),
    ],
)
def test_what_is_declared_of_the_proxy_is_checked(tmp_path, header, proxy, said):
    wanted = Settings(files=(tmp_path / "survey.toml",), sign_on_header=header, sign_on_proxy=proxy)
    with pytest.raises(InvalidInput, match=said):
        wanted.checked()


def test_without_accounts_a_proxy_lets_nobody_in():
    """Else everybody behind it would be on this machine, and so its custodian."""
    settings = Settings(files=(), sign_on_header=HEADER, sign_on_proxy="127.0.0.1")
    service = SimpleNamespace(has_accounts=False, settings=settings)
    with pytest.raises(InvalidInput, match="single sign-on needs accounts, and there are none"):
        refuse_without_accounts(settings, service)
    assert isinstance(_recognised(None, service), Unauthorized)


@pytest.mark.parametrize("around", ["\xa0", "\x85"])
def test_a_name_with_odd_blanks_is_another_name(api, around):
    header = [(HEADER.encode(), f"{around}otto".encode("latin-1"))]
    assert api.client.get("/api/me", headers=header).status_code == 401
