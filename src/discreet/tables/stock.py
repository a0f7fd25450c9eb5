"""How well a source fits what is declared: for the custodian, who may see rows."""

from contextlib import closing
from dataclasses import dataclass

import duckdb
from sqlglot import exp

from discreet.tables import readers
from discreet.tables.cleaning import cells_of, is_gap, is_other, is_outside, trimmed
from discreet.tables.columns import Column, NumberColumn
from discreet.tables.dialect import DIALECTS, Quoting
from discreet.tables.facts import Dataset
from discreet.tables.key import Key, digest
from discreet.tables.readers.text_files import dialect_of, tally
from discreet.tables.source import Source
from discreet.text import plural

_MOST_NAMED = 3


@dataclass(frozen=True, kw_only=True)
class Stock:
    """Of one column: cells that are not as declared."""

    column: str
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
    counts: list[exp.Expr] = []
    for column in dataset.columns:
        other = exp.false() if isinstance(column, NumberColumn) else is_other(column)
        outside = is_outside(column) if isinstance(column, NumberColumn) else exp.false()
        counts += [exp.CountIf(this=kind) for kind in (is_gap(column), other, outside)]
    select = exp.select(*counts).from_(cells_of(readers.RAW, dataset.columns)).sql("duckdb")
    try:
        with closing(duckdb.connect(":memory:")) as connection:
            readers.load(connection, dataset.source, [column.name for column in dataset.columns])
            found = [int(cell or 0) for cell in connection.execute(select).fetchall()[0]]
            words = [_undeclared(connection, column) for column in dataset.columns]
    except duckdb.Error:
        raise readers.cannot_read(dataset.source) from None
    counted = zip(found[::3], found[1::3], found[2::3], strict=True)
    return [
        Stock(column=column.name, gaps=gaps, others=others, clamped=clamped, words=named)
        for column, (gaps, others, clamped), named in zip(
            dataset.columns, counted, words, strict=True
        )
    ]


def _undeclared(connection: duckdb.DuckDBPyConnection, column: Column) -> tuple[str, ...]:
    if isinstance(column, NumberColumn):
        return ()
    word = trimmed(exp.column(column.name, quoted=True))
    select = exp.select(word).from_(readers.RAW).where(is_other(column)).group_by(word)
    ordered = select.order_by("count(*) DESC", word).limit(_MOST_NAMED)
    rows = connection.execute(ordered.sql(dialect="duckdb")).fetchall()
    return tuple(str(row[0]) for row in rows)


def pinning(source: Source, key: Key) -> str:
    """What keeps a source that is to be pinned from being read, in words; nothing when it may be.

    The same reading finds the file well-formed and makes its digest.
    """
    seal = key.seal()
    found = tally(source, seal)
    if dialect_of(source).quoting is Quoting.MULTILINE and not found.is_well_formed:
        return (
            f"of {found.records:,} records {found.malformed:,} have quotes that are neither around "
            f"a cell nor doubled inside one, and {found.uneven:,} have more or fewer cells than "
            'the first: with quoting = "multiline" none may'
        )
    if digest(seal) != source.digest:
        return f'if this file is as it should be, pin it: in [source], digest = "{digest(seal)}"'
    return ""


def odd_lines(source: Source) -> list[str]:
    """How the lines of a text file are not as one writes them, in words."""
    if source.kind not in DIALECTS:
        return []
    found = tally(source)
    oddities = (
        (
            found.malformed,
            ("line has", "lines have"),
            "quotes that are neither around a cell nor doubled inside one; if cells span lines, "
            'declare quoting = "multiline"',
        ),
        (found.uneven, ("line has", "lines have"), "more or fewer cells than the first"),
        (found.blank, ("line is", "lines are"), "blank, and counted as rows with nothing in them"),
        (
            found.returns,
            ("line holds", "lines hold"),
            "a carriage return, which ends no line unless line_ending says so",
        ),
    )
    return [f"{plural(times, *counted)} {rest}" for times, counted, rest in oddities if times]
