"""Rows that stay where they are: one SELECT cleans and counts them there.

The cleaned table is a WITH before the question's own SELECT, of the columns that this uses. Cells
become indices by the expressions of `tables/cleaning` in the words of the engine's leaves, and at
most c rows of a person are kept by the same lottery as in a copy, so that all engines count alike.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import sqlglot
from sqlglot import exp

from discreet.errors import DatasetError
from discreet.exact import show
from discreet.tables.cleaning import ColumnForm, Leaves, cells_of, clean, is_blank, takes
from discreet.tables.cleaning.forms import Kind, SqlCell, with_columns
from discreet.tables.columns import Column, DateColumn, NumberColumn
from discreet.tables.engines.protocol import DIALECT, TABLE
from discreet.tables.engines.sifting import Sieve, sieves_of
from discreet.tables.facts import Dataset
from discreet.tables.readers.reader import UNREADABLE

_PLACE, _NOBODY = "\x1fplace", "\x1fnobody"
_MOST_SAID = 512
_UNWRITTEN = (Kind.DOUBLE, Kind.DAY, Kind.MOMENT)
"""Kinds that engines write in texts of their own."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Asking:
    """How SELECTs over the cleaned table are said to an engine that has the rows."""

    dataset: Dataset
    cells: Mapping[str, SqlCell]
    """The cells of every column that is used, as the engine's SQL."""
    origin: str
    """Where they are: the name of the table or the view, as SQL."""
    leaves: Leaves
    dialect: str
    """What sqlglot calls the engine."""
    lottery: str
    """SQL that tells the secret of the lottery."""
    _said: dict[str, str] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        for column in self.dataset.columns:
            self._check(column, self.cells[column.name])
        person = self.dataset.unit.id_column
        if person is not None:
            check_person(self.dataset, self.cells[person])

    def said(self, select: str) -> str:
        """A SELECT over the cleaned table in the engine's words; worth keeping."""
        known = self._said.get(select)
        if known is None:
            tree, sifted = self._sifted(translated(select, self.dialect))
            named = {column.name for column in tree.find_all(exp.Column)}
            cleaned = self.cleaned(named, sifted)
            known = f"WITH {TABLE} AS ({cleaned}) {tree.sql(dialect=self.dialect)}"
            if len(self._said) >= _MOST_SAID:
                self._said.clear()
            self._said[select] = known
        return known

    def cleaned(self, named: set[str], sifted: Sequence[Sieve] = ()) -> str:
        """The cleaned table as a SELECT, with the columns that are named, of rows that are left."""
        if self.dataset.unit.id_column is not None:
            return self._bounded(named)
        used = named | {one.column for one in sifted}
        columns = [one for one in self.dataset.columns if one.name in used]
        if not columns:
            return f"SELECT 0 AS {self.leaves.name(_NOBODY)} FROM {self.origin}"
        forms, selected = self._forms(columns)
        fence = self.leaves.fence if any(form.is_parsed for form in forms) else ""
        cells = f"(SELECT {', '.join(selected)} FROM {self._origin(forms)}{fence}) AS cells"
        known = {form.column.name: form for form in forms}
        conditions = [f"({one.said(known[one.column])})" for one in sifted]
        where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
        shown = self._indices([known[name] for name in known if name in named])
        shown = shown or f"0 AS {self.leaves.name(_NOBODY)}"
        return f"SELECT {shown} FROM {cells_of(cells, forms)}{where}"

    def _sifted(self, tree: exp.Select) -> tuple[exp.Select, list[Sieve]]:
        """A SELECT without the conditions that are asked of cells, and these; not where the rows of
        people are drawn, for every row of theirs takes part in that."""
        sifted: list[Sieve] = []
        if self.dataset.unit.id_column is not None:
            return tree, sifted
        left = tree.copy()
        for sieve, condition in sieves_of(left):
            column = next((one for one in self.dataset.columns if one.name == sieve.column), None)
            if column is None:
                continue
            form = ColumnForm.of(column, self.cells[column.name], 0, self.leaves)
            if sieve.said(form) is not None:
                condition.replace(exp.true())
                sifted.append(sieve)
        return left, sifted

    def _bounded(self, named: set[str]) -> str:
        """At most c rows for each person: which, all columns decide."""
        say, unit = self.leaves, self.dataset.unit
        assert unit.id_column is not None
        columns = list(self.dataset.columns)
        forms, selected = self._forms(columns)
        whose, place = say.name(self.dataset.person), say.name(_PLACE)
        selected.append(f"{say.trimmed(self.cells[unit.id_column].text)} AS {whose}")
        cells = f"(SELECT {', '.join(selected)} FROM {self._origin(forms)}{say.fence}) AS cells"
        blank, odd = is_blank(whose, say), say.contains(whose, UNREADABLE)
        staged = (
            f"SELECT {self._indices(forms)}, {whose} FROM {cells_of(cells, forms)} "
            f"WHERE NOT {blank} AND NOT {odd}{say.fence}"
        )
        names = [say.name(one.name) for one in columns]
        every = ", ".join([*names, whose])
        hashed = ", ".join([self.lottery, whose, *map(say.written, names)])
        joined = f"concat_ws(' ', {hashed})"
        order = f"ORDER BY {say.hashed(joined)}"

        def numbered(by: str, origin: str) -> str:
            lot = f"row_number() OVER (PARTITION BY {by} {order}) AS {place}"
            return f"(SELECT {every}, {lot} FROM ({origin}) AS staged) AS drawn"

        if unit.one_row_per is not None:  # these are drawn first, gaps being a value of their own
            single = numbered(f"{whose}, {say.name(unit.one_row_per)}", staged)
            staged = f"SELECT {every} FROM {single} WHERE {place} = 1"
        kept = [say.name(one.name) for one in columns if one.name in named] + [whose]
        drawn = numbered(whose, staged)
        return f"SELECT {', '.join(kept)} FROM {drawn} WHERE {place} <= {unit.most_rows}"

    def _forms(self, columns: list[Column]) -> tuple[list[ColumnForm], list[str]]:
        forms = [
            ColumnForm.of(column, self.cells[column.name], place, self.leaves)
            for place, column in enumerate(columns)
        ]
        selected = [form.selected(self.cells[form.column.name]) for form in forms]
        return forms, selected

    def _origin(self, forms: list[ColumnForm]) -> str:
        """The rows, with the places of words that are declared as they stand, looked up once."""
        known = [one.looked_up(self.cells[one.column.name]) for one in forms if one.has_bare]
        return with_columns(self.origin, known, "known")

    def _indices(self, forms: list[ColumnForm]) -> str:
        return ", ".join(f"{clean(one)} AS {self.leaves.name(one.column.name)}" for one in forms)

    def _check(self, column: Column, cell: SqlCell) -> None:
        """Refuse what engines would read each in its own way; types and bounds are public."""
        source = self.dataset.source
        if cell.kind in _UNWRITTEN and not takes(column, cell.kind):
            dated = isinstance(column, DateColumn)
            numeric = isinstance(column, NumberColumn)
            what = "dates" if dated else "numbers" if numeric else "words"
            raise DatasetError(
                f"column {show(column.name)} of {source.called} is declared as {what} but has "
                "another type; select it in a view as text, or declare the type it has"
            )
        if isinstance(column, NumberColumn):
            low, high = float(column.grid.start), float(column.grid.last)
            if high - low == float("inf"):
                raise DatasetError(
                    f"low and high of column {show(column.name)} are too far apart; narrow them"
                )


def check_person(dataset: Dataset, cell: SqlCell) -> None:
    """Refuse ids of which one may be written in several ways, as two people then."""
    if cell.kind in _UNWRITTEN or cell.by_engine:
        raise DatasetError(
            f"column {show(dataset.unit.id_column)} of {dataset.source.called} says whose row it "
            "is, but its type allows one id to be written in several ways; select it in a view "
            "as a whole number or as text"
        )


@lru_cache(maxsize=512)
def translated(select: str, dialect: str) -> exp.Select:
    """A SELECT over indices, as a tree that other engines can be told."""
    made = sqlglot.parse_one(select, read=DIALECT)
    assert isinstance(made, exp.Select)
    for kind in list(made.find_all(exp.DataType)):
        if kind.this == exp.DataType.Type.INT128:
            kind.replace(exp.DataType.build("DECIMAL(38, 0)"))
    if dialect == "postgres":  # whose sign for them divides whole numbers, as DIV does not
        for node in reversed(list(made.find_all(exp.IntDiv))):
            share = exp.Div(this=node.this, expression=node.expression, typed=True, safe=False)
            node.replace(share)
    return made
