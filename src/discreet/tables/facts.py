"""The public facts of a table, frozen: what may be known without looking at a single row."""

import re
from dataclasses import dataclass
from functools import cached_property

from sqlglot import exp

from discreet.budget import SecondAnchor, SharedBook
from discreet.connection import Connection
from discreet.errors import DatasetError, QuestionError
from discreet.exact import Epsilon
from discreet.model import Relation
from discreet.tables.columns import Column
from discreet.tables.expressions import (
    Cell,
    Derived,
    Expression,
    derive,
    is_condition,
    name_text,
    parsed_expression,
    text_of,
)
from discreet.tables.source import Source
from discreet.text import first_of, perhaps, show

_SIGNS = re.compile(r"[()+*/<>=]")
"""What tells an expression from a misspelt name."""
_MOST_KEPT = 1_000
"""How many derived columns are kept: they can be worked out again."""


@dataclass(frozen=True)
class PrivacyUnit:
    """Who is protected: one row, or a person who has at most `most_rows` of them.

    Rows of a person beyond the most are left out, by a rule that looks at that person alone.
    """

    id_column: str | None = None
    most_rows: int = 1
    one_row_per: str | None = None
    """A column, of each of whose values (and of its gaps) one row of a person counts at most."""


@dataclass(frozen=True)
class Budget:
    """What all questions together may cost, and single analysts' shares of it."""

    total: Epsilon
    analysts: tuple[tuple[str, Epsilon], ...] = ()


@dataclass(frozen=True)
class Derivation:
    """A column that the custodian declares as an expression of others."""

    name: str
    expression: Expression


@dataclass(frozen=True, kw_only=True)
class Facts:
    """What questions and plans are made from: public, and all of it without a row."""

    name: str
    columns: tuple[Column, ...]
    unit: PrivacyUnit
    relation: Relation
    """Neighbours: one unit's rows changed, or one unit added or removed."""
    most_rows: int
    """The number of rows when it is public, else the declared bound on it."""
    size_is_public: bool
    derivations: tuple[Derivation, ...] = ()
    """Columns that are declared as expressions of others."""

    @property
    def table_names(self) -> set[str]:
        """What the table may be called in a question, in small letters."""
        return {"data", self.name.lower()}

    @property
    def person(self) -> str:
        """What the engine calls whose row it is: a name that no column has."""
        return self._unlike("person")

    @property
    def has_people(self) -> bool:
        """Whether a person may have several rows, so that people and rows are two numbers."""
        return self.unit.id_column is not None and self.unit.most_rows > 1

    def column(self, name: str) -> Column:
        """A declared column by its name, in any case."""
        if not isinstance(name, str):
            known = first_of(self._names)
            raise DatasetError(
                f"a column must be given by its name, got {show(name)}; columns: {known}"
            )
        column = self._stored(name)
        if column is not None:
            return column
        derived = self.derived(name)
        assert derived is not None
        return derived.column

    def derived(self, name: str) -> Derived | None:
        """What a column is worked out from, by its name or as SQL; None for those of the table."""
        if self._stored(name) is not None:
            return None
        if name not in self._derived:
            self._derived[name] = self._read(name)
        return self._derived[name]

    def has(self, name: str) -> bool:
        """Whether a column is called so."""
        named = {one.name.lower() for one in (*self.columns, *self.derivations)}
        return name.lower() in named

    def derive(self, expression: Expression) -> Column:
        """The column that an expression is; QuestionError where it has no finite grid."""
        if isinstance(expression, Cell):
            return self.column(expression.column)
        name = self._unlike(text_of(expression))
        if len(self._derived) > _MOST_KEPT:
            self._derived.clear()
        if name not in self._derived:
            self._derived[name] = derive(expression, self.column, name)
        return self._derived[name].column

    def is_condition(self, expression: Expression) -> bool:
        """Whether an expression is true or false."""
        return is_condition(expression, self.column)

    def cell(self, node: exp.Column) -> Expression:
        """What a name in an expression stands for: a column, or what one is derived from."""
        stored = self._stored(node.name)
        if stored is not None:
            return Cell(stored.name)
        for one in self.derivations:
            if one.name.lower() == node.name.lower():
                return one.expression
        raise self._no_column(node.name)

    def column_sql(self, name: str) -> str:
        """A column as SQL: its name, or the expression that it is."""
        declared = {one.name for one in (*self.columns, *self.derivations)}
        return name_text(name) if name in declared else name

    def bases(self, name: str) -> set[str]:
        """The columns of the table that one is made of."""
        derived = self.derived(name)
        return {name} if derived is None else derived.bases

    @property
    def every_column(self) -> tuple[Column, ...]:
        """The columns of the table, and those that are declared as expressions of them."""
        return (*self.columns, *(self.column(one.name) for one in self.derivations))

    def expression_sql(self, name: str) -> str | None:
        """What a column is derived from, as SQL; None for those of the table."""
        derived = self.derived(name)
        return None if derived is None else text_of(derived.expression)

    @cached_property
    def _derived(self) -> dict[str, Derived]:
        """What has been derived so far: expressions are public, so this is no more than a cache."""
        return {}

    def _no_column(self, name: str) -> DatasetError:
        known = self._names
        return DatasetError(
            f"there is no column {show(name)}{perhaps(name, known)}; columns: {first_of(known)}"
        )

    @property
    def _names(self) -> list[str]:
        return [one.name for one in (*self.columns, *self.derivations)]

    def _stored(self, name: str) -> Column | None:
        lowered = name.lower()
        return next((one for one in self.columns if one.name.lower() == lowered), None)

    def _read(self, name: str) -> Derived:
        for one in self.derivations:
            if one.name.lower() == name.lower():
                return derive(one.expression, self.column, one.name)
        try:
            expression = parsed_expression(name, self.cell)
        except QuestionError:
            if _SIGNS.search(name):
                raise
            raise self._no_column(name) from None
        return derive(expression, self.column, self._unlike(text_of(expression)))

    def _unlike(self, text: str) -> str:
        """The text of an expression, in more parentheses while a column is called so."""
        while self.has(text):
            text = f"({text})"
        return text


def derivation_of(
    name: str, text: str, columns: tuple[Column, ...], before: tuple[Derivation, ...]
) -> Derivation:
    """A declared expression, read and checked."""
    expression = parsed_expression(text, _facts_of(columns, before).cell)
    return checked_derivation(name, expression, columns, before)


def checked_derivation(
    name: str,
    expression: Expression,
    columns: tuple[Column, ...],
    before: tuple[Derivation, ...],
) -> Derivation:
    """A declared expression, if it has a finite grid and a name of its own."""
    facts = _facts_of(columns, before)
    if facts.has(name):
        raise DatasetError(f"two columns have the name {show(name)}")
    derive(expression, facts.column, name)
    return Derivation(name, expression)


def _facts_of(columns: tuple[Column, ...], before: tuple[Derivation, ...]) -> Facts:
    return Facts(
        name="",
        columns=columns,
        unit=PrivacyUnit(),
        relation=Relation.CHANGE,
        most_rows=1,
        size_is_public=False,
        derivations=before,
    )


@dataclass(frozen=True, kw_only=True)
class Dataset(Facts):
    """A dataset file: the public facts, where the rows are, and what may be spent on them."""

    source: Source
    budget: Budget
    confirmed: bool
    """Whether the custodian has confirmed that every bound here is public knowledge."""
    second_anchor: SecondAnchor | None = None
    """Where else the ledger's newest entry is marked."""
    shared_book: SharedBook | None = None
    """The ledger in PostgreSQL; None where it is a file beside the dataset file."""
    shares_accounts: bool = False
    """Whether tokens and sessions are kept beside that ledger."""

    @property
    def shared_accounts(self) -> Connection | None:
        """Where in PostgreSQL the accounts are; None where they are a file."""
        return self.shared_book.connection if self.shared_book and self.shares_accounts else None

    @property
    def table_names(self) -> set[str]:
        """What the table may be called in a question, in small letters."""
        return super().table_names | ({self.source.stem.lower()} - {""})
