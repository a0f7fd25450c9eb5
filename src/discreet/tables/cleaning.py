"""Total functions from whatever a row holds to the index of a declared value, as SQL.

They never raise and look at one row alone, so no row can make an answer fail or change what another
row means. The expressions are sqlglot trees; each engine renders them in its own dialect.
"""

from sqlglot import exp

from discreet.tables.facts import CategoryColumn, Column, NumberColumn

_TRUE = ("true", "t", "yes", "y", "1", "1.0")
_FALSE = ("false", "f", "no", "n", "0", "0.0")


def clean(column: Column) -> exp.Expression:
    """The index of the declared value that a cell stands for."""
    raw = exp.column(column.name, quoted=True)
    if isinstance(column, NumberColumn):
        return _number(raw, column)
    return _category(raw, column)


def _number(raw: exp.Expression, column: NumberColumn) -> exp.Expression:
    value = exp.TryCast(this=_trimmed(raw), to=exp.DataType.build("DOUBLE"))
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
    unusable = exp.or_(
        exp.Is(this=value.copy(), expression=exp.null()), exp.IsNan(this=value.copy())
    )
    return exp.Case(
        ifs=[exp.If(this=unusable, true=exp.Literal.number(column.missing_index))],
        default=exp.cast(clamped, "BIGINT"),
    )


def _double(number: float) -> exp.Expression:
    return exp.cast(exp.Literal.string(repr(number)), "DOUBLE")


def _trimmed(raw: exp.Expression) -> exp.Expression:
    return exp.Trim(this=exp.cast(raw.copy(), "TEXT"))


def _category(raw: exp.Expression, column: CategoryColumn) -> exp.Expression:
    text = _trimmed(raw)
    if column.is_boolean:
        text = exp.Lower(this=text)
        spellings: list[tuple[tuple[str, ...], int]] = [(_FALSE, 0), (_TRUE, 1)]
    else:
        spellings = [((name,), place) for place, name in enumerate(column.labels.names)]
    branches = [
        exp.If(
            this=exp.In(this=text.copy(), expressions=[exp.Literal.string(word) for word in words]),
            true=exp.Literal.number(place),
        )
        for words, place in spellings
    ]
    return exp.Case(ifs=branches, default=exp.Literal.number(column.missing_index))
