"""`discreet check`: everything wrong with a dataset file, line by line; for the custodian."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from discreet.cli.parsing import options
from discreet.cli.program import app

if TYPE_CHECKING:
    from pathlib import Path

    from discreet.curator import BudgetDifference
    from discreet.tables import Column, Dataset, FileProblem, Key, Table


@app.command(epilog=options.examples("discreet check survey.toml"))
def check(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A dataset file.")],
    json: options.Json = False,
) -> None:
    """Explain a dataset file: what is wrong with it, or what it says."""
    from pathlib import Path

    from discreet.cli.failures import UNUSABLE
    from discreet.cli.rendering import description as describe
    from discreet.cli.rendering.terminal import console, say, say_json
    from discreet.tables import examine_dataset

    dataset, problems = examine_dataset(file)
    facts: dict[str, Any] = {"confirmed": None, "rows": None, "columns": None, "notes": []}
    if dataset is not None:
        seen = _look_at_rows(dataset, Path(file))
        problems, facts = seen.problems, _facts(dataset, Path(file), seen)
    usable = not problems
    if json:
        listed = [{"line": problem.line, "text": problem.text} for problem in problems]
        say_json({"file": file, "usable": usable, "problems": listed, **facts})
    elif dataset is None or problems:
        from rich.padding import Padding

        many = f"{len(problems)} problem{'s' if len(problems) > 1 else ''}"
        lines = [Padding(str(problem), (0, 0, 0, 2)) for problem in problems]
        say(console(), f"{file}: {many}", "", *lines)
    else:
        say(console(), describe.facts_table(_rows(dataset, facts)))
    if not usable:
        raise typer.Exit(UNUSABLE)


@dataclass(frozen=True, kw_only=True)
class _RowsSeen:
    """What is wrong with the rows; how many there are, if nothing is; what changed in them."""

    problems: "tuple[FileProblem, ...]" = ()
    rows: int | None = None
    changes: tuple[str, ...] = ()


def _look_at_rows(dataset: "Dataset", file: "Path") -> _RowsSeen:
    from dataclasses import replace

    from discreet.curator import check_first_types
    from discreet.errors import DatasetError, LedgerError
    from discreet.tables import FileProblem, open_table, pinning
    from discreet.tables.readers.text_files import check_encoding

    try:
        check_encoding(dataset.source)
        key = _pinning_key(dataset, file)
        if key is not None and (message := pinning(dataset.source, key)):
            return _RowsSeen(
                problems=(FileProblem(0, f"{message}; this line is for the custodian"),)
            )
        with open_table(replace(dataset, size_is_public=False), key) as table:
            changes = check_first_types(dataset, file, table.types)
            rows = _rows_in(table)
    except (DatasetError, LedgerError) as problem:
        return _RowsSeen(problems=(FileProblem(0, str(problem)),))
    if dataset.size_is_public and rows != dataset.most_rows:
        message = (
            f"size = {dataset.most_rows} in [privacy], but the table has {rows:,} rows: correct "
            "size, or declare size_at_most; this line is for the custodian"
        )
        notes = (FileProblem(0, note) for note in _line_notes(dataset))
        return _RowsSeen(problems=(FileProblem(0, message), *notes))
    return _RowsSeen(rows=rows, changes=changes)


def _pinning_key(dataset: "Dataset", file: "Path") -> "Key | None":
    from discreet.curator import open_key

    return open_key(dataset, file) if dataset.source.is_pinned else None


def _facts(dataset: "Dataset", file: "Path", seen: _RowsSeen) -> dict[str, Any]:
    """What a file says, and what the custodian should know of its rows, where they can be read."""
    from discreet.curator import notices
    from discreet.curator.custodian import crowded_notes
    from discreet.tables.remarks import loose_notes, stock_notes

    notes, rows = list[str](), seen.rows
    if not dataset.confirmed:
        notes.append("confirmed is false: nothing is answered until the custodian sets it to true")
    if rows is not None and dataset.unit.id_column is not None:
        dropped = _all_rows(dataset, _pinning_key(dataset, file)) - rows
        column = dataset.unit.one_row_per
        also = "leaves" if column is None else f'and one_row_per = "{column}" leave'
        notes.append(
            f"most_rows_per_unit = {dataset.unit.most_rows} {also} out {dropped:,} of "
            f"{rows + dropped:,} rows; this line is for the custodian"
        )
    if rows is not None and rows > dataset.most_rows:
        notes.append(
            f"the table has {rows:,} rows, more than size_at_most = {dataset.most_rows:,}: counts "
            "will never exceed the bound"
        )
    if rows is not None and dataset.source.asked:
        notes.append('rows = "asked": the cells stay at the server and were not looked at')
    elif rows is not None:
        notes += [*_line_notes(dataset), *stock_notes(dataset), *loose_notes(dataset)]
    notes += [f"{change}; this line is for the custodian" for change in seen.changes]
    notes += crowded_notes(dataset)
    notes += [*_budget_notes(dataset, file), *notices(dataset, file)]
    names = [column.name for column in dataset.columns]
    return {"confirmed": dataset.confirmed, "rows": rows, "columns": names, "notes": notes}


def _source_line(dataset: "Dataset") -> str:
    source = dataset.source
    if source.connection is not None:
        return f"{source.table} ({source.kind}, {source.connection})"
    return f"{source.path.name} ({source.kind})"


def _line_notes(dataset: "Dataset") -> list[str]:
    """Lines of a text file that are written oddly: each is a row all the same."""
    from discreet.tables import odd_lines

    return [f"{line}; this line is for the custodian" for line in odd_lines(dataset.source)]


def _rows_in(table: "Table") -> int:
    from sqlglot import exp

    from discreet.tables import TABLE

    return table.rows(exp.select(exp.Count(this=exp.Star())).from_(TABLE))[0][0]


def _all_rows(dataset: "Dataset", key: "Key | None") -> int:
    """How many rows there are, whoever's they are: a server counts its own."""
    from dataclasses import replace

    from discreet.connection import POSTGRESQL
    from discreet.tables import PrivacyUnit, open_table
    from discreet.tables.readers.postgresql import row_count

    if dataset.source.kind == POSTGRESQL:
        return row_count(dataset.source)
    bare = replace(dataset, unit=PrivacyUnit(), size_is_public=False)
    with open_table(bare, key) as table:
        return _rows_in(table)


def _budget_notes(dataset: "Dataset", file: "Path") -> list[str]:
    from discreet.cli.failures import message_of
    from discreet.curator import differing_budgets, has_ledger, reopen_ledger
    from discreet.errors import LedgerError

    notes: list[str] = []
    if not has_ledger(dataset, file):
        return notes
    try:
        with reopen_ledger(dataset, file) as ledger:
            notes += [_budget_note(one) for one in differing_budgets(dataset, ledger)]
            ledger.check_premises()
    except LedgerError as problem:
        notes.append(message_of(problem))
    return notes


def _budget_note(one: "BudgetDifference") -> str:
    from discreet.text import Amount

    whose = f"{one.analyst}'s budget" if one.analyst else "the total budget"
    there = "no limit" if one.allowed is None else str(Amount(one.allowed))
    option = f"--analyst {one.analyst} " if one.analyst else ""
    return (
        f"{whose} is {one.declared} in the file, but {there} in the ledger, which counts; "
        f"`discreet ledger budget FILE {option}--epsilon {one.declared}` applies the file's"
    )


def _values_line(column: "Column") -> str:
    from discreet.cli.rendering.description import space_line
    from discreet.tables import DateColumn, NumberColumn

    description = f"; {column.description}" if column.description else ""
    if isinstance(column, DateColumn):
        first, last = column.text(column.grid.start), column.text(column.grid.last)
        return f"{first} … {last} ({column.size:,}){description}"
    if isinstance(column, NumberColumn):
        return f"{space_line(column.grid)}{column.unit and f' {column.unit}'}{description}"
    return f"{space_line(column.labels)}{description}"


def _rows(dataset: "Dataset", facts: dict[str, Any]) -> list[tuple[str, str]]:
    from discreet.model import Relation
    from discreet.tables.remarks import gaps_text

    unit = dataset.unit
    protected = "one row"
    if unit.id_column is not None:
        protected = f"a person ({unit.id_column}) with at most {unit.most_rows} rows"
        protected += "" if unit.one_row_per is None else f", one for each {unit.one_row_per}"
    relation = "may change" if dataset.relation == Relation.CHANGE else "may be added or removed"
    bound = "public" if dataset.size_is_public else f"at most {dataset.most_rows:,} is public"
    spaces = [
        (
            f"  {column.name}",
            f"{_values_line(column)}, "
            f"{'no gaps' if column.complete else f'gaps {gaps_text(column)}'}",
        )
        for column in dataset.columns
    ]
    spaces += [
        (
            f"  {one.name}",
            f"{_values_line(dataset.column(one.name))}, from {dataset.expression_sql(one.name)}",
        )
        for one in dataset.derivations
    ]
    shares = "".join(f", {name} {epsilon}" for name, epsilon in dataset.budget.analysts)
    return [
        ("dataset", dataset.name),
        ("source", _source_line(dataset)),
        ("rows", f"{facts['rows']:,} ({bound}); this line is for the custodian"),
        ("protected", f"{protected}, which {relation}"),
        ("budget", f"ε = {dataset.budget.total}{shares}"),
        ("columns", str(len(dataset.columns))),
        *spaces,
        ("confirmed", "✓ yes" if dataset.confirmed else "no"),
        *(("note", note) for note in facts["notes"]),
    ]
