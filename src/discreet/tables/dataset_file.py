"""Reading a dataset file (docs/reference/dataset-file.md): all problems are found, with lines."""

import os
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from discreet.budget import analyst_name
from discreet.errors import DatasetError, InvalidInput
from discreet.exact import Epsilon, show
from discreet.model import ONE_RECORD, Relation
from discreet.tables.columns import Column, ColumnType
from discreet.tables.declared import COLUMN_KEYS, WHY, check_why, column_of
from discreet.tables.dialect import READERS, declared_dialect
from discreet.tables.facts import (
    Budget,
    Dataset,
    Derivation,
    PrivacyUnit,
    derivation_of,
)
from discreet.tables.ledger_section import LEDGER_KEYS, DeclaredLedger, declared_ledger
from discreet.tables.problems import FileProblem, Problems, key_that_is_no_text
from discreet.tables.public_lists import listed_words, lookup_of
from discreet.tables.source import FRAME, SERVED_KEYS, Source, declared_source, kind_of_name

MOST_ROWS = 10**12
NAMED = {"derived": ("expression",), "lookups": ("from", "file")}
"""What may be said of each thing that is declared by name, besides columns."""
_URL = ("url", True)
_ADDRESS = (
    "an address may hold a password, so it does not belong in this file; say where it is kept: "
    'url_env = "CLINIC_URL" or url_file = "clinic.url"'
)
_SECTIONS: dict[str, tuple[str, ...]] = {
    "": (
        *("name", "confirmed", "source", "privacy", "budget", "ledger"),
        *("columns", "derived", "lookups"),
    ),
    "source": (
        *("path", "files", "partitions", "kind", "table", "sheet"),
        *READERS,
        *("digest", "version"),
        *SERVED_KEYS,
        WHY,
    ),
    "privacy": (
        "unit",
        "most_rows_per_unit",
        "one_row_per",
        "neighbours",
        "size",
        "size_at_most",
        WHY,
    ),
    "budget": ("total", "analysts", WHY),
    "ledger": LEDGER_KEYS,
}
_Read = TypeVar("_Read")


def read_dataset(path: str | os.PathLike[str], frame: object = None) -> Dataset:
    """Read a dataset file, or raise a DatasetError that names the first line to mend."""
    return _whole_or_raise(examine_dataset(path, frame), Path(path).name)


def read_facts(facts: str | Mapping[str, Any], frame: object, place: Path) -> Dataset:
    """The facts of a frame, as TOML or as a dictionary of the same keys; its ledger is at a place.

    Files that the facts name are beside the ledger.
    """
    if isinstance(facts, Mapping) and (odd := key_that_is_no_text(facts)) is not None:
        raise DatasetError(f"the keys of facts must be strings, got {show(odd)}")
    examined = _examined(facts, place, frame)
    return _whole_or_raise(examined, "the facts of the frame")


def _whole_or_raise(
    examined: tuple[Dataset | None, tuple[FileProblem, ...]], called: str
) -> Dataset:
    dataset, problems = examined
    if dataset is None:
        Problems("", list(problems)).raise_first(called)
    assert dataset is not None
    return dataset


def examine_dataset(
    path: str | os.PathLike[str], frame: object = None
) -> tuple[Dataset | None, tuple[FileProblem, ...]]:
    """Read a dataset file and list everything wrong with it; the file is None if anything is."""
    file = Path(path)
    if kind_of_name(file.name) is not None:
        raise DatasetError(
            f"{show(file.name)} is a table; give the dataset file that describes it, such as "
            f"{show(Source(path=file, kind='').stem + '.toml')}"
        )
    try:
        text = file.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise DatasetError(
            f"there is no file {show(str(path))}; give a dataset file, such as the draft that "
            "init makes of a table"
        ) from None
    except IsADirectoryError:
        raise DatasetError(f"{show(str(path))} is a folder; give the dataset file in it") from None
    except OSError as problem:
        raise DatasetError(f"cannot read {show(str(path))}: {problem.strerror}") from None
    except UnicodeDecodeError:
        raise DatasetError(f"{show(str(path))} is not a text file in UTF-8") from None
    except ValueError:
        raise DatasetError(f"{show(str(path))} cannot be the name of a file; give a path") from None
    return _examined(text, file, frame)


def examine_text(
    text: str, file: str | os.PathLike[str]
) -> tuple[Dataset | None, tuple[FileProblem, ...]]:
    """The same of a text that is to be written to a file; what it names is beside that file."""
    return _examined(text, Path(file), None)


def _examined(
    facts: str | Mapping[str, Any], file: Path, frame: object
) -> tuple[Dataset | None, tuple[FileProblem, ...]]:
    text = facts if isinstance(facts, str) else ""
    try:
        data = tomllib.loads(text) if isinstance(facts, str) else dict(facts)
    except (tomllib.TOMLDecodeError, RecursionError) as problem:
        return None, (FileProblem(0, f"not a TOML file: {problem}"),)
    reader = _Walker(data, Problems(text), file, frame)
    dataset = reader.dataset()
    if dataset is not None and file.is_symlink():
        reader.refuse_two_sources(dataset.source, file)
    return (None if reader.problems.found else dataset), tuple(
        sorted(reader.problems.found, key=lambda problem: problem.line)
    )


class _Walker:
    """Walks the parsed file and notes problems instead of stopping at the first."""

    def __init__(self, data: dict[str, Any], problems: Problems, file: Path, frame: object) -> None:
        self.data, self.problems, self.frame = data, problems, frame
        self.file, self.folder = file, file.resolve().parent

    def dataset(self) -> Dataset | None:
        self._unknown("", self.data, _SECTIONS[""])
        source, columns = self._source(), self._columns()
        unit, relation, most_rows, public = self._privacy()
        budget, ledger = self._budget(), self._ledger()
        name = self.data.get("name", "")
        if not isinstance(name, str) or not name.strip():
            self.problems.add("", "name", 'name is required, for example name = "clinic survey"')
        confirmed = self.data.get("confirmed", False)
        if not isinstance(confirmed, bool):
            self.problems.add("", "confirmed", "confirmed must be true or false")
        derivations = self._derivations(columns)
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
            second_anchor=ledger.second_anchor,
            shared_book=ledger.shared_book,
            shares_accounts=ledger.shares_accounts,
            derivations=derivations,
        )

    def _section(self, name: str) -> dict[str, Any]:
        section = self.data.get(name)
        if not isinstance(section, dict):
            self.problems.add("", "", f"the file needs a section [{name}]")
            return {}
        if name in _SECTIONS:
            self._unknown(name, section, _SECTIONS[name])
            self._try(name, WHY, partial(check_why, section))
        return section

    def _unknown(self, section: str, given: dict[str, Any], known: tuple[str, ...]) -> None:
        for key, value in given.items():
            if key not in known:
                where = f"in [{section}]" if section else "at the top"
                place = (key, "") if isinstance(value, dict) else (section, key)
                message = f"unknown key {show(key)} {where}; keys: {', '.join(known)}"
                self.problems.add(
                    *place, _ADDRESS if (key, "url_env" in known) == _URL else message
                )

    def _try(self, section: str, key: str, read: Callable[[], _Read]) -> _Read | None:
        try:
            return read()
        except InvalidInput as problem:
            self.problems.add(section, key, f"{key}: {problem}" if key else str(problem))
            return None

    def _source(self) -> Source | None:
        if self.frame is not None and "source" not in self.data:
            return Source(path=self.file, kind=FRAME, frame=self.frame)
        written = self._section("source")
        section = {key: value for key, value in written.items() if key != WHY}
        note = partial(self.problems.add, "source")
        source = declared_source(section, self.file, self.frame, note)
        version = self._version(section)
        if source is None or source.is_frame or source.is_served:
            return None if source is None else replace(source, version=version)
        dialect = declared_dialect(source.kind, section, note)
        return replace(source, dialect=dialect, digest=section.get("digest"), version=version)

    def _version(self, section: dict[str, Any]) -> str | None:
        given = section.get("version")
        if given is None or (
            isinstance(given, str) and given.isprintable() and 0 < len(given) <= 100
        ):
            return given
        self.problems.add(
            "source", "version",
            'version must be a few words in quotes, such as version = "March 2026", got '
            f"{show(given)}",
        )  # fmt: skip
        return None

    def refuse_two_sources(self, source: Source, link: Path) -> None:
        """A link is the file it leads to; rows beside the link itself would be passed over."""
        if "path" not in self.data.get("source", {}):
            return
        beside = link.parent / str(self.data["source"]["path"])
        if beside.is_file() and not (source.path.is_file() and beside.samefile(source.path)):
            self.problems.add(
                "source", "path",
                f"{link.name} is a link, and paths are read from where it leads; but there is "
                f"also a {show(beside.name)} beside the link; replace the link by a file",
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
                "set either size (the number of rows, if it is public) or size_at_most (a bound)",
            )  # fmt: skip
        if size is not None and relation == Relation.ADD_OR_REMOVE:
            self.problems.add(
                "privacy", "size",
                f'with neighbours = "{relation}" the number of rows is private; use size_at_most',
            )  # fmt: skip
        if size is not None and unit != "row":
            self.problems.add(
                "privacy", "size",
                "a change of one person may change the number of rows; use size_at_most",
            )  # fmt: skip
        rows = size if size is not None else bound
        if rows is not None and (not _whole(rows) or not 1 <= rows <= MOST_ROWS):
            key = "size" if size is not None else "size_at_most"
            self.problems.add("privacy", key, f"{key} must be 1 to {MOST_ROWS:,}")
            rows = 1
        person = PrivacyUnit(
            None if unit == "row" else str(unit),
            most if _whole(most) else 1,
            self._one_row_per(section, by_person=unit != "row"),
        )
        return person, relation, rows or 1, size is not None

    def _one_row_per(self, section: dict[str, Any], *, by_person: bool) -> str | None:
        """The column of each of whose values a person has one row, by its name as declared."""
        given = section.get("one_row_per")
        if given is None:
            return None
        declared = self.data.get("columns")
        names = list(declared) if isinstance(declared, dict) else []
        known = {name.lower(): name for name in names}
        column = known.get(given.lower()) if isinstance(given, str) else None
        if column is None:
            self.problems.add(
                "privacy", "one_row_per",
                f"one_row_per must be a column under [columns], got {show(given)}; columns: "
                f"{', '.join(names) or 'none'}",
            )  # fmt: skip
        elif not by_person:
            self.problems.add(
                "privacy", "one_row_per",
                "one_row_per needs people with several rows: set unit to their id column, or "
                "leave it out",
            )  # fmt: skip
        return column

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
            self.problems.add(
                "budget", "total", 'the total budget is required, for example total = "3"'
            )
            return None
        total = self._try("budget", "total", lambda: Epsilon.of(section["total"]))
        analysts = section.get("analysts", {})
        if not isinstance(analysts, dict):
            self.problems.add("budget", "analysts", 'analysts must be written as ana = "1"')
            analysts = {}
        shares = []
        for name, share in analysts.items():
            known = self._try("budget.analysts", name, partial(analyst_name, name))
            epsilon = self._try("budget.analysts", name, partial(Epsilon.of, share))
            if known is not None and epsilon is not None:
                shares.append((name, epsilon))
        return None if total is None else Budget(total, tuple(shares))

    def _ledger(self) -> DeclaredLedger:
        if "ledger" not in self.data:
            return DeclaredLedger()
        note = partial(self.problems.add, "ledger")
        return declared_ledger(self._section("ledger"), self.file, note)

    def _columns(self) -> tuple[Column, ...]:
        section = self._section("columns")
        read = [self._column(name, facts) for name, facts in section.items()]
        names = [name.lower() for name in section]
        for name in section:
            if names.count(name.lower()) > 1:
                self.problems.add(f"columns.{name}", "", f"two columns have the name {show(name)}")
        if self.data.get("columns") == {}:
            self.problems.add("columns", "", "declare at least one column: [columns.age]")
        return tuple(column for column in read if column is not None)

    def _derivations(self, columns: tuple[Column, ...]) -> tuple[Derivation, ...]:
        """Columns that are expressions of others; each may use those before it."""
        section = self._section("derived") if "derived" in self.data else {}
        derivations = self._lookups(columns, ())
        for name, facts in section.items():
            place = f"derived.{name}"
            text = facts.get("expression") if isinstance(facts, dict) else None
            if not isinstance(text, str) or not text.strip():
                self.problems.add(
                    place,
                    "expression",
                    f'{name}: expression is required, for example expression = "height / 100"',
                )
                continue
            self._unknown(place, facts, NAMED["derived"])
            one = self._try(
                place, "expression", partial(derivation_of, name, text, columns, derivations)
            )
            derivations += () if one is None else (one,)
        return derivations

    def _column(self, name: str, facts: Any) -> Column | None:
        section = f"columns.{name}"
        given = facts.get("type") if isinstance(facts, dict) else None
        kind = ColumnType.read(given)
        if kind is None:
            self.problems.add(
                section, "type", f"{name}: type must be {ColumnType.listed()}, got {show(given)}"
            )
            return None
        self._unknown(section, facts, COLUMN_KEYS[kind])
        if "values_from" in facts and kind == ColumnType.CATEGORY:
            listed = self._try(section, "values_from", partial(self._words_from, facts))
            if listed is None:
                return None
            facts = {**facts, "values": listed}
        return self._try(section, "", lambda: column_of(name, facts))

    def _words_from(self, facts: dict[str, Any]) -> list[str]:
        """The words of a public list."""
        if "values" in facts:
            raise DatasetError("give either values or values_from")
        return listed_words(self.folder, facts["values_from"])

    def _lookups(
        self, columns: tuple[Column, ...], before: tuple[Derivation, ...]
    ) -> tuple[Derivation, ...]:
        """Columns that a public table has for the words of another column."""
        section = self._section("lookups") if "lookups" in self.data else {}
        derivations = before
        for name, facts in section.items():
            place = f"lookups.{name}"
            if not isinstance(facts, dict):
                self.problems.add(
                    "lookups", name, f"{name}: write [lookups.{name}] with from and file"
                )
                continue
            self._unknown(place, facts, NAMED["lookups"])
            made = partial(lookup_of, name, facts, columns, derivations, self.folder)
            one = self._try(place, "", made)
            derivations += () if one is None else (one,)
        return derivations


def _whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
