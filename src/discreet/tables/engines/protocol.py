"""What every engine offers: rows that are opened, looked at in snapshots, and counted.

Rows of files, frames and copied tables are in DuckDB, in this process; others are asked where they
are. The source decides which.

An engine never hands over a row. It is given aggregate SELECTs over the cleaned table (`TABLE`), in
which every declared column is the index of a declared value, and gives back whole numbers. How it
cleans is written once, in `tables/cleaning`; the few words in which engines differ are its leaves.
docs/how-to/add-an-engine.md adds one, step by step.
"""

import importlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import AbstractContextManager
from typing import Protocol, TypeAlias

import numpy as np
import numpy.typing as npt
from sqlglot import exp

from discreet.connection import POSTGRESQL, SPARK
from discreet.errors import DatasetError
from discreet.lifetimes import Closing
from discreet.tables.columns import Column, skips_gaps
from discreet.tables.expressions import with_derived
from discreet.tables.facts import Dataset, Facts
from discreet.tables.key import Key

TABLE = "clean"
"""What questions call the rows."""
ALL_ROWS = f"SELECT COUNT(*) FROM {TABLE}"
"""How many rows there are."""
DIALECT = "duckdb"
"""In whose words SELECTs are kept; an engine that has others says them in its own."""

Columns: TypeAlias = Mapping[str, npt.NDArray[np.intp]]
"""The cleaned table: for every column, the index of each row's value."""


class Cells(Mapping[str, npt.NDArray[np.intp]]):
    """A table's columns by name; a derived one is worked out from its cells."""

    def __init__(self, stored: Columns, facts: Facts) -> None:
        self._stored, self._facts = stored, facts

    def __getitem__(self, name: str) -> npt.NDArray[np.intp]:
        cells = self._stored.get(name)
        if cells is not None:
            return cells
        derived = self._facts.derived(name)
        if derived is None:
            raise KeyError(name)
        return derived.cells(self._stored)

    def __iter__(self) -> Iterator[str]:
        return iter(self._stored)

    def __len__(self) -> int:
        return len(self._stored)


class Snapshot(Protocol):
    """The rows at one moment: all that is counted of it is counted of the same rows."""

    @property
    def columns(self) -> Columns | None:
        """The cells as arrays, where rows are at hand and declared to be few; else None."""

    @property
    def complete(self) -> frozenset[str]:
        """The columns that have no gaps."""

    def rows(self, select: exp.Select | str) -> list[tuple[int, ...]]:
        """The rows of one aggregate SELECT over the cleaned table, perhaps `rendered` before."""


class Table(Closing, ABC):
    """A dataset's rows, open in an engine, ready to be counted."""

    fixed: bool = False
    """Whether the rows cannot change while the table is open, so that counts may be kept."""

    def __init__(self, dataset: Dataset, only: Collection[str] | None = None) -> None:
        """With `only`, no more columns are read than these, where a row is a person."""
        self.dataset = dataset
        self.columns: Columns | None = None
        """The cells, where they are at hand: the declared size decides, not the size they have."""
        self.complete = frozenset(one.name for one in dataset.columns if not skips_gaps(one))
        self.wanted = _wanted(dataset, only)
        """The columns that are read."""
        self.types: dict[str, tuple[str, ...]] = {}
        """What the source calls the types of its declared columns, where they have any and no row
        has a say in them; of many files, all that there are."""
        self._names = frozenset(one.name for one in self.wanted)
        self._holds_all = self._names.issuperset(one.name for one in dataset.columns)

    def holds(self, used: Collection[str] | None) -> bool:
        """Whether these columns were read; all of them, if it is None."""
        if self._holds_all or used is None:
            return self._holds_all
        return all(base in self._names for name in used for base in self.dataset.bases(name))

    @abstractmethod
    def snapshot(self, *selects: str) -> AbstractContextManager[Snapshot]:
        """The rows as they are at one moment, for all SELECTs of a question.

        Args:
            selects: Those that will be asked, where there are several: an engine without snapshots
                of its own makes one, of what they use.

        Raises:
            DatasetError: They cannot be reached, or are no longer what they were when opened; in
                one line, without a cell or a secret.
        """

    def rows(self, select: exp.Select | str) -> list[tuple[int, ...]]:
        """The rows of one aggregate SELECT, in a snapshot of its own."""
        with self.snapshot() as seen:
            return seen.rows(select)

    @abstractmethod
    def cancel(self) -> None:
        """End what is being counted, from another thread; whoever waits is told so."""


ASKED = {POSTGRESQL: "postgresql.PostgresTable", SPARK: "spark.SparkTable"}
"""Engines that are asked where the rows are, by the kind of their source: each a class in a file of
its own, which is imported when a source asks for it."""


def open_table(
    dataset: Dataset, key: Key | None = None, *, only: Collection[str] | None = None
) -> Table:
    """A dataset's rows, in the engine that its source asks for.

    Args:
        dataset: Where the rows are, and what is declared of them.
        key: The dataset's secret; without it its lottery is drawn anew, and nothing pinned can be
            read.
        only: No more columns are read than these, where a row is a person.

    Returns:
        The rows, to be closed.

    Raises:
        DatasetError: They cannot be read as they are declared.
    """
    if dataset.source.asked:
        return _asked(dataset.source.kind)(dataset, key)
    from discreet.tables.engines.copied import CopiedTable  # noqa: PLC0415  an engine, as the others

    return CopiedTable(dataset, key, only=only)


def _asked(kind: str) -> Callable[[Dataset, Key | None], Table]:
    file, _, name = ASKED[kind].partition(".")
    made: type[Table] = getattr(importlib.import_module(f"discreet.tables.engines.{file}"), name)
    return made


def read_of(dataset: Dataset) -> list[str]:
    """The columns of a source that count: those declared, and the one that says whose row it is."""
    person = dataset.unit.id_column
    names = [one.name for one in dataset.columns]
    return [*names, person] if person is not None and person not in names else names


def _wanted(dataset: Dataset, only: Collection[str] | None) -> tuple[Column, ...]:
    """The columns that are read: which rows of a person are kept depends on all of them."""
    if only is None or dataset.unit.id_column is not None:
        return dataset.columns
    used = {base for name in only for base in dataset.bases(name)}
    return tuple(one for one in dataset.columns if one.name in used) or dataset.columns[:1]


def rendered(select: exp.Select, facts: Facts) -> str:
    """A SELECT as text, with the derived columns that it names.

    Worth keeping: it takes longer than running it.
    """
    named = dict.fromkeys(column.name for column in select.find_all(exp.Column))
    named.pop(facts.person, None)
    derived = {
        name: derivation for name in named if (derivation := facts.derived(name)) is not None
    }
    return with_derived(select, derived) if derived else select.sql(dialect=DIALECT)


def check_public_size(dataset: Dataset, seen: Snapshot) -> None:
    """A public size is the same for all neighbours, so refusing here reveals nobody."""
    if not dataset.size_is_public:
        return
    counted = seen.rows(ALL_ROWS)[0][0]
    if counted != dataset.most_rows:
        raise DatasetError(
            f"the dataset file says {dataset.most_rows:,} rows, but the table has another number; "
            "correct size in [privacy]"
        )


def whole_rows(rows: Collection[tuple[object, ...]]) -> list[tuple[int, ...]]:
    """What an engine gives back, as whole numbers; nothing is nought."""
    return [tuple(_whole(cell) for cell in row) for row in rows]


def _whole(cell: object) -> int:
    if type(cell) is int:
        return cell
    return 0 if cell is None else int(str(cell))
