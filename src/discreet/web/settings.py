"""Everything that is decided when a server starts."""

import ipaddress
import re
from dataclasses import dataclass
from pathlib import Path

from discreet.errors import InvalidInput
from discreet.exact import show
from discreet.web.accounts_place import ACCOUNTS

RELEASES = "discreet.releases"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}", re.ASCII)
LOOPBACK_NAMES = ("localhost", "127.0.0.1", "::1")


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What is served, where, and how much of it at a time."""

    files: tuple[Path, ...]
    host: str = "127.0.0.1"
    port: int = 8000
    accounts: Path | None = None
    """The accounts' file; None is what the dataset files say, or the one beside the first."""
    certificate: Path | None = None
    key: Path | None = None
    behind_proxy: bool = False
    """Whether a reverse proxy on this machine says who calls and whether they use https."""
    sign_on_header: str | None = None
    """The header in which a proxy names who has signed on with it; None believes nobody."""
    sign_on_proxy: str | None = None
    """The address of that proxy: from any other, the header means nothing."""
    workers: int = 2
    """Processes that plan and design."""
    warm: bool = True
    """Whether the first of them starts with the server, so that the first plan need not wait."""
    patience: float = 1.0
    """Seconds after which a plan or a design becomes a job to come back for."""
    rate: float = 5_000
    """Requests a second for one account."""
    anonymous_rate: float = 100
    """Requests a second for one address, without an account."""
    failures: int = 10
    """Failed sign-ins of one address in five minutes."""
    most_bytes: int = 256 * 1024
    """The longest request."""
    setup: Path | None = None
    """The folder in which a custodian sets up tables; None where nobody does."""
    most_upload: int = 256 << 20
    """The largest table that is uploaded there, in bytes."""
    connection_seconds: float = 30.0
    """How long a request may take to arrive, and a reply to be taken, before the line is cut."""
    most_at_once: int = 8
    """Requests of one account, or one address, that are worked on at once; the rest wait."""
    most_jobs: int = 8
    """Plans and designs of one account that wait or run."""
    quick_seconds: float = 5.0
    """How long one of them runs before it gives way to others."""
    job_seconds: float = 600.0
    """How long one of them may run in all."""

    @property
    def accounts_given(self) -> Path | None:
        """Where the accounts are said to be; with set-up and no dataset yet, in its folder."""
        if self.accounts is None and self.setup is not None and not self.files:
            return self.setup / ACCOUNTS
        return self.accounts

    @property
    def releases_file(self) -> Path:
        """Where the releases are: beside the accounts."""
        given = self.accounts_given
        if given is not None:
            return given.with_name(RELEASES)
        return (self.files[0].parent if self.files else Path()) / RELEASES

    @property
    def is_tls(self) -> bool:
        """Whether this server itself speaks https."""
        return self.certificate is not None

    @property
    def is_loopback(self) -> bool:
        """Whether only this machine can reach the server."""
        return is_loopback(self.host)

    @property
    def url(self) -> str:
        """Where a browser finds it."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{'https' if self.is_tls else 'http'}://{host}:{self.port}"

    def checked(self) -> "Settings":
        """The same, or InvalidInput in a sentence."""
        if not self.files and self.setup is None:
            raise InvalidInput("name at least one dataset file, for example survey.toml")
        if self.setup is not None and not (
            self.is_loopback or self.certificate is not None or self.behind_proxy
        ):
            raise InvalidInput(
                "--setup shows rows, so other machines may reach it only by https: use "
                "--tls-cert and --tls-key, or a reverse proxy and --behind-proxy, or leave out "
                "--host"
            )
        if (self.certificate is None) != (self.key is None):
            raise InvalidInput("TLS needs both: --tls-cert FILE and --tls-key FILE")
        for file in (self.certificate, self.key):
            if file is not None and not file.is_file():
                raise InvalidInput(f"there is no file {show(str(file))}")
        if not 0 <= self.port <= 65_535:
            raise InvalidInput(f"a port must be a number from 0 to 65535, got {self.port}")
        if self.workers < 1 or self.rate <= 0:
            raise InvalidInput("--workers must be at least 1, and --rate more than 0")
        _check_sign_on(self.sign_on_header, self.sign_on_proxy)
        dataset_names(self.files)
        return self


_HEADER = re.compile(r"[A-Za-z][A-Za-z0-9-]{0,63}", re.ASCII)
_TAKEN = ("authorization", "cookie", "host", "origin", "x-csrf-token", "idempotency-key")


def _check_sign_on(header: str | None, proxy: str | None) -> None:
    """Both or neither; a header of its own, and one address."""
    if (header is None) != (proxy is None):
        raise InvalidInput(
            "single sign-on needs both: --sign-on-header NAME and --sign-on-proxy ADDRESS"
        )
    if header is None or proxy is None:
        return
    if not _HEADER.fullmatch(header) or header.lower() in _TAKEN:
        raise InvalidInput(
            "--sign-on-header must name a header that only the proxy sets, such as "
            f"X-Forwarded-User, got {show(header)}"
        )
    try:
        ipaddress.ip_address(proxy)
    except ValueError:
        raise InvalidInput(
            "--sign-on-proxy must be the address of the proxy, such as 127.0.0.1, got "
            f"{show(proxy)}"
        ) from None


def dataset_names(files: tuple[Path, ...]) -> dict[str, Path]:
    """The name of every dataset file: its stem, as it stands in URLs.

    >>> list(dataset_names((Path("data/survey.toml"), Path("visits.toml"))))
    ['survey', 'visits']
    """
    names: dict[str, Path] = {}
    for file in files:
        name = dataset_name(file)
        if name in names:
            raise InvalidInput(f"two datasets have the name {name}; rename one of the files")
        names[name] = file
    return names


def dataset_name(file: Path) -> str:
    """The name of a dataset file in URLs and accounts."""
    name = file.name.removesuffix(".toml")
    if not _NAME.fullmatch(name):
        raise InvalidInput(
            f"the name of a served file may have letters, digits and . _ -, got {show(file.name)}"
        )
    return name


def is_loopback(host: str) -> bool:
    """Whether a host is this machine alone.

    >>> is_loopback("127.0.0.1"), is_loopback("localhost"), is_loopback("0.0.0.0")
    (True, True, False)
    """
    if host.lower() in LOOPBACK_NAMES:
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
