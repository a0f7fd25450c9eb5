"""Reading a dataset file (docs/reference/dataset-file.md): all problems are found, with lines."""

import os
import tomllib
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from discreet.budget import AnchorCommand, AnchorFile, AnchorUrl, SecondAnchor, analyst_name
from discreet.errors import DatasetError, InvalidInput
from discreet.exact import Epsilon, rational, show
from discreet.model import ONE_RECORD, Grid, Labels, Relation
from discreet.tables.dialect import DIALECTS, READERS, Dialect
from discreet.tables.facts import (
    DATABASES,
    OTHER,
    Budget,
    CategoryColumn,
    Column,
    ColumnType,
    Dataset,
    NumberColumn,
    PrivacyUnit,
    Source,
)
from discreet.tables.key import is_digest
from discreet.tables.problems import Problem, Problems

MOST_ROWS = 100_000_000
KINDS = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".parquet": "parquet",
    ".sqlite": "sqlite",
    ".db": "sqlite",
    ".duckdb": "duckdb",
}
_SECTIONS: dict[str, tuple[str, ...]] = {
    "": ("name", "confirmed", "source", "privacy", "budget", "ledger", "columns"),
    "source": ("path", "kind", "table", *READERS, "digest"),
    "privacy": ("unit", "most_rows_per_unit", "neighbours", "size", "size_at_most"),
    "budget": ("total", "analysts"),
    "ledger": ("anchor", "anchor_command", "anchor_url"),
}
_COLUMN_KEYS = {
    ColumnType.INTEGER: ("type", "low", "high", "step", "gaps", "missing"),
    ColumnType.NUMBER: ("type", "low", "high", "step", "gaps", "missing"),
    ColumnType.CATEGORY: ("type", "values", "gaps", "missing"),
    ColumnType.BOOLEAN: ("type", "gaps", "missing"),
}
_NUMBERS = (ColumnType.INTEGER, ColumnType.NUMBER)
_BLANKS = "".join(map(chr, (0x20, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x202F, 0x205F, 0x3000)))
"""What the trimming of cells takes away: the space separators of Unicode."""
_Read = TypeVar("_Read")


def read_dataset(path: str | os.PathLike[str]) -> Dataset:
    """Read a dataset file, or raise a DatasetError that names the first line to mend."""
    dataset, problems = examine_dataset(path)
    if dataset is None:
        listed = Problems("", list(problems))
        listed.raise_first(Path(path).name)
    assert dataset is not None
    return dataset


def examine_dataset(path: str | os.PathLike[str]) -> tuple[Dataset | None, tuple[Problem, ...]]:
    """Read a dataset file and list everything wrong with it; the file is None if anything is."""
    file = Path(path)
    if file.suffix.lower() in KINDS:
        raise DatasetError(
            f"{show(file.name)} is a table; give the dataset file that describes it, such as "
            f"{show(file.with_suffix('.toml').name)}"
        )
    try:
        text = file.read_text(encoding="utf-8")
    except OSError as problem:
        raise DatasetError(f"cannot read {show(str(path))}: {problem.strerror}") from None
    except UnicodeDecodeError:
        raise DatasetError(f"{show(str(path))} is not a text file in UTF-8") from None
    except ValueError:
        raise DatasetError(f"no file can be called {show(str(path))}; give its path") from None
    try:
        data = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as problem:
        return None, (Problem(0, f"not a TOML file: {problem}"),)
    reader = _Reader(data, Problems(text), file.resolve().parent)
    dataset = reader.dataset()
    if dataset is not None and file.is_symlink():
        reader.refuse_two_sources(dataset.source, file)
    return (None if reader.problems.found else dataset), tuple(
        sorted(reader.problems.found, key=lambda problem: problem.line)
    )


class _Reader:
    """Walks the parsed file and notes problems instead of stopping at the first."""

    def __init__(self, data: dict[str, Any], problems: Problems, folder: Path) -> None:
        self.data, self.problems, self.folder = data, problems, folder

    def dataset(self) -> Dataset | None:
        self._unknown("", self.data, _SECTIONS[""])
        source, columns = self._source(), self._columns()
        unit, relation, most_rows, public = self._privacy()
        budget, anchor = self._budget(), self._second_anchor()
        name = self.data.get("name", "")
        if not isinstance(name, str) or not name.strip():
            self.problems.add("", "name", 'give the dataset a name: name = "clinic survey"')
        confirmed = self.data.get("confirmed", False)
        if not isinstance(confirmed, bool):
            self.problems.add("", "confirmed", "confirmed must be true or false")
        if self.problems.found or source is None or budget is None:
            return None
        return Dataset(
            name=name,
            columns=columns,
            unit=unit,
            relation=relation,
            most_rows=most_rows,
            size_is_public=public,
            source=source,
            budget=budget,
            confirmed=confirmed,
            second_anchor=anchor,
        )

    def _section(self, name: str) -> dict[str, Any]:
        section = self.data.get(name)
        if not isinstance(section, dict):
            self.problems.add("", "", f"the file needs a section [{name}]")
            return {}
        if name in _SECTIONS:
            self._unknown(name, section, _SECTIONS[name])
        return section

    def _unknown(self, section: str, given: dict[str, Any], known: tuple[str, ...]) -> None:
        for key, value in given.items():
            if key not in known:
                where = f"in [{section}]" if section else "at the top"
                place = (key, "") if isinstance(value, dict) else (section, key)
                self.problems.add(
                    *place, f"unknown key {show(key)} {where}; there are {', '.join(known)}"
                )

    def _try(self, section: str, key: str, read: Callable[[], _Read]) -> _Read | None:
        try:
            return read()
        except InvalidInput as problem:
            self.problems.add(section, key, f"{key}: {problem}" if key else str(problem))
            return None

    def _source(self) -> Source | None:
        section = self._section("source")
        path, table = section.get("path"), section.get("table")
        if not isinstance(path, str) or not path:
            self.problems.add("source", "path", 'say where the rows are: path = "table.csv"')
            return None
        kind = section.get("kind") or KINDS.get(Path(path).suffix.lower())
        if kind not in set(KINDS.values()):
            known = ", ".join(sorted(set(KINDS.values())))
            self.problems.add(
                "source", "path", f"cannot tell what {show(path)} is; add kind = one of {known}"
            )
            return None
        if kind in DATABASES and (not isinstance(table, str) or not table):
            self.problems.add("source", "table", f'a {kind} file needs table = "its table"')
            return None
        return Source(
            path=self.folder / path,
            kind=kind,
            table=table,
            dialect=self._dialect(kind, section),
            digest=section.get("digest"),
        )

    def _dialect(self, kind: str, section: dict[str, Any]) -> Dialect | None:
        said = [key for key in (*READERS, "digest") if key in section]
        if kind not in DIALECTS:
            for key in said:
                self.problems.add("source", key, f"{key} is for csv and tsv files; leave it out")
            return None
        if "digest" in said and not is_digest(section["digest"]):
            self.problems.add(
                "source", "digest", "digest: copy the line that a check of this file tells"
            )
        read: dict[str, Any] = {
            key: self._try("source", key, partial(reader, section[key]))
            for key, reader in READERS.items()
            if key in section
        }
        return replace(DIALECTS[kind], **read)

    def refuse_two_sources(self, source: Source, link: Path) -> None:
        """A link is the file it leads to; rows beside the link itself would be passed over."""
        beside = link.parent / str(self.data["source"]["path"])
        if beside.is_file() and not (source.path.is_file() and beside.samefile(source.path)):
            self.problems.add(
                "source", "path",
                f"{link.name} is a link, and paths are read from where it leads; but there is a "
                f"{show(beside.name)} beside the link too: make it a file of its own",
            )  # fmt: skip

    def _privacy(self) -> tuple[PrivacyUnit, Relation, int, bool]:
        section = self._section("privacy")
        unit = section.get("unit", "row")
        most = section.get("most_rows_per_unit", 1)
        if not isinstance(unit, str) or not unit:
            self.problems.add("privacy", "unit", 'unit must be "row" or the name of an id column')
        if not _whole(most) or not 1 <= most <= 1000:
            self.problems.add(
                "privacy", "most_rows_per_unit", "most_rows_per_unit must be 1 to 1000"
            )
        relation = self._relation(section)
        size, bound = section.get("size"), section.get("size_at_most")
        if (size is None) == (bound is None):
            self.problems.add(
                "privacy", "size",
                "say either size (the number of rows, if it is public) or size_at_most (a bound)",
            )  # fmt: skip
        if size is not None and relation == Relation.ADD_OR_REMOVE:
            self.problems.add(
                "privacy", "size",
                f'with neighbours = "{relation}" the size is private: use size_at_most',
            )  # fmt: skip
        if size is not None and unit != "row":
            self.problems.add(
                "privacy", "size",
                "one person's change may change the number of rows: use size_at_most",
            )  # fmt: skip
        rows = size if size is not None else bound
        if rows is not None and (not _whole(rows) or not 1 <= rows <= MOST_ROWS):
            key = "size" if size is not None else "size_at_most"
            self.problems.add("privacy", key, f"{key} must be 1 to {MOST_ROWS:,}")
            rows = 1
        person = PrivacyUnit(None if unit == "row" else str(unit), most if _whole(most) else 1)
        return person, relation, rows or 1, size is not None

    def _relation(self, section: dict[str, Any]) -> Relation:
        given = section.get("neighbours", Relation.CHANGE)
        try:
            return Relation.of(given, ONE_RECORD)
        except InvalidInput as problem:
            self.problems.add("privacy", "neighbours", str(problem))
            return Relation.CHANGE

    def _budget(self) -> Budget | None:
        section = self._section("budget")
        if not isinstance(self.data.get("budget"), dict):
            return None
        if "total" not in section:
            self.problems.add("budget", "total", 'say the whole budget: total = "3"')
            return None
        total = self._try("budget", "total", lambda: Epsilon.of(section["total"]))
        analysts = section.get("analysts", {})
        if not isinstance(analysts, dict):
            self.problems.add("budget", "analysts", 'analysts are written as ana = "1"')
            analysts = {}
        shares = []
        for name, share in analysts.items():
            known = self._try("budget.analysts", name, partial(analyst_name, name))
            epsilon = self._try("budget.analysts", name, partial(Epsilon.of, share))
            if known is not None and epsilon is not None:
                shares.append((name, epsilon))
        return None if total is None else Budget(total, tuple(shares))

    def _second_anchor(self) -> SecondAnchor | None:
        section = self._section("ledger") if "ledger" in self.data else {}
        if len(section) > 1:
            self.problems.add("ledger", "", "give one anchor: a file, a command or an address")
        for key, given in section.items():
            if not isinstance(given, str) or not given.strip():
                self.problems.add("ledger", key, f'{key} is written as {key} = "…"')
            elif key == "anchor":
                return AnchorFile((self.folder / given).resolve())
            elif key == "anchor_command":
                return self._try("ledger", key, partial(AnchorCommand.of, given))
            elif key == "anchor_url":
                return self._try("ledger", key, partial(AnchorUrl.of, given))
        return None

    def _columns(self) -> tuple[Column, ...]:
        section = self._section("columns")
        read = [self._column(name, facts) for name, facts in section.items()]
        names = [name.lower() for name in section]
        for name in section:
            if names.count(name.lower()) > 1:
                self.problems.add(f"columns.{name}", "", f"two columns are called {show(name)}")
        if self.data.get("columns") == {}:
            self.problems.add("columns", "", "declare at least one column: [columns.age]")
        return tuple(column for column in read if column is not None)

    def _column(self, name: str, facts: Any) -> Column | None:
        section = f"columns.{name}"
        given = facts.get("type") if isinstance(facts, dict) else None
        kind = ColumnType.read(given)
        if kind is None:
            self.problems.add(
                section, "type", f"{name}: type must be {ColumnType.listed()}, got {show(given)}"
            )
            return None
        self._unknown(section, facts, _COLUMN_KEYS[kind])
        return self._try(section, "", lambda: column_of(name, facts))


def column_of(name: str, facts: dict[str, Any]) -> Column:
    """A declared column from its keys, the type being a known one; errors name the column."""
    kind = ColumnType.read(facts["type"])
    assert kind is not None
    make = _number_column if kind in _NUMBERS else _category_column
    try:
        return make(name, kind, facts)
    except InvalidInput as problem:
        raise DatasetError(f"{name}: {problem}") from None


def _number_column(name: str, kind: ColumnType, facts: dict[str, Any]) -> Column:
    for key in ("low", "high"):
        if key not in facts:
            raise DatasetError(f"{key} is required: a bound that is public knowledge")
    if kind == ColumnType.NUMBER and "step" not in facts:
        raise DatasetError("step is required, for example step = 0.5: values lie on that grid")
    for key in ("low", "high", "step"):
        rational(facts.get(key, 1), key, DatasetError)
    grid = Grid.between(facts["low"], facts["high"], facts.get("step", 1))
    whole = grid.start.denominator == 1 and grid.step.denominator == 1
    if kind == ColumnType.INTEGER and not whole:
        raise DatasetError(f'an integer column has whole bounds; use type = "{ColumnType.NUMBER}"')
    place = None
    if "missing" in facts:
        place = rational(facts["missing"], "missing", DatasetError)
        if not grid.start <= place <= grid.last or (place - grid.start) % grid.step:
            apart = f" in steps of {show(facts['step'])}" if grid.step != 1 else ""
            raise DatasetError(
                f"missing must be one of the numbers from {show(facts['low'])} to "
                f"{show(facts['high'])}{apart}, got {show(facts['missing'])}"
            )
    complete = _is_complete(facts, show(facts["low"]))
    return NumberColumn(name, grid, place, whole=whole, complete=complete)


def _category_column(name: str, kind: ColumnType, facts: dict[str, Any]) -> Column:
    boolean = kind == ColumnType.BOOLEAN
    values, missing = (["false", "true"] if boolean else facts.get("values")), None
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise DatasetError('list its values as words: values = ["A", "B"]')
    if "missing" in facts:
        missing = str(facts["missing"]).lower() if boolean else facts["missing"]
        if not isinstance(missing, str) or not missing:
            raise DatasetError(f"missing must be a word, got {show(missing)}")
    last = missing if missing is not None or boolean else OTHER
    if last is not None and last not in values:
        values = [*values, last]
    for value in values:
        _check_blanks(value)
    try:
        labels = Labels.of(values)
    except InvalidInput as problem:
        raise DatasetError(f"values: {problem}") from None
    complete = _is_complete(facts, "false" if boolean else "a word")
    return CategoryColumn(name, labels, missing, is_boolean=boolean, complete=complete)


def _is_complete(facts: dict[str, Any], example: str) -> bool:
    """Whether a column is declared without gaps; it says what one would count as all the same."""
    gaps = facts.get("gaps", True)
    if not isinstance(gaps, bool):
        raise DatasetError(f"gaps must be true or false, got {show(gaps)}")
    if not gaps and "missing" not in facts:
        raise DatasetError(
            "gaps = false needs missing = …, what an empty cell counts as should there be one, "
            f"for example {example}"
        )
    return not gaps


def _check_blanks(value: str) -> None:
    """Refuse a word that no cell can be: cells are read without the blanks around them."""
    bare = value.strip(_BLANKS)
    if not bare:
        raise DatasetError(
            f"values: an empty cell is a gap, which needs no word; leave out {show(value)}"
        )
    if bare != value:
        raise DatasetError(
            f"values: cells are read without the blanks around them, so none is {show(value)}; "
            f"write {show(bare)}"
        )


def _whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
