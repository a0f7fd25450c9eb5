"""`discreet doctor`: whether this machine is fit to answer for a dataset file; for the custodian.

Nothing is charged, and nothing written but an empty file beside the dataset file, which is removed
again; no cell is told.
"""

import os
import re
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from discreet.cli.parsing import options
from discreet.cli.program import app
from discreet.errors import DiscreetError
from discreet.text import Amount, Word

if TYPE_CHECKING:
    from discreet.budget import Health, Ledger
    from discreet.tables import Dataset

ROOM = 100 * 2**20
"""With fewer free bytes than this a ledger cannot grow without care."""
SKEW = 2.0
"""Clocks that are so many seconds apart, or more, are told."""
_LIBRARIES = ("duckdb", "apsw", "numpy", "highspy", "python-flint", "sqlglot")
_FOR_DEVELOPERS = {"dev", "bench", "reproduce", "oracles"}
_EXTRA = re.compile(r"""extra\s*==\s*['"]([a-z]+)['"]""")
_EARLIEST = datetime(2024, 1, 1, tzinfo=UTC)


class HealthState(Word):
    """How a thing that was looked at is."""

    GOOD = "good"
    DOUBTFUL = "doubtful"
    """Questions are answered, and the custodian should look at it."""
    BAD = "bad"
    """Nothing is answered, or not safely, before it is mended."""


_MARKS = {HealthState.GOOD: "✓", HealthState.DOUBTFUL: "!", HealthState.BAD: "✗"}


@dataclass(frozen=True)
class Examined:
    """One thing that was looked at."""

    about: str
    verdict: HealthState
    told: str
    """What was found, and what to do where it is not good."""


@app.command(epilog=options.examples("discreet doctor", "discreet doctor survey.toml --json"))
def doctor(
    file: Annotated[
        str | None,
        typer.Argument(
            metavar="[FILE]",
            help="A dataset file; without one, only what is installed is checked.",
        ),
    ] = None,
    json: options.Json = False,
) -> None:
    """Check whether everything that answering needs is there, and say what to do about the rest."""
    from discreet.cli.failures import UNUSABLE
    from discreet.cli.rendering import description as describe
    from discreet.cli.rendering.terminal import console, say, say_json

    findings = examined(file)
    fit = all(one.verdict != HealthState.BAD for one in findings)
    if json:
        facts = [{"about": one.about, "verdict": one.verdict, "text": one.told} for one in findings]
        say_json({"file": file, "fit": fit, "findings": facts})
    else:
        rows = [(one.about, f"{_MARKS[one.verdict]} {one.told}") for one in findings]
        say(console(), describe.facts_table(rows))
    if not fit:
        raise typer.Exit(UNUSABLE)


def examined(file: str | None) -> list[Examined]:
    """What is installed, and everything that answering for a dataset file needs."""
    from discreet.tables import examine_dataset

    findings = [_versions(), _extras()]
    if file is None:
        return [*findings, _clock(None)]
    path = Path(file)
    dataset, problems = examine_dataset(path)
    if dataset is None:
        more = f" (and {len(problems) - 1} more: discreet check)" if len(problems) > 1 else ""
        return [*findings, _clock(None), Examined("file", HealthState.BAD, f"{problems[0]}{more}")]
    return [
        *findings,
        _file(dataset, path),
        *_readers(dataset, path),
        _folder(path.resolve().parent),
        _guarded("rows", lambda: _rows(dataset, path)),
        *_database(dataset, path),
        *_ledger(dataset, path),
        _guarded("accounts", lambda: _accounts(dataset, path)),
    ]


def _versions() -> Examined:
    versions = ", ".join(f"{name} {metadata.version(name)}" for name in ("discreet", *_LIBRARIES))
    return Examined("versions", HealthState.GOOD, versions)


def _extras() -> Examined:
    """The optional parts by what the package itself says of them."""
    parts: dict[str, list[str]] = {}
    for line in metadata.requires("discreet") or []:
        wanted, _, marker = line.partition(";")
        extra = _EXTRA.search(marker)
        if extra and extra[1] not in _FOR_DEVELOPERS:
            parts.setdefault(extra[1], []).append(re.split(r"[\s\[<>=!~]", wanted, maxsplit=1)[0])
    there = [name for name, wanted in parts.items() if all(map(_is_installed, wanted))]
    lacking = ", ".join(f"discreet[{name}]" for name in parts if name not in there)
    installed = f"installed: {', '.join(there) or 'none'}"
    return Examined(
        "extras",
        HealthState.GOOD,
        f"{installed}; not installed: {lacking}" if lacking else installed,
    )


def _is_installed(name: str) -> bool:
    try:
        metadata.version(name)
    except metadata.PackageNotFoundError:
        return False
    return True


def _clock(newest: str | None) -> Examined:
    """A clock that runs behind makes entries, sessions and tokens look younger than they are."""
    now = datetime.now(UTC)
    moment = f"{now.isoformat(timespec='seconds')}"
    if now < _EARLIEST or (newest is not None and now < datetime.fromisoformat(newest)):
        since = (
            f" before the ledger's newest entry of {newest}" if newest and now > _EARLIEST else ""
        )
        return Examined(
            "clock", HealthState.BAD, f"it says {moment}{since}: set the machine's clock"
        )
    return Examined("clock", HealthState.GOOD, moment)


def _file(dataset: "Dataset", path: Path) -> Examined:
    if dataset.confirmed:
        return Examined("file", HealthState.GOOD, f"{path.name} is ready: {dataset.name}")
    text = f"{path.name} is a draft: confirm its lines, then set confirmed = true"
    return Examined("file", HealthState.DOUBTFUL, text)


def _readers(dataset: "Dataset", path: Path) -> Iterator[Examined]:
    """Who else on this machine may read the rows or the ledger."""
    from discreet.curator.dataset_ledger import ledger_path

    ledger = ledger_path(path)
    private = [*dataset.source.files, ledger, ledger.with_name(ledger.name + ".key")]
    for file in dict.fromkeys(private):
        if file.is_file() and file.stat().st_mode & stat.S_IROTH:
            text = f"everybody on this machine can read {file.name}: chmod o-r {file.name}"
            yield Examined("access", HealthState.DOUBTFUL, text)


def _folder(folder: Path) -> Examined:
    try:
        with tempfile.NamedTemporaryFile(dir=folder, prefix=".discreet-doctor-") as file:
            os.fsync(file.fileno())
    except OSError as problem:
        text = f"{folder} cannot be written: {problem.strerror}; the ledger is kept there"
        return Examined("folder", HealthState.BAD, text)
    free = shutil.disk_usage(folder).free
    text = f"{folder} can be written, {free // 2**20:,} MB are free"
    if free < ROOM:
        return Examined("folder", HealthState.DOUBTFUL, f"{text}: make room for the ledger")
    return Examined("folder", HealthState.GOOD, text)


def _rows(dataset: "Dataset", path: Path) -> Examined:
    from discreet.curator import check_first_types, open_key
    from discreet.tables import open_table

    key = open_key(dataset, path) if dataset.source.is_pinned else None
    with open_table(replace(dataset, size_is_public=False), key) as table:
        changes = check_first_types(dataset, path, table.types)
    if changes:
        return Examined("rows", HealthState.DOUBTFUL, "; ".join(changes))
    return Examined("rows", HealthState.GOOD, "rows can be read, with every declared column")


def _database(dataset: "Dataset", path: Path) -> list[Examined]:
    """Where the ledger is in PostgreSQL: the line to it, the role, and its clock."""
    from discreet.budget import health

    if dataset.shared_book is None:
        return []
    try:
        state = health(dataset.shared_book)
    except DiscreetError as problem:
        return [_bad("database", problem)]
    at = f"PostgreSQL {state.version} at {dataset.shared_book.connection}"
    waits = ", commits wait for a standby" if state.has_standby else ""
    line = (
        Examined("database", HealthState.GOOD, f"{at}{waits}")
        if state.is_private
        else Examined(
            "database",
            HealthState.DOUBTFUL,
            f"{at}, over a connection that others can read: add sslmode=verify-full to it",
        )
    )
    return [line, _role(state, path), *_skew(state.ahead)]


def _role(state: "Health", path: Path) -> Examined:
    if state.is_superuser:
        text = f"{state.role} is a superuser, who can change any ledger: connect as another role"
        return Examined("role", HealthState.DOUBTFUL, text)
    if state.owns:
        other = f"discreet ledger prepare {path.name} --role NAME"
        text = f"{state.role} owns the ledgers, as the custodian's; servers have another: {other}"
        return Examined("role", HealthState.GOOD, text)
    return Examined(
        "role", HealthState.GOOD, f"{state.role} does not own the ledgers: it may serve"
    )


def _skew(ahead: float) -> list[Examined]:
    if abs(ahead) < SKEW:
        return []
    way = "ahead of" if ahead > 0 else "behind"
    text = (
        f"PostgreSQL's clock, which ends sessions, is {abs(ahead):.0f} s {way} this machine's: "
        "set both"
    )
    return [Examined("clock", HealthState.DOUBTFUL, text)]


def _accounts(dataset: "Dataset", path: Path) -> Examined:
    from discreet.text import plural
    from discreet.web.accounts_place import accounts_place, opened_accounts

    place = accounts_place([path], [dataset], None)
    book = opened_accounts(place)
    if book is None:
        text = "no accounts: a server answers this machine only (discreet token create)"
        return Examined("accounts", HealthState.GOOD, text)
    with book as accounts:
        states = [one.state(datetime.now(UTC)) for one in accounts.accounts()]
        text = (
            f"{plural(len(states), 'account')} in {accounts.place}, {states.count('active')} active"
        )
    return Examined("accounts", HealthState.GOOD, text)


def _ledger(dataset: "Dataset", path: Path) -> list[Examined]:
    from discreet.budget import is_read_only
    from discreet.curator import has_ledger, reopen_ledger
    from discreet.curator.dataset_ledger import ledger_path

    place = ledger_path(path)
    if not has_ledger(dataset, path):
        text = "none yet: the first question creates it"
        return [Examined("ledger", HealthState.GOOD, text), _clock(None)]
    if dataset.shared_book is None and is_read_only(place):
        text = f"{place.name} cannot be written by this user: nothing can be charged"
        return [Examined("ledger", HealthState.BAD, text), _clock(None)]
    try:
        with reopen_ledger(dataset, path) as ledger:
            return [_audited(ledger), _clock(ledger.entries()[-1].at)]
    except DiscreetError as problem:
        return [_bad("ledger", problem), _clock(None)]


def _audited(ledger: "Ledger") -> Examined:
    """Every hash, cost and balance once more, and the facts that the guarantee rests on."""
    audit = ledger.audit()
    if not audit.clean:
        text = f"{audit.problems[0]}; discreet ledger verify lists everything"
        return Examined("ledger", HealthState.BAD, text)
    ledger.check_premises()
    left = ledger.balance().left
    text = f"{audit.entries:,} entries add up; ε = {Amount(left or 0)} is left"
    if not left:
        return Examined("ledger", HealthState.DOUBTFUL, f"{text}: discreet ledger budget raises it")
    return Examined("ledger", HealthState.GOOD, text)


def _guarded(about: str, look: Callable[[], Examined]) -> Examined:
    try:
        return look()
    except DiscreetError as problem:
        return _bad(about, problem)


def _bad(about: str, problem: DiscreetError) -> Examined:
    from discreet.cli.failures import message_of

    return Examined(about, HealthState.BAD, message_of(problem))
