"""Total functions from whatever a row holds to the index of a declared value, as SQL.

They never raise and look at one row alone, so no row can make an answer fail or change what another
row means. The expressions are sqlglot trees; each engine renders them in its own dialect.
"""

from sqlglot import exp

from discreet.tables.facts import CategoryColumn, Column, NumberColumn

_TRUE = ("true", "t", "yes", "y", "1", "1.0")
_FALSE = ("false", "f", "no", "n", "0", "0.0")
GAPS = ("", "null", "none", "na", "n/a", "nan", "-")
"""How people and programs write that a cell holds nothing, in small letters."""


def clean(column: Column) -> exp.Expression:
    """The index of the declared value that a cell stands for."""
    raw = exp.column(column.name, quoted=True)
    if isinstance(column, NumberColumn):
        return _number(raw, column)
    return _category(raw, column)


def is_gap(column: Column) -> exp.Expr:
    """Whether a cell holds nothing that could be a value: it is skipped, or goes to `missing`."""
    raw = exp.column(column.name, quoted=True)
    if isinstance(column, NumberColumn):
        return _unusable(_value(raw))
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
    """Whether a cell is a number beyond the bounds, so that it is clamped."""
    value = _value(exp.column(column.name, quoted=True))
    beyond = exp.or_(
        exp.LT(this=value.copy(), expression=_double(float(column.grid.start))),
        exp.GT(this=value.copy(), expression=_double(float(column.grid.last))),
    )
    return exp.and_(exp.Not(this=exp.paren(_unusable(value))), beyond)


def _value(raw: exp.Expression) -> exp.Expression:
    return exp.TryCast(this=trimmed(raw), to=exp.DataType.build("DOUBLE"))


def _unusable(value: exp.Expression) -> exp.Expr:
    return exp.or_(exp.Is(this=value.copy(), expression=exp.null()), exp.IsNan(this=value.copy()))


def _number(raw: exp.Expression, column: NumberColumn) -> exp.Expression:
    value = _value(raw)
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
        return exp.Lower(this=text), [(_FALSE, 0), (_TRUE, 1)]
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
    if column.other_index != column.gap_index:
        branches.append(exp.If(this=_is_blank(raw), true=_index(column.gap_index)))
    return exp.Case(ifs=branches, default=_index(column.other_index))
