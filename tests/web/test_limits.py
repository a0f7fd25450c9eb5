"""Rates: a verified account has its own; all others, whatever they send, their address's."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.web.identity import COOKIE
from discreet.web.limits import network_of
from served_api import serving

PLACES = (
    "/health",
    "/api/me",
    "/sign-in",
    "/",
    "/static/discreet.css",
    "/nothing",
    "/openapi.json",
)
UNVERIFIED = (
    {},
    {"Authorization": "Bearer dsc_" + "A" * 43},
    {"Authorization": "Bearer"},
    {"Authorization": "Basic b3R0bzpvdHRv"},
    {"Authorization": ""},
    {"Cookie": f"{COOKIE}=guess"},
    {"Cookie": f"{COOKIE}="},
    {"Cookie": "other=1"},
    {"Cookie": f"{COOKIE}=guess", "Authorization": "Bearer dsc_x"},
    {"X-Forwarded-For": "10.9.8.7"},
)


def passed(calls, rate):
    """The places where a call was let through; no more than the rate allows, on any machine."""
    started = time.monotonic()
    replies = [(place, call(place).status_code) for place, call in calls]
    through = [place for place, status in replies if status != 429]
    assert len(through) <= 1 + 5 * rate + rate * (time.monotonic() - started)
    return through


def test_no_header_lifts_the_limit_of_an_address(tmp_path):
    """One limit for all of them: whoever changes headers gains nothing."""
    with serving(tmp_path, anonymous_rate=0.2, failures=1000) as api:
        calls = [
            (
                (place, str(headers)),
                lambda place, headers=headers: api.get(None, place[0], headers=headers),
            )
            for headers in UNVERIFIED
            for place in PLACES
        ]
        through = passed(4 * calls, 0.2)
        assert all(through.count(place) < 4 for place, _ in calls)
        assert api.get("ana", "/api/me").status_code == 200


def test_an_account_has_one_rate_wherever_it_goes_and_takes_nothing_from_others(tmp_path):
    with serving(tmp_path, rate=0.5, anonymous_rate=1) as api:
        passed([(place, lambda place: api.get("ana", place)) for place in 4 * PLACES], 0.5)
        assert api.get("ben", "/health").status_code == 200
        assert api.get(None, "/health").status_code == 200


def test_sessions_count_as_their_account(tmp_path):
    with serving(tmp_path, rate=0.5, anonymous_rate=1) as api:
        cookie = {"Cookie": f"{COOKIE}={api.service.accounts.open_session(api.tokens['ana'])}"}
        calls = [
            ("/health", lambda place: api.get(None, place, headers=cookie)),
            ("/api/me", lambda place: api.get("ana", place)),
        ]
        passed(15 * calls, 0.5)
        assert api.get(None, "/health").status_code == 200


@pytest.mark.parametrize("place", ["/health", "/api/me", "/static/discreet.css"])
def test_failed_sign_ins_are_counted_wherever_the_token_is_shown(tmp_path, place):
    with serving(tmp_path, failures=3) as api:
        tried = [api.get(f"dsc_{n}", place).status_code for n in range(6)]
        assert tried[:3].count(429) == 0
        assert tried[3:] == [429] * 3
        form = {"token": "dsc_guess"}
        assert api.client.post("/sign-in", data=form).status_code == 429
        assert api.get("ana", "/api/me").status_code == 200
        assert api.get(None, "/health").status_code == 200


def test_without_accounts_strangers_have_a_rate_too(tmp_path):
    with serving(tmp_path, with_accounts=False, anonymous_rate=1) as api:
        away = {"Host": "evil.example"}
        passed(20 * [("/health", lambda place: api.get(None, place, headers=away))], 1)
        assert api.get(None, "/health").status_code == 200


@settings(max_examples=200)
@given(st.ip_addresses(v=6), st.integers(0, 2**64 - 1))
def test_all_addresses_of_one_subscriber_are_one(address, other):
    if address.ipv4_mapped is None:
        sibling = type(address)((int(address) >> 64 << 64) | other)
        assert sibling.ipv4_mapped is not None or network_of(str(sibling)) == network_of(
            str(address)
        )
    assert network_of(network_of(str(address))) == network_of(str(address))
