"""Where rows are: one file, many of one kind, a table inside a file or of a server, or a frame from
Python.

All of it is public: which files there are, how they are written, which columns they have.
"""

import glob
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import unquote

from discreet.connection import (
    CONNECTION_KEYS,
    POSTGRESQL,
    SPARK,
    Connection,
    declared_connection,
)
from discreet.errors import DatasetError
from discreet.exact import show
from discreet.tables.dialect import Dialect, Quoting

FRAME = "frame"
"""The kind of source that is handed over in Python."""
EXCEL = "excel"
KINDS = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
    ".xlsx": EXCEL,
    ".xlsm": EXCEL,
    ".sqlite": "sqlite",
    ".db": "sqlite",
    ".duckdb": "duckdb",
}
"""What files are, by how their names end."""
COMPRESSIONS = (".gz", ".bz2", ".xz", ".zst")
"""How the names of compressed text files end."""
DATABASES = ("sqlite", "duckdb")
"""The kinds of source that hold several tables."""
INSIDE = {"sqlite": "table", "duckdb": "table", EXCEL: "sheet"}
"""By which key a dataset file names what is read inside a file."""
TEXTS = ("csv", "tsv", "jsonl")
"""The kinds of source whose records are lines."""
TYPED = ("parquet", "duckdb")
"""The kinds of file whose columns have types."""
MANY = (*TEXTS, "parquet")
"""The kinds of source that may be many files."""
COPIED, ASKED = "copied", "asked"
"""How rows of a server are read: all of them, once, when the table is opened; or they stay there,
and every question is asked of them."""
SERVED = {POSTGRESQL: (COPIED, ASKED), SPARK: (ASKED,)}
"""The kinds of servers, and how their rows can be read; the first way unless another is said."""
SERVED_KEYS = (*CONNECTION_KEYS, "rows", "time_limit", "types")
"""What a dataset file says of a server, besides its kind and the table."""
TIME_LIMITS = {COPIED: 3600, ASKED: 600}
"""How many seconds a SELECT may take, where nothing is said."""
_LONGEST = 86_400
_NO_VALUE = "__HIVE_DEFAULT_PARTITION__"


@dataclass(frozen=True, kw_only=True)
class Source:
    """Where the rows are; `table` names one inside a database file, or a sheet of a workbook."""

    path: Path
    """The file; of many, the folder that their patterns start from; of a frame, its facts."""
    kind: str
    table: str | None = None
    dialect: Dialect | None = None
    """How a text file is written, where it is said."""
    digest: str | None = None
    """What pins the content of a text file, keyed with the dataset's secret."""
    version: str | None = None
    """What the custodian calls these rows: others under the same path have another."""
    patterns: tuple[str, ...] = ()
    """Which files, where there are many: paths and patterns."""
    partitions: tuple[str, ...] = ()
    """The columns that are told by the names of folders, such as year=2024."""
    frame: object = field(default=None, repr=False, compare=False)
    """The rows themselves, where they are handed over."""

    connection: Connection | None = None
    """Where the server is that has the table."""
    asked: bool = False
    """Whether the rows stay at the server, and every question is asked of them."""
    time_limit: int = TIME_LIMITS[COPIED]
    """How many seconds a SELECT of a server may take."""
    types: tuple[tuple[str, str], ...] = ()
    """The types that columns have, where the dataset file pins them."""
    share: float = 1.0
    """Which share of a server's rows is looked at, by lot: for drafts alone."""
    declared_in: Path | None = field(default=None, compare=False)
    """The dataset file that names the files of rows; None where they are given themselves."""

    @property
    def is_served(self) -> bool:
        """Whether the rows are a table or a view of a server."""
        return self.connection is not None

    @property
    def is_database(self) -> bool:
        """Whether it holds several tables, of which one is named."""
        return self.kind in DATABASES

    @property
    def is_frame(self) -> bool:
        """Whether the rows are handed over in Python."""
        return self.kind == FRAME

    @property
    def is_pinned(self) -> bool:
        """Whether only the file that was checked is read, as cells that span lines need it."""
        spanning = self.dialect is not None and self.dialect.quoting is Quoting.MULTILINE
        return spanning or self.digest is not None

    @property
    def called(self) -> str:
        """What messages call it."""
        if self.is_frame:
            return "the frame"
        if self.is_served:
            return f"table {show(self.table)}"
        return " and ".join(map(show, self.patterns)) if self.patterns else show(self.path.name)

    @property
    def named_by(self) -> str:
        """What stands behind the name of a file that is not there: who names it."""
        if self.declared_in is None:
            return ""
        key = "files" if self.patterns else "path"
        return f"; {key} in [source] of {show(self.declared_in.name)} names it"

    @property
    def stem(self) -> str:
        """Its name without the endings, as questions may call the table; none for many files."""
        if self.is_served:
            return (self.table or "").rpartition(".")[2]
        bare = self.path.name
        if self.path.suffix.lower() in COMPRESSIONS:
            bare = self.path.stem
        return "" if self.patterns else Path(bare).stem

    @property
    def files(self) -> tuple[Path, ...]:
        """The files that there are, in the order of their names; none of a frame or a server."""
        if self.is_frame or self.is_served:
            return ()
        if not self.patterns:
            return (self.path,)
        files = [file for pattern in self.patterns for file in self._matching(pattern)]
        return tuple(dict.fromkeys(files))

    def told_by_folders(self, file: Path) -> dict[str, str]:
        """What the names of folders say of all rows of a file; raises if they do not say it."""
        parts = (part.partition("=") for part in file.parts[:-1])
        values = {name: unquote(value) for name, sign, value in parts if sign}
        for name in self.partitions:
            if name not in values:
                raise DatasetError(
                    f"partitions names {show(name)}, but {show(file.name)} is not in a folder "
                    f"{show(name + '=…')}; leave it out, or move the file"
                )
        return {name: values[name].replace(_NO_VALUE, "") for name in self.partitions}

    def _matching(self, pattern: str) -> list[Path]:
        if (self.path / pattern).is_file():
            return [self.path / pattern]
        named = sorted(glob.glob(pattern, root_dir=self.path, recursive=True))
        files = [self.path / name for name in named if (self.path / name).is_file()]
        if not files:
            raise DatasetError(
                f"there is no file {show(pattern)}: nothing matches it{self.named_by}"
            )
        return files


def kind_of_name(name: str) -> str | None:
    """What a file is, by its name; None where that does not say it.

    >>> kind_of_name("visits.csv.gz")
    'csv'
    """
    path = PurePosixPath(name.lower())
    if path.suffix not in COMPRESSIONS:
        return KINDS.get(path.suffix)
    kind = KINDS.get(PurePosixPath(path.stem).suffix)
    return kind if kind in TEXTS else None


def declared_source(
    section: Mapping[str, Any], file: Path, frame: object, note: Callable[[str, str], None]
) -> Source | None:
    """What the section [source] of a file says; `note` is told of each key to correct."""
    if section.get("kind") == FRAME or frame is not None:
        if set(section) <= {"kind", "version"} and section.get("kind") == FRAME:
            return Source(path=file, kind=FRAME, frame=frame)
        advice = f'say kind = "{FRAME}", and nothing else but a version'
        note("", f"the rows are those of a frame: in [source] {advice}")
        return None
    if section.get("kind") in SERVED:
        return _served(section, file, note)
    path, files = section.get("path"), section.get("files")
    if (path is None) == (files is None) or not (files or (isinstance(path, str) and path)):
        note("path", 'say where the rows are: path = "table.csv", or files = "visits/*.csv"')
        return None
    named: Any = [path] if files is None else [files] if isinstance(files, str) else files
    if not _are_texts(named):
        note("files", 'files are named as ["2023.csv", "2024/*.csv"]')
        return None
    return _files(named, section, file, note)


def _served(
    section: Mapping[str, Any], file: Path, note: Callable[[str, str], None]
) -> Source | None:
    """A table or a view of a server."""
    kind = str(section["kind"])
    connection = declared_connection(section, file.resolve().parent, note, kind)
    ways = SERVED[kind]
    table, rows, types = (
        section.get("table"),
        section.get("rows", ways[0]),
        section.get("types", {}),
    )
    limit = section.get("time_limit", TIME_LIMITS.get(rows, 0) if isinstance(rows, str) else 0)
    wrong = {
        key: f"{key} is only for files, and the rows are on a server; leave it out"
        for key in section
        if key not in (*SERVED_KEYS, "kind", "table", "version", "url")
    }
    if rows not in ways:
        known = " or ".join(f'"{way}"' for way in ways)
        wrong["rows"] = f"rows of {kind} must be {known}, got {show(rows)}"
    elif type(limit) is not int or not 0 < limit <= _LONGEST:
        wrong["time_limit"] = (
            f"time_limit must be in seconds, from 1 to {_LONGEST}, got {show(limit)}"
        )
    if not _are_types(types):
        wrong["types"] = _TYPES_WANTED
    parts = table.split(".") if isinstance(table, str) else []
    if not parts or not all(parts) or len(parts) > (2 if kind == POSTGRESQL else 3):
        wrong["table"] = 'name the table or the view with its schema: table = "research.stays"'
    for key, problem in wrong.items():
        note(key, problem)
    if connection is None or wrong:
        return None
    return Source(
        path=file,
        kind=kind,
        table=table,
        connection=connection,
        asked=rows == ASKED,
        time_limit=limit,
        types=tuple(sorted(types.items())),
    )


def _files(
    named: list[str], section: Mapping[str, Any], file: Path, note: Callable[[str, str], None]
) -> Source | None:
    many = "files" in section
    key = "files" if many else "path"
    kinds = {section.get("kind") or kind_of_name(one) for one in named}
    kind = kinds.pop() if len(kinds) == 1 else None
    if kind not in set(KINDS.values()):
        known = ", ".join(sorted(set(KINDS.values())))
        note(key, f"cannot tell what {show(named[0])} is; add kind = one of {known}")
        return None
    if many and kind not in MANY:
        note(key, f"rows can be read from many files only of kind {', '.join(MANY)}, not {kind}")
        return None
    inside = INSIDE.get(kind, "table")
    table = section.get(inside)
    if kind in INSIDE and (not isinstance(table, str) or not table):
        called = "a workbook" if kind == EXCEL else f"a {kind} file"
        note(inside, f'{called} needs {inside} = "its {inside}"')
        return None
    partitions = section.get("partitions", [])
    if not _are_texts(partitions) or (partitions and not many):
        note("partitions", 'partitions are the columns that folders tell, with files = "…/*.csv"')
        return None
    types = section.get("types", {})
    if not _are_types(types) or (types and kind not in TYPED):
        refusal = (
            f"types are only for servers and for files of kind {' or '.join(TYPED)}; leave it out"
        )
        note("types", _TYPES_WANTED if kind in TYPED else refusal)
        return None
    folder = file.resolve().parent
    return Source(
        declared_in=file,
        path=folder if many else folder / named[0],
        kind=kind,
        table=table,
        patterns=tuple(named) if many else (),
        partitions=tuple(partitions),
        types=tuple(sorted(types.items())),
    )


_TYPES_WANTED = 'types must be written as types = { age = "integer" }, as in a draft'


def _are_types(given: object) -> bool:
    return isinstance(given, dict) and all(isinstance(one, str) and one for one in given.values())


def _are_texts(given: object) -> bool:
    return isinstance(given, list) and all(isinstance(one, str) and one for one in given)
