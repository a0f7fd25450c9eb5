"""Who calls: a bearer token, a browser's session, or, without accounts, whoever is on this machine.

A cookie is sent by the browser whoever wrote the page, so whatever acts by cookie must also carry
the CSRF word; a bearer token is never sent by accident and needs none.
"""

import hmac
import ipaddress
import secrets
from dataclasses import KW_ONLY, dataclass, replace
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import apsw
from starlette.requests import HTTPConnection, Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from discreet.accounts import Account, Role
from discreet.accounts.accounts import csrf_of
from discreet.accounts.store import SESSION_HOURS
from discreet.curator import Answer, default_analyst
from discreet.errors import FileError, LedgerError
from discreet.web.limits import network_of
from discreet.web.problems import (
    BadRequest,
    Forbidden,
    Refusal,
    TooMany,
    Unauthorized,
    Unwritable,
    refusal_of,
)
from discreet.web.settings import is_loopback

if TYPE_CHECKING:
    from discreet.web.service import Service

COOKIE = "discreet_session"
SETUP_COOKIE = "discreet_setup"
SAFE = ("GET", "HEAD", "OPTIONS")
_LOCAL_CSRF = secrets.token_hex(32)
_PEER = "discreet.peer"
"""Where a request's scope keeps the address at the other end of the line."""
_KNOWN = "discreet.caller"
"""Where a request's scope keeps its caller, or the refusal of whoever is none."""


@dataclass(frozen=True)
class Caller:
    """Somebody who may be answered."""

    name: str
    role: Role
    account: Account | None
    """None: there are no accounts, and this machine is served as the local custodian."""
    csrf: str
    """What a form must carry; empty for a bearer token, which needs none."""
    _: KW_ONLY
    may_set_up: bool = False
    """Whether the set-up pages are there for this caller: custodians', where a server has them."""

    @property
    def is_custodian(self) -> bool:
        """Whether everything that is served may be seen."""
        return self.role == Role.CUSTODIAN

    @property
    def is_local(self) -> bool:
        """Whether no accounts exist and this is simply somebody on this machine."""
        return self.account is None

    @property
    def reads(self) -> str | None:
        """Whose entries may be read: the caller's own; None for everybody's."""
        return None if self.is_custodian else self.name

    def require_set_up(self) -> None:
        """Refuse whoever may not set up tables."""
        self.require_custodian()
        if not self.may_set_up:
            raise Forbidden(
                "open the link that discreet serve --setup printed: it works once", "setup-link"
            )

    def may_ask(self, dataset: str) -> bool:
        """Whether a dataset is there for this caller."""
        return self.is_custodian or (self.account is not None and dataset in self.account.datasets)

    def require_custodian(self) -> None:
        """Refuse whoever is no custodian."""
        if not self.is_custodian:
            raise Forbidden("only custodians may do this")

    def view_of(self, answer: Answer) -> Answer:
        """An answer as the caller may see it: what others have spent is for custodians."""
        return answer if self.is_custodian else replace(answer, spent=answer.own_spent or "0")


def receipt_of(caller: Caller, key: str) -> str:
    """The question id in the ledger; a key belongs to its account alone."""
    if not key:
        raise BadRequest(
            "the header Idempotency-Key is missing: send a new one with each new question, and "
            "the same one to ask again free of charge",
            "bad-key",
        )
    if not (1 <= len(key) <= 100 and key.isprintable() and key.isascii() and ":" not in key):
        raise BadRequest(
            "Idempotency-Key must be 1 to 100 printable characters without a colon", "bad-key"
        )
    return f"{caller.name}:{key}"


def service_of(connection: HTTPConnection) -> "Service":
    """The state of the server."""
    service: Service = connection.app.state.service
    return service


def admit(scope: Scope, service: "Service") -> Refusal | None:
    """Recognise the caller, once for each request, and take it from their rate.

    Whoever shows nothing, or nothing that is valid, has the rate of their address: a header alone
    changes nothing. An account that is verified has a rate of its own.
    """
    connection = HTTPConnection(scope)
    try:
        known = _recognised(connection, service)
    except LedgerError as lost:  # the accounts are out of reach: nobody is let in
        known = refusal_of(lost)
    except (FileError, apsw.Error):
        known = Unwritable()
    if service.desk is not None and isinstance(known, Caller) and known.is_custodian:
        sits = not known.is_local or service.desk.knows(connection.cookies.get(SETUP_COOKIE, ""))
        known = replace(known, may_set_up=sits)
    scope[_KNOWN] = known
    if isinstance(known, Caller):
        wait = service.limits.of_account(known.name)
    else:
        wait = service.limits.of_address(address_of(connection))
    if wait:
        return TooMany("too many requests; try again later", wait)
    failed = isinstance(known, Unauthorized) and "authorization" in connection.headers
    return too_many_failures(connection, service) if failed else None


def may_upload(scope: Scope) -> bool:
    """Whether the caller of a request, as recognised, may send a table."""
    known = scope[_KNOWN]
    return isinstance(known, Caller) and known.may_set_up


def turn_of(scope: Scope) -> str:
    """Whose turn a request takes: the account's, or the network's of whoever is not verified."""
    known = scope[_KNOWN]
    if isinstance(known, Caller):
        return f"account {known.name}"
    return f"network {network_of(address_of(HTTPConnection(scope)))}"


def identify(request: HTTPConnection) -> Caller:
    """Who calls, as the gate recognised them; no other check."""
    known: Caller | Refusal = request.scope[_KNOWN]
    if isinstance(known, Refusal):
        raise known
    return known


async def caller(request: Request) -> Caller:
    """The caller of an API request, or Unauthorized; a POST by cookie must carry the CSRF word."""
    known = identify(request)
    if request.method not in SAFE:
        check_origin(request)
        if not known.is_local:
            check_csrf(known, request.headers.get("x-csrf-token", ""))
    return known


async def page_caller(request: Request) -> Caller:
    """The caller of a page; a form must carry the CSRF word. Unauthorized: show /sign-in."""
    known = identify(request)
    if request.method not in SAFE:
        check_origin(request)
        given = request.headers.get("x-csrf-token", "")
        if not given:
            form = await request.form(max_files=0, max_fields=200)
            given = str(form.get("csrf", ""))
        check_csrf(known, given)
    return known


async def anybody(request: Request) -> Caller | None:
    """Who looks at a public page: a caller, or None for whoever has not signed in."""
    known: Caller | Refusal = request.scope[_KNOWN]
    if isinstance(known, Refusal) and not isinstance(known, Unauthorized):
        raise known
    return known if isinstance(known, Caller) else None


def _recognised(connection: HTTPConnection, service: "Service") -> Caller | Refusal:
    """The caller by token, by session or by being on this machine; or why nobody is known."""
    if not service.has_accounts:
        declared = service.settings.sign_on_header is not None
        return Unauthorized() if declared else _local(connection)  # a proxy's callers are not here
    header = connection.headers.get("authorization")
    if header is not None:
        return _verified(service.accounts.authenticate(_bearer(header)))
    name = _signed_on(connection, service)
    if name is not None:
        return _verified(service.accounts.signed_on(name), _csrf_of_name(name))
    cookie = connection.cookies.get(COOKIE, "")
    account = service.accounts.session(cookie) if cookie else None
    return _verified(account, csrf_of(cookie))


def noting_peer(app: ASGIApp) -> ASGIApp:
    """The application, which is told who is at the other end of the line, whatever proxies say."""

    async def noting(scope: Scope, receive: Receive, send: Send) -> None:
        client = scope.get("client")
        scope[_PEER] = client[0] if client else ""
        await app(scope, receive, send)

    return noting


def _signed_on(connection: HTTPConnection, service: "Service") -> str | None:
    """Whom the declared proxy says it is; None where it says nothing, or another says it.

    A name that is given twice is nobody's: a proxy that adds its own beside the caller's must not
    be believed.
    """
    header, proxy = service.settings.sign_on_header, service.settings.sign_on_proxy
    if header is None or proxy is None or not _is_same(connection.scope.get(_PEER), proxy):
        return None
    names = connection.headers.getlist(header)
    return None if not names else names[0].strip(" \t") if len(names) == 1 else ""


def _is_same(peer: str | None, proxy: str) -> bool:
    try:
        return peer is not None and ipaddress.ip_address(peer) == ipaddress.ip_address(proxy)
    except ValueError:
        return False


def _csrf_of_name(name: str) -> str:
    """The word of the forms of somebody who has no session here."""
    return hmac.new(_LOCAL_CSRF.encode(), name.encode(), "sha256").hexdigest()


def _verified(account: Account | None, csrf: str = "") -> Caller | Unauthorized:
    return Unauthorized() if account is None else Caller(account.name, account.role, account, csrf)


def _bearer(header: str) -> str:
    """The token of an Authorization header; of another kind of header, none."""
    kind, _, token = header.partition(" ")
    return token.strip() if kind.lower() == "bearer" else ""


def sign_in(request: Request, token: str) -> str:
    """The value of a session's cookie for a valid token; Unauthorized or TooMany otherwise."""
    service = service_of(request)
    check_origin(request)
    account = service.accounts.authenticate(token.strip()) if service.has_accounts else None
    if account is None:
        raise too_many_failures(request, service) or Unauthorized()
    return service.accounts.open_session(token.strip())


def set_cookie(response: Response, request: Request, value: str, name: str = COOKIE) -> None:
    """Hand a session to the browser: not for scripts, not for other sites, not in clear."""
    response.set_cookie(
        name,
        value,
        max_age=SESSION_HOURS * 3600,
        path="/",
        httponly=True,
        samesite="strict",
        secure=is_https(request),
    )


def sign_out(response: Response, request: Request) -> None:
    """End the session, here and in the browser."""
    service = service_of(request)
    value = request.cookies.get(COOKIE)
    if value and service.has_accounts:
        service.accounts.close_session(value)
    response.delete_cookie(
        COOKIE, path="/", httponly=True, samesite="strict", secure=is_https(request)
    )


def too_many_failures(request: HTTPConnection, service: "Service") -> TooMany | None:
    """Count a failed sign-in by address; the refusal when there were too many."""
    wait = service.limits.failed(address_of(request))
    return TooMany("too many failed sign-ins; try again later", wait) if wait else None


def check_csrf(known: Caller, given: str) -> None:
    """Refuse a form that another site made."""
    if known.csrf and not hmac.compare_digest(known.csrf.encode(), given.encode()):
        raise Forbidden("this form has expired; reload the page", "csrf")


def check_origin(request: HTTPConnection) -> None:
    """Refuse what a browser says comes from another site; other programs say nothing."""
    if "authorization" in request.headers:
        return
    origin = request.headers.get("origin")
    elsewhere = origin is not None and _place(origin) != request.headers.get("host", "")
    if elsewhere or request.headers.get("sec-fetch-site") in ("cross-site", "same-site"):
        raise Forbidden("cross-site requests are refused", "cross-site")


def address_of(request: HTTPConnection) -> str:
    """The address of the caller, as the proxy says if one is trusted."""
    return request.client.host if request.client is not None else ""


def is_https(request: HTTPConnection) -> bool:
    """Whether the browser speaks https, with us or with the proxy before us."""
    return bool(request.scope["scheme"] == "https")


def _local(request: HTTPConnection) -> Caller | Forbidden:
    """Without accounts: this machine alone, named as itself, with no proxy in between."""
    host = _place("//" + request.headers.get("host", ""), name_only=True)
    direct = not any(_tells_of_a_proxy(name) for name in request.headers)
    if not (is_loopback(address_of(request)) and direct and is_loopback(host)):
        return Forbidden(
            "without accounts only this computer is served; create one with: discreet token create",
            "no-accounts",
        )
    return Caller(default_analyst(), Role.CUSTODIAN, None, _LOCAL_CSRF)


def _place(url: str, *, name_only: bool = False) -> str:
    try:
        parts = urlsplit(url)
        return (parts.hostname if name_only else parts.netloc) or ""
    except ValueError:
        return ""


def _tells_of_a_proxy(name: str) -> bool:
    """Whether a header of this name is one that proxies and tunnels add."""
    known = {"forwarded", "via", "x-real-ip", "true-client-ip", "ngrok-trace-id"}
    return name in known or name.startswith(("x-forwarded-", "cf-", "x-original-"))
