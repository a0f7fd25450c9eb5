"""The facts of a dataset file that its guarantee rests on, by the keys of the file.

Whom it protects and how far one of them can move an answer: unit, neighbours, size, columns, and
which rows. A title, a budget or an order of columns is none of them.
"""

from dataclasses import asdict
from pathlib import Path
from typing import Any

from discreet.budget import ANCHOR, KEY, Premises
from discreet.tables import Column, Dataset, NumberColumn, key_of


def premises_of(dataset: Dataset, ledger: Path) -> Premises:
    """What is recorded in the ledger of a dataset, and compared with it before every charge."""
    facts = {**_source(dataset, ledger), **_privacy(dataset)}
    for column in dataset.columns:
        facts |= {f"columns.{column.name}.{key}": told for key, told in _column(column).items()}
    if dataset.second_anchor is not None:
        facts[ANCHOR] = dataset.second_anchor.place
    key = key_of(dataset, ledger)
    if key is not None:
        facts[KEY] = key.fingerprint
    return Premises(facts)


def _source(dataset: Dataset, ledger: Path) -> dict[str, Any]:
    """Beside the ledger the path is relative: a folder may move with all that is in it."""
    source, folder = dataset.source, ledger.resolve().parent
    place = source.path.resolve()
    inside = place.is_relative_to(folder)
    facts = {
        "source.kind": source.kind,
        "source.path": (place.relative_to(folder) if inside else place).as_posix(),
    }
    if source.table is not None:
        facts["source.table"] = source.table
    written = asdict(source.dialect) if source.dialect is not None else {}
    return facts | {f"source.{key}": str(told) for key, told in written.items() if told is not None}


def _privacy(dataset: Dataset) -> dict[str, Any]:
    size = "size" if dataset.size_is_public else "size_at_most"
    return {
        "privacy.unit": dataset.unit.id_column or "row",
        "privacy.most_rows_per_unit": dataset.unit.most_rows,
        "privacy.neighbours": str(dataset.relation),
        f"privacy.{size}": dataset.most_rows,
    }


def _column(column: Column) -> dict[str, Any]:
    if isinstance(column, NumberColumn):
        return {
            "type": str(column.type),
            "low": str(column.grid.start),
            "high": str(column.grid.last),
            "step": str(column.grid.step),
            "missing": str(column.missing),
        }
    return {
        "type": str(column.type),
        "values": sorted(str(value) for value in column.labels.values()),
        "missing": column.missing,
    }
