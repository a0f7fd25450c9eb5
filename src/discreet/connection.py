"""Where a PostgreSQL server is, and by which words a dataset file says it: never the secret itself.

Sources and ledgers are reached by the same three keys. What libpq says of a failure may quote what
it was given, so messages are our own words: which kind of failure it was, and what to do about it.
"""

import logging
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from discreet.errors import DatasetError, InvalidInput, MissingExtra
from discreet.text import show

if TYPE_CHECKING:
    from types import ModuleType

POSTGRESQL = "postgresql"
"""What a dataset file calls it, and the extra that brings the driver."""
OLDEST = 13
"""The oldest version of PostgreSQL that is used."""

SPARK = "spark"
"""What a dataset file calls Spark Connect, and the extra that brings its client."""

_SECONDS = 10
_LOG = logging.getLogger("psycopg")
_SCHEMES = {POSTGRESQL: ("postgresql://", "postgres://"), SPARK: ("sc://",)}
_CALLED = {POSTGRESQL: "PostgreSQL", SPARK: "Spark Connect"}
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}", re.ASCII)
_ROLE = re.compile(r"[A-Za-z_][A-Za-z0-9_$.@-]{0,62}", re.ASCII)
_REFUSED = "the password was refused; correct it where the address is kept"
_NOBODY = "nothing listens there; start the server, or correct its address"
_NO_HOST = "there is no host of that name; correct the address"
_SILENT = "it does not answer; check its address and the network"
_MALFORMED = "the address is not well formed; correct it where it is kept"
_UNKNOWN = "it cannot be reached; see the server's own log"
_WHYS = (
    ("percent-encoded", _MALFORMED),
    (" in uri", _MALFORMED),
    ("uri query parameter", _MALFORMED),
    ("bad value for", _MALFORMED),
    (
        "password authentication failed",
        "the password was refused; correct it where the address is kept",
    ),
    ("no password supplied", "it requires a password, and none was given"),
    ("fe_sendauth", "it requires a password, and none was given"),
    ("peer authentication failed", "it does not accept this user for that role; name another role"),
    ("pg_hba.conf", "its pg_hba.conf does not allow this role from here"),
    ("definition of service", "there is no such service in pg_service.conf"),
    ("role", "there is no such role, or it may not log in; name one that may"),
    ("database", "there is no such database, or the role may not connect to it; name another"),
    ("too many clients", "all its connections are in use; try again"),
    ("connection slots", "all its connections are in use; try again"),
    ("starting up", "it is starting up; try again"),
    ("shutting down", "it is shutting down; try again"),
    ("certificate", "its certificate was refused"),
    ("timeout", _SILENT),
    ("timed out", _SILENT),
    ("could not translate host name", _NO_HOST),
    ("resolve", _NO_HOST),
    ("name or service not known", _NO_HOST),
    ("name resolution", _NO_HOST),
    ("refused", _NOBODY),
    ("no such file", _NOBODY),
)
"""Words of a failed attempt, and what is said of it."""


@dataclass(frozen=True)
class Connection:
    """Where to connect: a service of pg_service.conf, or what an environment variable or a file
    holds."""

    key: str
    """One of `CONNECTION_KEYS`."""
    value: str
    """What the dataset file gives for it: a name or a path, nothing secret."""
    kind: str = POSTGRESQL
    """What is there: PostgreSQL, or Spark Connect."""

    def __str__(self) -> str:
        return f'{self.key} = "{self.value}"'

    def address(self) -> str:
        """What the driver is given; it may hold a password, so it is shown to nobody.

        Raises:
            DatasetError: The variable or the file does not hold an address.
        """
        if self.key == "service":
            return f"service='{_escaped(self.value)}'"
        called, schemes = _CALLED[self.kind], _SCHEMES[self.kind]
        reading = _of_variable if self.key == "url_env" else _of_file
        address = reading(self.value, called)
        if not address.startswith(schemes):
            raise DatasetError(
                f"{self} does not hold an address of {called}, which starts with {schemes[0]}"
            )
        return address

    def open(self, purpose: str, **settings: Any) -> Any:
        """A new connection of psycopg that commits statement by statement.

        Args:
            purpose: What the server lists it as, such as `"discreet ledger"`.
            settings: More that psycopg is told.

        Raises:
            DatasetError: It cannot be reached, refuses, or is too old.
            MissingExtra: The driver is not installed.
        """
        driver = driver_of_postgresql()
        given = {"application_name": purpose, "connect_timeout": _SECONDS, **settings}
        try:
            opened = driver.connect(self.address(), autocommit=True, **given)
        except (driver.Error, UnicodeError) as problem:
            raise DatasetError(f"PostgreSQL at {self}: {why_unreached(problem)}") from None
        version = opened.info.server_version // 10000
        if version < OLDEST:
            opened.close()
            raise DatasetError(
                f"PostgreSQL at {self} has version {version}; version {OLDEST} or newer is required"
            )
        return opened


CONNECTION_KEYS = ("service", "url_env", "url_file")
"""How a dataset file says where to connect; one of them is given."""


def driver_of_postgresql() -> "ModuleType":
    """psycopg, imported when it is needed; what it would print of a lost server, we say."""
    try:
        import psycopg  # noqa: PLC0415
    except ImportError:
        raise MissingExtra("the driver of PostgreSQL", POSTGRESQL) from None
    if not _LOG.handlers:
        _LOG.addHandler(logging.NullHandler())
    module: ModuleType = psycopg
    return module


def quoted_role(name: str) -> str:
    """A role as SQL names it.

    >>> quoted_role("discreet_server")
    '"discreet_server"'
    """
    if not _ROLE.fullmatch(name):
        raise InvalidInput(f"the name of a role may have letters, digits and _, got {show(name)}")
    return f'"{name}"'


def declared_connection(
    section: Mapping[str, Any],
    folder: Path,
    note: Callable[[str, str], None],
    kind: str = POSTGRESQL,
) -> Connection | None:
    """What a section of a dataset file says; problems are noted by key, and None returned.

    Args:
        section: The section, with keys that others read as well.
        folder: Where the dataset file is; `url_file` is relative to it.
        note: Told a key and what is wrong with it.
        kind: What is there.
    """
    known = CONNECTION_KEYS if kind == POSTGRESQL else CONNECTION_KEYS[1:]
    given = [key for key in known if key in section]
    if len(given) != 1:
        words = 'url_env = "CLINIC_URL" or url_file = "clinic.url"'
        words = f'service = "clinic", {words}' if kind == POSTGRESQL else words
        if "url" not in section:  # which is told with the keys that are unknown
            note(given[1] if given else "", f"say where to connect with one key: {words}")
        return None
    key, value = given[0], section[given[0]]
    if not isinstance(value, str) or not value.strip() or not value.isprintable():
        note(key, f'{key} must be written as {key} = "…"')
        return None
    if "://" in value or "=" in value:  # it may hold a password, so it is not quoted
        note(key, f"{key} must say where the address is kept, not the address itself")
        return None
    if key == "url_env" and not _VARIABLE.fullmatch(value):
        note(key, f"{key} must be the name of an environment variable, got {show(value)}")
        return None
    return Connection(key, str((folder / value).resolve()) if key == "url_file" else value, kind)


def kind_of_server(key: str, value: str, folder: Path) -> str:
    """What is at an address that a variable or a file holds: PostgreSQL where it cannot be told."""
    if key not in CONNECTION_KEYS[1:]:
        return POSTGRESQL
    place = str(folder / value) if key == "url_file" else value
    try:
        return SPARK if Connection(key, place, SPARK).address() else POSTGRESQL
    except DatasetError:
        return POSTGRESQL


def why_unreached(problem: BaseException) -> str:
    """Why a connection failed, in words that quote nothing.

    >>> why_unreached(ValueError('FATAL:  password authentication failed for user "ana"'))
    'the password was refused; correct it where the address is kept'
    """
    message = str(problem).lower()
    return next((why for word, why in _WHYS if word in message), _UNKNOWN)


def _of_variable(name: str, called: str) -> str:
    value = os.environ.get(name, "").strip()
    if not value:
        raise DatasetError(
            f"the environment variable {name} is not set; set it to the address of {called}"
        )
    return value


def _of_file(path: str, called: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8").strip()
    except OSError as problem:
        raise DatasetError(
            f"cannot read the address of {called} in {show(path)}: {problem.strerror}"
        ) from None
    except UnicodeDecodeError:
        raise DatasetError(f"the address of {called} in {show(path)} is not text") from None


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace("'", "\\'")
