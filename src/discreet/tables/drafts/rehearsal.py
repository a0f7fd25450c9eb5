"""A rehearsal: made-up rows of the declared shape, beside a dataset file that reads them.

The rows are a function of the declared facts alone, so they tell nothing of anybody: every value is
as likely as any other, and a cell in twenty is empty where cells may be.
"""

import csv
import shutil
import tomllib
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

from discreet.tables.columns import CategoryColumn, Column, DateColumn, DateOrder
from discreet.tables.drafts.writing import quoted_text, with_key, with_section, without_section
from discreet.tables.facts import Dataset

MOST_ROWS = 20_000
"""More rows are not made up: a rehearsal is to be quick."""
_TABLE = "made-up.csv"
_ONE_IN = 20


def made_up_rows(dataset: Dataset, rows: int) -> Iterator[list[str]]:
    """The names of the columns, and so many rows; the same for the same facts.

    Args:
        dataset: The declared facts.
        rows: How many.
    """
    lot, unit = Random(1), dataset.unit
    named = [] if unit.id_column is None else [unit.id_column]
    yield [*named, *(column.name for column in dataset.columns if column.name not in named)]
    for place in range(rows):
        person = [f"person {place // unit.most_rows + 1}"] if named else []
        columns = [column for column in dataset.columns if column.name not in named]
        yield [*person, *(_cell(column, lot) for column in columns)]


def _cell(column: Column, lot: Random) -> str:
    if not column.complete and lot.randrange(_ONE_IN) == 0:
        return ""
    index = lot.randrange(column.size)
    if isinstance(column, CategoryColumn):
        spelled = column.spellings[index] if column.is_boolean else ()
        return spelled[0] if spelled else column.labels.names[index]
    text = column.text(column.grid.value(index))
    if isinstance(column, DateColumn):
        return _dated(text, column.order)
    return text.replace(",", "").replace(".", "," if column.comma else ".")


def _dated(text: str, order: DateOrder | None) -> str:
    if order is None:
        return text
    day, _, time = text.partition(" ")
    year, month, date = day.split("-")
    parts = (date, month, year) if order == DateOrder.DMY else (month, date, year)
    return f"{'/'.join(parts)} {time}".strip()


def rehearse(text: str, dataset: Dataset, beside: Path, folder: Path, name: str) -> Path:
    """Write made-up rows, and a confirmed dataset file over them, into a folder.

    Args:
        text: The dataset file that is rehearsed.
        dataset: What it declares.
        beside: The folder of that file: public lists that it names are there.
        folder: Where to write.
        name: What the rehearsal is called.
    """
    rows = min(dataset.most_rows, MOST_ROWS)
    with (folder / _TABLE).open("w", encoding="utf-8", newline="") as table:
        csv.writer(table, lineterminator="\n").writerows(made_up_rows(dataset, rows))
    for listed in _lists(tomllib.loads(text)):
        inside = not Path(listed).is_absolute() and ".." not in Path(listed).parts
        if inside and (beside / listed).is_file():
            (folder / listed).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(beside / listed, folder / listed)
    made = with_section(text, ("source",), {"path": quoted_text(_TABLE), "quoting": '"line"'})
    made = with_key(with_key(made, "confirmed", "true"), "name", quoted_text(name))
    if "ledger" in tomllib.loads(made):  # what is spent here is spent nowhere else
        made = without_section(made, ("ledger",), "a ledger of its own")
    if dataset.size_is_public and rows < dataset.most_rows:
        made = with_section(made, ("privacy",), {"size": str(rows)})
    file = folder / "rehearsal.toml"
    file.write_text(made, encoding="utf-8")
    return file


def _lists(facts: dict[str, Any]) -> Iterator[str]:
    """The public lists that a dataset file names."""
    for section, key in (("columns", "values_from"), ("lookups", "file")):
        for one in facts.get(section, {}).values():
            if key in one:
                yield str(one[key])
