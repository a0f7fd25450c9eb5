"""Total functions from whatever a row holds to the index of a declared value, as SQL.

They never raise and look at one row alone, so no row can make an answer fail or change what another
row means. The expressions are sqlglot trees; each engine renders them in its own dialect.
"""

from collections.abc import Iterable

from sqlglot import exp

from discreet.tables.columns import CategoryColumn, Column, DateColumn, NumberColumn
from discreet.tables.date_cells import steps_of, with_pieces

_THOUSANDS = "^[-+]?[0-9]{1,3}([.][0-9]{3})+(,[0-9]*)?$"
_FEW_WORDS = 32
"""So many words are compared one by one; more are looked for by halves."""
GAPS = ("", "null", "none", "na", "n/a", "nan", "-")
"""How people and programs write that a cell holds nothing, in small letters."""


def cells_of(raw: str, columns: Iterable[Column]) -> exp.Expr:
    """Where cells are cleaned from: the table as it was read, with the pieces of dates."""
    dates = [column for column in columns if isinstance(column, DateColumn)]
    return with_pieces(exp.to_table(raw), dates) if dates else exp.to_table(raw)


def clean(column: Column) -> exp.Expression:
    """The index of the declared value that a cell stands for; to be selected from `cells_of`."""
    raw = exp.column(column.name, quoted=True)
    if isinstance(column, DateColumn):
        return _moment(column)
    if isinstance(column, NumberColumn):
        return _number(raw, column)
    return _category(raw, column)


def is_gap(column: Column) -> exp.Expr:
    """Whether a cell holds nothing that could be a value: it is skipped, or goes to `missing`."""
    raw = exp.column(column.name, quoted=True)
    if isinstance(column, DateColumn):
        return exp.Is(this=steps_of(column), expression=exp.null())
    if isinstance(column, NumberColumn):
        return _unusable(_value(raw, column))
    unknown = exp.paren(_is_unknown(raw, column))
    return unknown if column.is_boolean else exp.and_(unknown, _is_blank(raw))


def is_other(column: CategoryColumn) -> exp.Expr:
    """Whether a cell holds a word that is not declared."""
    raw = exp.column(column.name, quoted=True)
    if column.is_boolean:
        return exp.false()
    return exp.and_(exp.paren(_is_unknown(raw, column)), exp.Not(this=exp.paren(_is_blank(raw))))


def _is_unknown(raw: exp.Expression, column: CategoryColumn) -> exp.Expr:
    text, spellings = _words(raw, column)
    known = exp.In(
        this=text,
        expressions=[exp.Literal.string(word) for words, _ in spellings for word in words],
    )
    return exp.Not(this=exp.func("COALESCE", known, exp.false()))


def _is_blank(raw: exp.Expression) -> exp.Expr:
    """Whether a cell says in one of the usual ways that it holds nothing."""
    told = exp.Lower(this=exp.func("COALESCE", trimmed(raw), exp.Literal.string("")))
    return exp.In(this=told, expressions=[exp.Literal.string(gap) for gap in GAPS])


def is_outside(column: NumberColumn) -> exp.Expr:
    """Whether a cell is a number, or a moment, beyond the bounds, so that it is clamped."""
    if isinstance(column, DateColumn):
        steps = steps_of(column)
        inside = exp.Between(this=steps, low=_index(0), high=_index(column.size - 1))
        return exp.func("COALESCE", exp.Not(this=inside), exp.false())
    value = _value(exp.column(column.name, quoted=True), column)
    beyond = exp.or_(
        exp.LT(this=value.copy(), expression=_double(float(column.grid.start))),
        exp.GT(this=value.copy(), expression=_double(float(column.grid.last))),
    )
    return exp.and_(exp.Not(this=exp.paren(_unusable(value))), beyond)


def _value(raw: exp.Expression, column: NumberColumn) -> exp.Expression:
    text = _with_point(trimmed(raw)) if column.comma else trimmed(raw)
    return exp.TryCast(this=text, to=exp.DataType.build("DOUBLE"))


def _with_point(text: exp.Expression) -> exp.Expression:
    """A number with a decimal comma as one with a point; points may only part thousands."""
    told = text.sql(dialect="duckdb")
    return exp.maybe_parse(
        f"CASE WHEN REGEXP_MATCHES({told}, '{_THOUSANDS}') "
        f"THEN REPLACE(REPLACE({told}, '.', ''), ',', '.') "
        f"WHEN NOT CONTAINS({told}, '.') THEN REPLACE({told}, ',', '.') END",
        dialect="duckdb",
    )


def _unusable(value: exp.Expression) -> exp.Expr:
    return exp.or_(exp.Is(this=value.copy(), expression=exp.null()), exp.IsNan(this=value.copy()))


def _number(raw: exp.Expression, column: NumberColumn) -> exp.Expression:
    value = _value(raw, column)
    steps = exp.Floor(
        this=exp.Add(
            this=exp.Div(
                this=exp.paren(exp.Sub(this=value, expression=_double(float(column.grid.start)))),
                expression=_double(float(column.grid.step)),
                typed=True,
            ),
            expression=_double(0.5),
        )
    )
    lifted = exp.Greatest(this=steps, expressions=[_double(0.0)], ignore_nulls=False)
    clamped = exp.Least(
        this=lifted, expressions=[_double(float(column.size - 1))], ignore_nulls=False
    )
    return exp.Case(
        ifs=[exp.If(this=_unusable(value), true=_index(column.gap_index))],
        default=exp.cast(clamped, "BIGINT"),
    )


def _moment(column: DateColumn) -> exp.Expression:
    steps = steps_of(column)
    lifted = exp.Greatest(this=steps.copy(), expressions=[_index(0)], ignore_nulls=False)
    clamped = exp.Least(this=lifted, expressions=[_index(column.size - 1)], ignore_nulls=False)
    return exp.Case(
        ifs=[
            exp.If(
                this=exp.Is(this=steps, expression=exp.null()),
                true=_index(column.gap_index),
            )
        ],
        default=exp.cast(clamped, "BIGINT"),
    )


def _index(place: int) -> exp.Expression:
    return exp.Literal.number(place)


def _double(number: float) -> exp.Expression:
    return exp.cast(exp.Literal.string(repr(number)), "DOUBLE")


def trimmed(raw: exp.Expression) -> exp.Expression:
    """A cell as text, without the blanks around it."""
    return exp.Trim(this=exp.cast(raw.copy(), "TEXT"))


def _words(
    raw: exp.Expression, column: CategoryColumn
) -> tuple[exp.Expression, list[tuple[tuple[str, ...], int]]]:
    """A cell as it is compared, and the spellings of every declared value."""
    text = trimmed(raw)
    if column.is_boolean:
        false, true = column.spellings
        return exp.Lower(this=text), [(false, 0), (true, 1)]
    return text, [((name,), place) for place, name in enumerate(column.labels.names)]


def _category(raw: exp.Expression, column: CategoryColumn) -> exp.Expression:
    text, spellings = _words(raw, column)
    branches = [
        exp.If(
            this=exp.In(this=text.copy(), expressions=[exp.Literal.string(word) for word in words]),
            true=_index(place),
        )
        for words, place in spellings
    ]
    rest: exp.Expression = _index(column.other_index)
    if column.other_index != column.gap_index:
        blank = exp.If(this=_is_blank(raw), true=_index(column.gap_index))
        rest = exp.Case(ifs=[blank], default=rest)
    if column.is_boolean or len(branches) <= _FEW_WORDS:
        return exp.Case(ifs=branches, default=rest)
    named = list(zip(column.labels.names, branches, strict=True))
    ordered = sorted(named, key=lambda one: one[0].encode())
    return _halved(text, ordered, rest)


def _halved(
    text: exp.Expression, ordered: list[tuple[str, exp.If]], rest: exp.Expression
) -> exp.Expression:
    """The same as one CASE for all words, in as many steps as their number can be halved."""
    if len(ordered) <= _FEW_WORDS:
        return exp.Case(ifs=[branch.copy() for _, branch in ordered], default=rest.copy())
    middle = len(ordered) // 2
    before = exp.LT(this=text.copy(), expression=exp.Literal.string(ordered[middle][0]))
    lower = exp.If(this=before, true=_halved(text, ordered[:middle], rest))
    return exp.Case(ifs=[lower], default=_halved(text, ordered[middle:], rest))
