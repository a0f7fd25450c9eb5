"""How well a source fits what is declared: for the custodian, who may see rows."""

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass

import duckdb

from discreet.tables import readers
from discreet.tables.cleaning import ColumnForm, cells_of, is_gap, is_other, is_outside
from discreet.tables.cleaning.forms import SqlCell
from discreet.tables.columns import CategoryColumn
from discreet.tables.dialect import DIALECTS, Quoting
from discreet.tables.facts import Dataset
from discreet.tables.key import Key, digest
from discreet.tables.readers.text_files import dialect_of, tally
from discreet.tables.source import Source
from discreet.text import plural

_MOST_NAMED = 3
_WORDS, _PART = "words", "part"


@dataclass(frozen=True, kw_only=True)
class Stock:
    """Of one column: cells that are not as declared."""

    column: str
    rows: int
    """How many there are, whoever's they are: a unit may keep fewer."""
    gaps: int
    """Empty cells, what is no number, what is no truth value."""
    others: int
    """Words that are not declared."""
    clamped: int
    """Numbers beyond the bounds."""
    words: tuple[str, ...] = ()
    """The most frequent words that are not declared."""


def take_stock(dataset: Dataset) -> list[Stock]:
    """Count, in every declared column, the cells that are not as declared."""
    try:
        with closing(duckdb.connect(":memory:")) as connection:
            counter = _Counter(connection, dataset)
            names = [column.name for column in dataset.columns]
            readers.load(connection, dataset.source, names, counter.take)
            return counter.found()
    except duckdb.Error:
        raise readers.cannot_read(dataset.source) from None


class _Counter:
    """Counts the cells of each part of a source as they are cleaned, whatever their types there."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, dataset: Dataset) -> None:
        self._connection, self._columns = connection, dataset.columns
        self._rows, self._totals = 0, [0] * 3 * len(dataset.columns)
        connection.execute(f"CREATE TABLE {_WORDS} (place INTEGER, word VARCHAR, many BIGINT)")

    def take(self, cells: Sequence[SqlCell], origin: str) -> None:
        """Count one part more."""
        both = zip(self._columns, cells, strict=True)
        forms = [ColumnForm.of(column, cell, place) for place, (column, cell) in enumerate(both)]
        selected = ", ".join(one.selected(cell) for one, cell in zip(forms, cells, strict=True))
        # once: what a server sends is gone when it is read
        self._connection.execute(
            f"CREATE OR REPLACE TABLE {_PART} AS SELECT {selected} FROM {origin}"
        )
        counts = ", ".join(
            f"count_if({kind})"
            for form in forms
            for kind in (is_gap(form), is_other(form), is_outside(form))
        )
        select = f"SELECT count(*), {counts} FROM {cells_of(_PART, forms)}"
        ((rows, *tallies),) = self._connection.execute(select).fetchall()
        self._rows += int(rows)
        self._totals = [
            before + int(more) for before, more in zip(self._totals, tallies, strict=True)
        ]
        for form in forms:
            if isinstance(form.column, CategoryColumn):
                self._connection.execute(
                    f"INSERT INTO {_WORDS} SELECT {form.place}, CAST({form.cell} AS VARCHAR), "
                    f"count(*) FROM {_PART} WHERE {is_other(form)} GROUP BY ALL"
                )

    def found(self) -> list[Stock]:
        """What all parts together hold."""
        totals = self._totals
        return [
            Stock(
                column=column.name,
                rows=self._rows,
                gaps=totals[3 * place],
                others=totals[3 * place + 1],
                clamped=totals[3 * place + 2],
                words=self._words(place),
            )
            for place, column in enumerate(self._columns)
        ]

    def _words(self, place: int) -> tuple[str, ...]:
        rows = self._connection.execute(
            f"SELECT word FROM {_WORDS} WHERE place = {place} GROUP BY word "
            f"ORDER BY sum(many) DESC, word LIMIT {_MOST_NAMED}"
        ).fetchall()
        return tuple(str(row[0]) for row in rows)


def pinning(source: Source, key: Key) -> str:
    """What keeps a source that is to be pinned from being read, in words; nothing when it may be.

    The same reading finds the file well-formed and makes its digest.
    """
    seal = key.seal()
    tallied = tally(source, seal)
    if dialect_of(source).quoting is Quoting.MULTILINE and not tallied.is_well_formed:
        return (
            f"of {tallied.records:,} records, {tallied.malformed:,} have quotes that are neither "
            f"around a cell nor doubled inside one, and {tallied.uneven:,} have more or fewer "
            'cells than the first: with quoting = "multiline" none may'
        )
    if digest(seal) != source.digest:
        return f'if this file is as it should be, pin it: in [source], digest = "{digest(seal)}"'
    return ""


def odd_lines(source: Source) -> list[str]:
    """How the lines of a text file are not as one writes them, in words."""
    if source.kind not in DIALECTS:
        return []
    tallied = tally(source)
    oddities = (
        (
            tallied.malformed,
            ("line has", "lines have"),
            "quotes that are neither around a cell nor doubled inside one; if cells span lines, "
            'declare quoting = "multiline"',
        ),
        (tallied.uneven, ("line has", "lines have"), "more or fewer cells than the first"),
        (
            tallied.blank,
            ("line is", "lines are"),
            "blank, and counted as rows with nothing in them",
        ),
        (
            tallied.returns,
            ("line holds", "lines hold"),
            "a carriage return, which ends no line unless line_ending says so",
        ),
    )
    return [f"{plural(times, *counted)} {rest}" for times, counted, rest in oddities if times]
