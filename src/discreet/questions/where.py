"""Columns, constants, expressions and conditions out of SQL: what stands in WHERE, and between
parentheses."""

from sqlglot import exp

from discreet.errors import DatasetError, QuestionError
from discreet.exact import show
from discreet.questions.conditions import (
    EVERY_ROW,
    AllOf,
    AnyOf,
    Condition,
    Not,
    compare,
    is_gap,
    none_of,
    one_of,
)
from discreet.questions.statement import QUOTES
from discreet.tables import (
    CategoryColumn,
    Column,
    DateColumn,
    ExpressionReader,
    Facts,
    name_text,
    shown,
)
from discreet.tables.expressions import CALLED, Constant, Expression
from discreet.tables.expressions.hints import POSSIBLE, nearest
from discreet.tables.expressions.parsing import like_pattern
from discreet.tables.expressions.patterns import matches
from discreet.tables.expressions.tree import All, Denied, Some

_CURLY = frozenset("‘’‚‛“”„‟«»`´")
COMPARISONS: dict[type[exp.Expr], str] = {
    exp.EQ: "=",
    exp.NEQ: "!=",
    exp.LT: "<",
    exp.LTE: "<=",
    exp.GT: ">",
    exp.GTE: ">=",
}
_MIRRORED = {"=": "=", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
PLAIN = (
    *(exp.Literal, exp.Star, exp.Null, exp.Boolean, exp.Distinct),
    *(exp.Subquery, exp.Select, exp.Window),
)
"""What is no expression of columns, whatever surrounds it."""
_CONDITIONS = (exp.Predicate, exp.Case, exp.If, exp.Coalesce, exp.Between, exp.In, exp.Like)
"""What may be true or false."""


def condition_of(node: exp.Expr, dataset: Facts) -> Condition:  # noqa: PLR0911
    """A condition on rows."""
    match node:
        case exp.Paren():
            return condition_of(node.this, dataset)
        case exp.And():
            return AllOf(tuple(condition_of(part, dataset) for part in node.flatten()))
        case exp.Or():
            return AnyOf(tuple(condition_of(part, dataset) for part in node.flatten()))
        case exp.Not():
            return Not(condition_of(node.this, dataset))
        case exp.Column() if is_boolean(node, dataset):
            return compare(column_of_sql(node, dataset), "=", "true")
        case exp.Boolean():
            return EVERY_ROW if node.this else Not(EVERY_ROW)
        case exp.Is(this=exp.Column() as cell, expression=exp.Boolean() as truth) if is_boolean(
            cell, dataset
        ):
            column = column_of_sql(cell, dataset)
            alike = compare(column, "=", "true" if truth.this else "false")
            return AllOf((alike, Not(is_gap(column))))
    plain = _plain_condition(node, dataset)
    if plain is not None:
        return plain
    if isinstance(node, _CONDITIONS) and node.find(exp.Column) is not None:
        expression = expression_of(node, dataset)
        if dataset.is_condition(expression):
            return met(expression, dataset)
    if isinstance(node, exp.Func) and (hint := nearest(node)) != POSSIBLE:
        raise QuestionError(f"{shown(node)} is not supported here; {hint}")
    parts = node.iter_expressions() if isinstance(node, exp.Expr) else ()
    advice = f"; {QUOTES}" if any(part.is_string for part in parts) else ""
    raise QuestionError(
        f"{shown(node)} is not a condition; compare columns, expressions and constants by "
        f"=, !=, <, <=, >, >=, IN, BETWEEN, LIKE, IS NULL, and join with AND, OR, NOT{advice}"
    )


def _plain_condition(  # noqa: PLR0911
    node: exp.Expr, dataset: Facts
) -> Condition | None:
    """A column compared with constants, as a set of its values; None for what is not that."""
    inner = bare(node.this) if isinstance(node, exp.Expr) else None
    match node:
        case exp.Between() if not extras(node, "low", "high", "symmetric"):
            ends = [node.args[end] for end in ("low", "high")]
            if not isinstance(inner, exp.Column) or not all(map(is_constant, ends)):
                return None
            return _between(column_of_sql(inner, dataset), ends, bool(node.args.get("symmetric")))
        case exp.In() if not extras(node, "expressions"):
            if not isinstance(inner, exp.Column) or not all(map(is_constant, node.expressions)):
                return None
            values = [constant_of(value) for value in node.expressions]
            return one_of(column_of_sql(inner, dataset), values)
        case exp.Is(expression=exp.Null()) if isinstance(inner, exp.Column):
            return is_gap(column_of_sql(inner, dataset))
        case exp.Like() | exp.ILike() if isinstance(inner, exp.Column):
            return _like(node, column_of_sql(inner, dataset))
    operator = COMPARISONS.get(type(node))
    if operator is None or extras(node, "expression"):
        return None
    left, right = inner, bare(node.expression)
    if isinstance(left, exp.Column) and is_constant(right):
        return compare(column_of_sql(left, dataset), operator, constant_of(right))
    if isinstance(right, exp.Column) and is_constant(left):
        return compare(column_of_sql(right, dataset), _MIRRORED[operator], constant_of(left))
    return None


def _between(column: Column, ends: list[exp.Expr], symmetric: bool) -> Condition:
    low, high = map(constant_of, ends)
    between = AllOf((compare(column, ">=", low), compare(column, "<=", high)))
    if not symmetric:
        return between
    return AnyOf((between, AllOf((compare(column, ">=", high), compare(column, "<=", low)))))


def _like(node: exp.Expr, column: Column) -> Condition | None:
    """Which of the declared words are of a pattern: public facts decide."""
    if not isinstance(column, CategoryColumn) or extras(node, "expression", "negate"):
        name = name_text(column.name)
        other = f"YEAR({name}) = 2023" if isinstance(column, DateColumn) else f"{name} IN (1, 2)"
        raise QuestionError(
            f"LIKE is for words, and {column.name} does not hold words; compare it with =, <, "
            f"BETWEEN or, for example, {other}"
        )
    pattern, any_case = like_pattern(node.expression), isinstance(node, exp.ILike)
    words = [word for word in column.labels.names if matches(word, pattern, any_case)]
    condition = one_of(column, words) if words else none_of(column)
    return Not(condition) if node.args.get("negate") else condition


def value_of_sql(node: object, dataset: Facts) -> Column:
    """What a statistic is taken of: a column, or an expression of some."""
    inner = bare(node)
    if isinstance(inner, PLAIN) or (isinstance(inner, exp.Anonymous) and not is_known_call(inner)):
        return column_of_sql(inner, dataset)
    if not isinstance(inner, exp.Expr) or isinstance(inner, exp.Column):
        return column_of_sql(inner, dataset)
    return dataset.derive(expression_of(inner, dataset))


def expression_of(node: object, dataset: Facts) -> Expression:
    """What stands there as an expression of columns."""

    def cell(column: exp.Column) -> Expression:
        try:
            column_of_sql(column, dataset)
        except QuestionError as problem:
            message = str(problem)
            raise QuestionError(
                message if message.endswith(QUOTES) else f"{message}; {QUOTES}"
            ) from None
        return dataset.cell(column)

    return ExpressionReader(cell).read(node)


def met(expression: Expression, dataset: Facts) -> Condition:
    """An expression that is true or false as a condition."""
    match expression:
        case All(parts):
            return AllOf(tuple(met(part, dataset) for part in parts))
        case Some(parts):
            return AnyOf(tuple(met(part, dataset) for part in parts))
        case Denied(inner):
            return Not(met(inner, dataset))
    return compare(dataset.derive(expression), "=", "true")


def column_of_sql(node: object, dataset: Facts) -> Column:
    """The declared column that is named."""
    if isinstance(node, exp.Paren):
        return column_of_sql(node.this, dataset)
    if isinstance(node, exp.Column) and node.args.get("table"):
        if node.table.lower() not in dataset.table_names or extras(node, "table"):
            if whole := _declared_with_dots(node, dataset):
                raise QuestionError(
                    f"write {whole} in double quotes, because its name has a dot; got {shown(node)}"
                )
            raise QuestionError(
                f"there is only one table here: write {name_text(node.name)} without "
                f"{show(node.table)}, got {shown(node)}"
            )
    elif not isinstance(node, exp.Column):
        advice = f"; {QUOTES}" if isinstance(node, (exp.Literal, exp.Anonymous)) else ""
        if isinstance(node, exp.Distinct):
            advice = "; ask COUNT(DISTINCT column), or leave DISTINCT out"
        raise QuestionError(f"a declared column is expected here, got {shown(node)}{advice}")
    try:
        return dataset.column(node.name)
    except DatasetError as problem:
        misread = node.this.args.get("quoted") or _CURLY & set(node.name)
        raise QuestionError(f"{problem}; {QUOTES}" if misread else str(problem)) from None


def _declared_with_dots(node: exp.Column, dataset: Facts) -> str | None:
    """The column that a name with dots would be, in quotes."""
    dotted = ".".join(part.name for part in node.parts)
    return name_text(dataset.column(dotted).name) if dataset.has(dotted) else None


def is_boolean(node: exp.Column, dataset: Facts) -> bool:
    """Whether a column says true or false."""
    column = column_of_sql(node, dataset)
    return isinstance(column, CategoryColumn) and column.is_boolean


def bare(node: object) -> object:
    """What stands there without parentheses around it."""
    return node.unnest() if isinstance(node, exp.Expr) else node


def extras(node: exp.Expr, *known: str) -> bool:
    """Whether the parser has read more than is looked at here."""
    return bool({key for key, value in node.args.items() if value} - {"this", *known})


def is_known_call(call: exp.Anonymous) -> bool:
    """Whether a call is one that expressions know."""
    return call.name.upper() in CALLED


def constant_of(node: object) -> object:
    """The constant that stands there: text (of a number too), a truth value, or a date."""
    match node:
        case exp.Paren():
            return constant_of(node.this)
        case exp.Neg() if isinstance(node.this, exp.Literal) and not node.this.is_string:
            return f"-{node.this.this}"
        case exp.Literal():
            return node.this
        case exp.Boolean():
            return bool(node.this)
        case exp.Cast() | exp.Add() | exp.Sub() | exp.Mul() | exp.Div():
            expression = ExpressionReader(_no_column).read(node)
            if isinstance(expression, Constant) and expression.value is not None:
                return expression.value
    return _no_constant(node)


def is_constant(node: object) -> bool:
    """Whether no column has a say in what stands there."""
    if not isinstance(node, exp.Expr):
        return True
    return (
        node.find(exp.Column) is None and not isinstance(node, exp.Func | exp.Case)
    ) or isinstance(node, exp.Cast)


def _no_column(node: exp.Column) -> Expression:
    return _no_constant(node)


def _no_constant(node: object) -> Expression:
    advice = f"; {QUOTES}" if isinstance(node, exp.Column) else ""
    raise QuestionError(f"a constant is expected here, got {shown(node)}{advice}")
