"""The custodian's desk: one folder with tables and dataset files, and the link that leads to it.

The state of a set-up is the draft itself. What is written here is dataset files and their lists of
words, and tables that were uploaded; nothing else.
"""

import hashlib
import hmac
import os
import re
import secrets
import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any, BinaryIO

from discreet.connection import Connection
from discreet.curator import notices
from discreet.errors import DatasetError, FileError, InvalidInput
from discreet.exact import show
from discreet.tables import Dataset, Source, examine_dataset
from discreet.tables.dataset_file import examine_text
from discreet.tables.drafts.writing import quoted_text, to_confirm, with_section, without_section
from discreet.tables.remarks import Remark
from discreet.tables.source import COMPRESSIONS, DATABASES, INSIDE, KINDS, kind_of_name
from discreet.web.setup.reading import Readers
from discreet.web.setup.steps import Draft

MOST_LISTED = 200
_SAFE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}", re.ASCII)
_KEPT_LOOKS = 16
_BLOCK = 1 << 20
LEFT_OUT = "the custodian left it out"
"""Why a column is left out, where nothing else is said."""
_TAKEN = ("enter", "choose", "upload", "connect")
"""What other set-up pages are called."""


@dataclass(frozen=True)
class TableFile:
    """A table in the folder."""

    name: str
    size: int


@dataclass(frozen=True, kw_only=True)
class DraftFile:
    """A dataset file in the folder, and how far it is."""

    name: str
    """Without its ending."""
    title: str
    confirmed: bool
    left: int
    """How many things are still to be confirmed."""


class Desk:
    """What a custodian works with; every name that comes from outside is checked here."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.resolve()
        if not self.folder.is_dir():
            raise InvalidInput(f"there is no folder {show(str(folder))}")
        self.key = secrets.token_urlsafe(24)
        """Opens the desk, once."""
        self.announce: Callable[[], object] = lambda: None
        """Called when the key was used and there is a new one: for the terminal of the server."""
        self._session = ""
        self._looks: OrderedDict[tuple[Any, ...], dict[str, Any]] = OrderedDict()
        self._lock = threading.Lock()
        self._readers = Readers()

    # Who may sit here

    def enter(self, key: str) -> str | None:
        """The value of a cookie for the one who brings the key first; None for anybody else.

        It takes the desk over from whoever sat there, and the next key is announced: a link that
        the wrong browser has used up is no loss.
        """
        with self._lock:
            if not hmac.compare_digest(self.key.encode(), key.encode()):
                return None
            self.key = secrets.token_urlsafe(24)
            value = secrets.token_urlsafe(32)
            self._session = _digest(value)
        self._readers.warm()
        self.announce()
        return value

    def close(self) -> None:
        """Let go of what reads."""
        self._readers.close()

    def knows(self, cookie: str) -> bool:
        """Whether a cookie is the one that was handed out last."""
        return bool(cookie) and hmac.compare_digest(_digest(cookie), self._session)

    # What is in the folder

    def tables(self) -> list[TableFile]:
        """The tables of the folder, by name; a link is none, for it may lead anywhere."""
        tables = [
            TableFile(path.name, path.stat().st_size)
            for path in sorted(self.folder.iterdir())
            if not path.name.startswith(".") and kind_of_name(path.name) and _is_own(path)
        ]
        return tables[:MOST_LISTED]

    def drafts(self) -> list[DraftFile]:
        """The dataset files of the folder, by name."""
        drafts = []
        for path in sorted(self.folder.glob("*.toml"))[:MOST_LISTED]:
            if not (_SAFE.fullmatch(path.name) and _is_own(path)):
                continue
            try:
                text, (dataset, _) = path.read_text(encoding="utf-8"), examine_dataset(path)
            except (OSError, UnicodeDecodeError, DatasetError):
                continue
            if dataset is None and "[privacy]" not in text:
                continue  # some other TOML file
            drafts.append(
                DraftFile(
                    name=path.stem,
                    title=path.stem if dataset is None else dataset.name,
                    confirmed=dataset is not None and dataset.confirmed,
                    left=_steps_left(path.stem, text),
                )
            )
        return drafts

    def table(self, name: str) -> Path:
        """A table of the folder by its name; never one elsewhere."""
        if name not in {one.name for one in self.tables()}:
            raise FileError(
                f"there is no table {show(name)} in this folder; choose one from the list"
            )
        return self.folder / name

    def file(self, name: str) -> Path:
        """The dataset file of a name."""
        path = self.folder / f"{name}.toml"
        if not (_SAFE.fullmatch(name) and _is_own(path)):
            raise FileError(f"there is no draft {show(name)} in this folder")
        return path

    def text(self, name: str) -> str:
        """What a dataset file says."""
        try:
            return self.file(name).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError):
            raise FileError(f"{show(name)} cannot be read as text") from None

    # What is written

    def write(self, name: str, text: str) -> None:
        """Write a draft, whole or not at all; one that is confirmed is changed by hand alone."""
        with self._lock:
            self.check_draft(name)
            _write(self.folder / f"{name}.toml", text)

    def check_draft(self, name: str) -> None:
        """Refuse a file that is confirmed: its ledger relies on what it says."""
        path = self.folder / f"{name}.toml"
        if _SAFE.fullmatch(name) and path.is_file():
            dataset, _ = examine_dataset(path)
            if dataset is not None and dataset.confirmed:
                raise FileError(
                    f"{name}.toml is confirmed, and its ledger relies on what it says; change it "
                    "by hand, as “Change a dataset” in the documentation explains"
                )

    def save_upload(self, given: str, content: BinaryIO) -> Path:
        """Keep an uploaded table in the folder, under its own name; never over another file."""
        plain = Path(given.replace("\\", "/")).name
        kind = kind_of_name(plain)
        if kind is None or kind in DATABASES:
            takes = ", ".join(ending for ending, one in KINDS.items() if one not in DATABASES)
            raise FileError(
                f"the name of an uploaded table must end in {takes}, got {show(given[:100])}"
            )
        packed = PurePath(plain).suffix.lower() in COMPRESSIONS
        ending = "".join(PurePath(plain).suffixes[-2:]) if packed else PurePath(plain).suffix
        name = f"{_name_of(plain.removesuffix(ending))}{ending.lower()}"
        target = self.folder / name
        try:
            with target.open("xb") as file:
                os.chmod(target, 0o600)
                while block := content.read(_BLOCK):
                    file.write(block)
        except FileExistsError:
            raise FileError(
                f"{show(name)} is in the folder already; choose it from the list, or rename yours"
            ) from None
        except OSError as problem:
            target.unlink(missing_ok=True)
            raise FileError(f"cannot keep {show(name)}: {problem.strerror}") from None
        return target

    # What is read, aside

    def inside(self, path: Path) -> list[str]:
        """The sheets or tables of a file, where it has any."""
        if kind_of_name(path.name) not in INSIDE:
            return []
        names: list[str] = self._readers.read({"do": "tables", "path": str(path)})
        return names

    def draft(self, path: Path, table: str | None) -> str:
        """Draft a dataset file for a table, as `discreet init` does; its name."""
        bare = path.with_suffix("") if path.suffix.lower() in COMPRESSIONS else path
        name = _name_of(bare.stem)
        return self._drafted(name, {"do": "draft", "path": str(path), "table": table})

    def draft_served(self, where: Connection, table: str) -> str:
        """The same for a table of a server."""
        name = _name_of(table.rpartition(".")[2])
        task = {"do": "draft", "connection": [where.key, where.value], "table": table}
        return self._drafted(name, task)

    def _drafted(self, name: str, task: dict[str, Any]) -> str:
        target = self.folder / f"{name}.toml"
        if target.exists():
            raise FileError(
                f"{show(target.name)} exists already: continue with it in the list, or move it away"
            )
        made = self._readers.read(task)
        for listed, words in made["lists"].items():
            if (self.folder / listed).exists():
                raise FileError(f"{show(listed)} exists already; move it away")
            _write(self.folder / listed, words)
        with self._lock:
            _write(target, made["text"])
        self._keep(task, made)
        return name

    def look(self, dataset_source: Source) -> dict[str, Any]:
        """What the columns of a source hold: remembered while the file is the same."""
        source = dataset_source
        task: dict[str, Any] = {"do": "draft", "path": str(source.path), "table": source.table}
        if source.connection is not None:
            where = source.connection
            task = {
                "do": "draft", "connection": [where.key, where.value], "table": source.table
            }  # fmt: skip
        known = self._looks.get(_look_key(task))
        if known is None:
            known = self._readers.read(task)
            self._keep(task, known)
        return known

    def _keep(self, task: dict[str, Any], made: dict[str, Any]) -> None:
        with self._lock:
            self._looks[_look_key(task)] = made
            while len(self._looks) > _KEPT_LOOKS:
                self._looks.popitem(last=False)

    def check(self, name: str, text: str, column: str | None = None) -> dict[str, Any]:
        """What to correct, and what the custodian should know; of one column, or of all."""
        task = {"do": "check", "file": str(self.folder / f"{name}.toml"), "text": text}
        findings: dict[str, Any] = self._readers.read(
            task if column is None else {**task, "column": column}
        )
        dataset, _ = examine_text(text, self.folder / f"{name}.toml")
        if dataset is not None:
            findings["remarks"] += self._of_facts(name, dataset, column)
        return findings

    def _of_facts(self, name: str, dataset: Dataset, column: str | None) -> list[Remark]:
        """What public facts alone tell: too many values for medians, two files over one table."""
        from discreet.curator.custodian import crowded_remarks  # noqa: PLC0415  the planner's limits

        crowded = [one for one in crowded_remarks(dataset) if column in (None, one[0])]
        if column is not None:
            return crowded
        return [*crowded, *(("", notice) for notice in notices(dataset, self.file(name)))]


def declared(text: str, file: Path) -> Dataset:
    """What a text declares, or the first line to mend."""
    dataset, problems = examine_text(text, file)
    if dataset is None:
        raise DatasetError(str(problems[0]))
    return dataset


def _steps_left(name: str, text: str) -> int:
    """How many steps are to be confirmed, as the page of the draft counts them."""
    try:
        return sum(not one.done for one in Draft(name, text).steps([], None))
    except DatasetError:
        return len(to_confirm(text))


def with_column(text: str, name: str, facts: dict[str, str]) -> str:
    """The text with a column as confirmed; a remark that it was left out goes."""
    remark = f"# Column {quoted_text(name)} is left out: "
    kept = [line for line in text.splitlines(keepends=True) if not line.startswith(remark)]
    return with_section("".join(kept), ("columns", name), facts)


def without_column(text: str, name: str, why: str) -> str:
    """The text without a column, and why."""
    remark = f"Column {quoted_text(name)} is left out: {' '.join(why.split())}."
    return without_section(text, ("columns", name), remark)


def _name_of(stem: str) -> str:
    """A name for URLs, of that of a file."""
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", stem).strip("-._")[:60] or "table"
    return f"{name}-table" if name in _TAKEN else name


def _look_key(task: dict[str, Any]) -> tuple[Any, ...]:
    if "connection" in task:
        return (*task["connection"], task["table"])
    try:
        facts = Path(task["path"]).stat()
    except OSError:
        raise FileError(f"the file {show(Path(task['path']).name)} no longer exists") from None
    return task["path"], task["table"], facts.st_mtime_ns, facts.st_size


def _is_own(path: Path) -> bool:
    """Whether it is a file of the folder itself."""
    return path.is_file() and not path.is_symlink()


def _write(target: Path, text: str) -> None:
    """Write a file beside its place and put it there; nobody else may read it."""
    beside = target.with_name(f".{target.name}.{secrets.token_hex(4)}")
    try:
        beside.touch(mode=0o600, exist_ok=False)
        beside.write_text(text, encoding="utf-8")
        os.replace(beside, target)
    except OSError as problem:
        beside.unlink(missing_ok=True)
        raise FileError(f"cannot write {show(target.name)}: {problem.strerror}") from None


def _digest(value: str) -> str:
    return hashlib.sha256(value.encode()).hexdigest()
