"""The accounts of a server: create, revoke, authenticate, and the browser's sessions.

A token has 256 random bits, so its SHA-256 is as hard to guess as the token itself and nothing
slower is needed. What is found is remembered for a moment, so that a busy server reads no file and
asks no database; a change by another process is noticed within half a second.
"""

import hashlib
import hmac
import os
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path

from discreet.accounts.postgresql.store import SharedAccounts
from discreet.accounts.store import (
    SESSION_HOURS,
    Account,
    AccountsFile,
    AccountStore,
    NewToken,
    Role,
    checked_name,
    checked_role,
)
from discreet.connection import Connection
from discreet.errors import InvalidInput
from discreet.exact import show
from discreet.lifetimes import Closing

PREFIX = "dsc_"
_LONGEST_SECRET = 128
_REMEMBERED = 4096
_NOTICED_SECONDS = 0.5
_Secret = tuple[str, str]
"""What kind of secret, and its digest."""
_Found = tuple[Account, str | None]
"""Whose it is, and when it ends if earlier than the account."""


class Accounts(Closing):
    """All accounts, in one file or in PostgreSQL; safe for many threads.

    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> with Accounts(Path(folder.name) / "discreet.accounts") as accounts:
    ...     token = accounts.create("ana", datasets=("survey",))
    ...     known = accounts.authenticate(token.text)
    ...     ended = accounts.revoke("ana")
    ...     known.name, accounts.authenticate(token.text)
    ('ana', None)
    >>> folder.cleanup()
    """

    def __init__(self, place: str | os.PathLike[str] | Connection) -> None:
        self.is_shared = isinstance(place, Connection)
        """Whether servers elsewhere have them too, and looking them up may take a while."""
        self.place = f"PostgreSQL at {place}" if isinstance(place, Connection) else str(place)
        self._store: AccountStore = (
            SharedAccounts(place) if isinstance(place, Connection) else AccountsFile(Path(place))
        )
        self._lock = threading.Lock()
        self._known: OrderedDict[_Secret, _Found] = OrderedDict()
        self._version = self._store.version()
        self._looked = time.monotonic()

    def create(
        self,
        name: str,
        role: str = Role.ANALYST,
        datasets: Iterable[str] = (),
        expires: str | None = None,
    ) -> NewToken:
        """A new account and its token, shown once; `expires` is a moment as `read_expiry` tells.

        A name that was revoked or is over may be given again: it goes on with the same budget.
        """
        account = Account(
            name=checked_name(name),
            role=checked_role(role),
            datasets=tuple(dict.fromkeys(datasets)),
            created=_now(),
            expires=expires,
            revoked=None,
        )
        if account.role == Role.ANALYST and not account.datasets:
            raise InvalidInput("an analyst needs at least one dataset to ask")
        text = PREFIX + secrets.token_urlsafe(32)
        with self._lock:
            if not self._store.put(account, _digest(text)):
                raise InvalidInput(f"there is already an account {show(name)}; revoke it first")
            self._known.clear()
        return NewToken(text, account)

    def revoke(self, name: str) -> Account:
        """End an account: its token and its sessions open nothing from now on."""
        with self._lock:
            if self._store.account(name) is None:
                raise InvalidInput(f"there is no account {show(name)}")
            self._store.revoke(name, _now())
            self._known.clear()
            ended = self._store.account(name)
        assert ended is not None
        return ended

    def take_back(self, made: NewToken) -> None:
        """Forget a new account whose token was shown to nobody: as if it had not been made."""
        with self._lock:
            self._store.remove(made.account.name, _digest(made.text))
            self._known.clear()

    def accounts(self) -> list[Account]:
        """Every account, by name."""
        with self._lock:
            return self._store.every_account()

    def any(self) -> bool:
        """Whether there is an account at all, of whatever state."""
        return bool(self.accounts())

    def authenticate(self, text: str) -> Account | None:
        """Whose token this is; None for unknown, expired and revoked ones alike.

        It is looked up by its digest, so the time this takes tells of the digest of what was sent.
        """
        return self._who("token", text)

    def may_change(self) -> bool:
        """Whether accounts can be made and ended from here."""
        with self._lock:
            return self._store.may_change()

    def signed_on(self, name: str) -> Account | None:
        """The account of somebody whom another has recognised; None unless it is active."""
        with self._lock:
            account = self._store.account(name)
        active = account is not None and account.state(datetime.now(UTC)) == "active"
        return account if active else None

    def open_session(self, text: str) -> str:
        """A cookie's value for a browser that has shown a token; of one that is not good it opens
        nothing."""
        value = secrets.token_urlsafe(32)
        ends = _text(datetime.now(UTC) + timedelta(hours=SESSION_HOURS))
        with self._lock:
            self._store.put_session(_digest(value), _digest(text), ends, _now())
        return value

    def session(self, value: str) -> Account | None:
        """Who opened the session of a cookie; None when it is over."""
        return self._who("session", value)

    def close_session(self, value: str) -> None:
        """Sign out."""
        with self._lock:
            self._store.end_session(_digest(value))
            self._known.clear()

    def _who(self, kind: str, secret: str) -> Account | None:
        if len(secret) > _LONGEST_SECRET:
            return None
        key = (kind, _digest(secret))
        with self._lock:
            self._notice_others()
            known = self._known.get(key)
            if known is None:
                find = self._store.by_token if kind == "token" else self._store.by_session
                known = find(key[1])
                if known is not None:
                    self._remember(key, known)
        if known is None:
            return None
        account, ends = known
        at = datetime.now(UTC)
        over = ends is not None and at >= datetime.fromisoformat(ends)
        return None if over or account.state(at) != "active" else account

    def _remember(self, key: _Secret, known: _Found) -> None:
        self._known[key] = known
        if len(self._known) > _REMEMBERED:
            self._known.popitem(last=False)

    def _notice_others(self) -> None:
        if time.monotonic() - self._looked < _NOTICED_SECONDS:
            return
        version = self._store.version()
        self._looked = time.monotonic()
        if version != self._version:
            self._version = version
            self._known.clear()

    def close(self) -> None:
        """Let go of the file, or of the connection."""
        with self._lock:
            self._store.close()


def csrf_of(session: str) -> str:
    """The word a form must carry to act for a session: nobody else can work it out."""
    return hmac.new(session.encode(), b"discreet csrf", hashlib.sha256).hexdigest()


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def _text(moment: datetime) -> str:
    return moment.isoformat(timespec="seconds")


def _now() -> str:
    return _text(datetime.now(UTC))
