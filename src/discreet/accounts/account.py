"""What an account says: a name, a role, the datasets it may ask, and until when."""

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from discreet.errors import InvalidInput
from discreet.text import Word, show


class Role(Word):
    """What somebody may do."""

    ANALYST = "analyst"
    """Asks the datasets named for them."""
    CUSTODIAN = "custodian"
    """Sees every dataset and all accounts."""


_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@-]{0,63}", re.ASCII)
_SPAN = re.compile(r"([1-9][0-9]{0,4})([hdwy])", re.ASCII)
_UNITS = {"h": 1, "d": 24, "w": 7 * 24, "y": 365 * 24}


@dataclass(frozen=True, kw_only=True)
class Account:
    """Somebody who may sign in; the token itself is known to them alone."""

    name: str
    role: Role
    datasets: tuple[str, ...]
    created: str
    expires: str | None
    revoked: str | None

    @property
    def is_custodian(self) -> bool:
        """Whether everything that is served may be seen."""
        return self.role == Role.CUSTODIAN

    def state(self, at: datetime) -> str:
        """In one word: active, expired or revoked.

        >>> ana = Account(name="ana", role=Role.ANALYST, datasets=(), expires=None, revoked=None,
        ...     created="2026-01-01T00:00:00+00:00")
        >>> ana.state(datetime(2026, 6, 1, tzinfo=UTC))
        'active'
        """
        if self.revoked is not None:
            return "revoked"
        over = self.expires is not None and at >= datetime.fromisoformat(self.expires)
        return "expired" if over else "active"

    def to_dict(self) -> dict[str, object]:
        """The account as plain JSON values."""
        return {
            "name": self.name,
            "role": self.role,
            "datasets": list(self.datasets),
            "created": self.created,
            "expires": self.expires,
            "revoked": self.revoked,
            "state": self.state(datetime.now(UTC)),
        }


@dataclass(frozen=True)
class NewToken:
    """A token at the only moment its text is known."""

    text: str
    account: Account

    def __repr__(self) -> str:
        return f"NewToken(text='dsc_…', account={self.account!r})"


def checked_name(name: str) -> str:
    """A name that fits in a URL, a ledger and a question id."""
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise InvalidInput(
            f"a name has 1 to 64 letters, digits and . _ @ - and begins with one of the first two, "
            f"got {show(name)}"
        )
    return name


def checked_role(role: str) -> Role:
    """One of the roles."""
    if found := Role.read(role):
        return found
    raise InvalidInput(f"a role is {' or '.join(Role)}, got {show(role)}")


def read_expiry(text: str | None, at: datetime) -> str | None:
    """When a token ends: after 12h, 30d, 8w or 1y, or at the end of a day such as 2026-12-31.

    >>> read_expiry("30d", datetime(2026, 1, 1, tzinfo=UTC))
    '2026-01-31T00:00:00+00:00'
    >>> read_expiry("2026-12-31", datetime(2026, 1, 1, tzinfo=UTC))
    '2027-01-01T00:00:00+00:00'
    """
    if text is None:
        return None
    word = text.strip().lower()
    span = _SPAN.fullmatch(word)
    if span:
        hours = int(span[1]) * _UNITS[span[2]]
        return (at + timedelta(hours=hours)).isoformat(timespec="seconds")
    try:
        day = datetime.combine(date.fromisoformat(word), datetime.min.time(), UTC)
        end = day + timedelta(days=1)
    except (ValueError, OverflowError):
        raise InvalidInput(
            f"give its end: 12h, 30d, 8w, 1y or a day such as 2026-12-31, got {show(text)}"
        ) from None
    if end <= at:
        raise InvalidInput(f"{word} is over already; give a later day")
    return end.isoformat(timespec="seconds")
