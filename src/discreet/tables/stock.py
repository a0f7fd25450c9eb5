"""How well the cells of a source fit what is declared: for the custodian, who may see rows."""

from contextlib import closing
from dataclasses import dataclass

import duckdb
from sqlglot import exp

from discreet.tables import sources
from discreet.tables.cleaning import is_missing, is_outside
from discreet.tables.facts import Dataset, NumberColumn


@dataclass(frozen=True)
class Stock:
    """Of one column: cells that go to its place for gaps, and numbers that are clamped."""

    column: str
    missing: int
    """Gaps, words that are not declared, what is no number."""
    clamped: int


def take_stock(dataset: Dataset) -> list[Stock]:
    """Count, in every declared column, the cells that are not as declared."""
    counts: list[exp.Expr] = []
    for column in dataset.columns:
        outside = is_outside(column) if isinstance(column, NumberColumn) else exp.false()
        counts += [exp.CountIf(this=is_missing(column)), exp.CountIf(this=outside)]
    select = exp.select(*counts).from_(sources.RAW).sql(dialect="duckdb")
    try:
        with closing(duckdb.connect(":memory:")) as connection:
            sources.load(connection, dataset.source, [column.name for column in dataset.columns])
            found = [int(cell or 0) for cell in connection.execute(select).fetchall()[0]]
    except duckdb.Error:
        raise sources.cannot_read(dataset.source) from None
    return [
        Stock(column.name, found[2 * place], found[2 * place + 1])
        for place, column in enumerate(dataset.columns)
    ]
