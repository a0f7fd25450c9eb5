"""SQL in, Question out: a small language of total functions, everything else refused in words."""

from fractions import Fraction

from sqlglot import exp
from sqlglot.errors import ErrorLevel

from discreet.errors import DatasetError, QuestionError
from discreet.exact import rational, show
from discreet.questions.conditions import (
    EVERY_ROW,
    AllOf,
    AnyOf,
    Condition,
    Not,
    compare,
    is_gap,
    name_text,
    one_of,
)
from discreet.questions.question import Bins, Item, Question, checked_item
from discreet.questions.statement import POSSIBLE, QUOTES, one_select
from discreet.statistics import FUNCTIONS, Words
from discreet.tables import CategoryColumn, Column, Facts, NumberColumn
from discreet.text import decimal_text

LONGEST_LABEL = 200
MOST_STATISTICS = 50
_CURLY = frozenset("‘’‚‛“”„‟«»`´")
_COMPARISONS: dict[type[exp.Expr], str] = {
    exp.EQ: "=",
    exp.NEQ: "!=",
    exp.LT: "<",
    exp.LTE: "<=",
    exp.GT: ">",
    exp.GTE: ">=",
}
_MIRRORED = {"=": "=", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
_CLAUSES = {"joins": "JOIN", "with_": "WITH", "laterals": "LATERAL", "windows": "WINDOW"}
"""What people call the parser's clauses, where it has other names for them."""
_ALLOWED_CLAUSES = {
    "expressions",
    "from_",
    "from",
    "where",
    "group",
    "kind",
    "hint",
    "operation_modifiers",
}


def parse_sql(sql: str, dataset: Facts) -> Question:
    """Read a question; QuestionError says in one sentence what is possible instead."""
    try:
        return _question(sql, dataset)
    except (RecursionError, OverflowError):
        raise QuestionError(f"this is too deep, or a number in it too large; {POSSIBLE}") from None


def _question(sql: str, dataset: Facts) -> Question:
    select = one_select(sql)
    _check_clauses(select, dataset)
    where = select.args.get("where")
    groups = _groups(select, dataset)
    items = tuple(
        checked_item(_item(node, dataset), dataset)
        for node in select.expressions
        if not _is_group_column(node, groups, dataset)
    )
    if not items:
        raise QuestionError(f"the SELECT asks for no statistic; {POSSIBLE}")
    if len(items) > MOST_STATISTICS:
        raise QuestionError(f"at most {MOST_STATISTICS} statistics in one question")
    return Question(items, _condition(where.this, dataset) if where else EVERY_ROW, groups)


def parse_condition(text: str, dataset: Facts) -> Condition:
    """Read a condition alone, such as `clinic = 'A' AND age >= 18`."""
    try:
        return _condition_alone(text, dataset)
    except (RecursionError, OverflowError):
        raise QuestionError("this condition is too deep, or a number in it too large") from None


def _condition_alone(text: str, dataset: Facts) -> Condition:
    select = one_select(f"SELECT COUNT(*) WHERE {text}")
    if {key for key, value in select.args.items() if value} - {"expressions", "where"}:
        raise QuestionError(f"{show(text)} is not a condition alone")
    return _condition(select.args["where"].this, dataset)


def _check_clauses(select: exp.Select, dataset: Facts) -> None:
    given = {key for key, value in select.args.items() if value}
    if given - _ALLOWED_CLAUSES or select.args.get("kind") or select.args.get("hint"):
        other = sorted(_CLAUSES.get(name, name.upper()) for name in given - _ALLOWED_CLAUSES)
        names = ", ".join(other) or "this form of SELECT"
        raise QuestionError(f"{names} is not possible here; {POSSIBLE}, WHERE, GROUP BY")
    origin = select.args.get("from_") or select.args.get("from")
    if origin is None:
        return
    table = origin.this
    renamed = table.args.get("alias")
    plain = isinstance(table, exp.Table) and not _extras(table, "alias")
    plain = plain and (renamed is None or not _extras(renamed))
    if not plain or table.name.lower() not in dataset.table_names:
        raise QuestionError(
            "there is one table here: write FROM data (or leave FROM out), "
            f"got {show(_text(table))}"
        )


def _groups(select: exp.Select, dataset: Facts) -> Bins | None:
    group = select.args.get("group")
    if group is None:
        return None
    if len(group.expressions) != 1 or {key for key, value in group.args.items() if value} - {
        "expressions"
    }:
        raise QuestionError("GROUP BY takes one column, or BIN(column, width)")
    return _bins(group.expressions[0], dataset)


def _bins(node: exp.Expr, dataset: Facts) -> Bins:
    if isinstance(node, exp.Column):
        return Bins(_column(node, dataset).name, 1)
    if (
        isinstance(node, exp.Anonymous)
        and node.name.upper() == "BIN"
        and len(node.expressions) == 2
    ):
        column = _column(node.expressions[0], dataset)
        if not isinstance(column, NumberColumn):
            raise QuestionError(f"BIN needs numbers and {column.name} holds words")
        width = _constant_number(node.expressions[1], "the width of a bin") / column.grid.step
        if width.denominator != 1 or width < 1:
            raise QuestionError(
                f"the width of a bin is a whole number of steps of {decimal_text(column.grid.step)}"
            )
        return Bins(column.name, int(width))
    advice = f"; {QUOTES}" if isinstance(node, (exp.Literal, exp.Anonymous)) else ""
    raise QuestionError(f"GROUP BY takes one column, or BIN(column, width){advice}")


def _is_group_column(item: exp.Expr, groups: Bins | None, dataset: Facts) -> bool:
    bare = item.unalias()
    binned = isinstance(bare, exp.Anonymous) and bare.name.upper() == "BIN"
    if groups is None or not (binned or isinstance(bare, exp.Column)):
        return False
    if _bins(bare, dataset) != groups:
        raise QuestionError(
            f"beside statistics SELECT shows what GROUP BY groups by, and {_shown(bare)} is not "
            "that; leave it out, the answer names its groups anyway"
        )
    return True


def _item(item: exp.Expr, dataset: Facts) -> Item:
    node, label = item.unalias().unnest(), item.alias or _text(item.unalias())
    if len(item.alias) > LONGEST_LABEL:
        raise QuestionError(f"a name after AS has at most {LONGEST_LABEL} characters")
    if isinstance(node, exp.Count):
        words, condition = FUNCTIONS[node.sql_name()], _counted(node, dataset)
        return Item(statistic=words.make(None), condition=condition, label=label)
    known, arguments = _call(node)
    if known is None or not 1 <= len(arguments) <= (1 if known.parameter is None else 2):
        raise QuestionError(f"{show(_text(node))} cannot be asked; {POSSIBLE}")
    if known.takes.of_rows:
        condition = _condition(arguments[0], dataset)
        return Item(statistic=known.make(None), condition=condition, label=label)
    column = _column(arguments[0], dataset).name
    parameter = _parameter(known, column, arguments[1:])
    return Item(statistic=known.make(parameter), column=column, label=label)


def _call(node: exp.Expr) -> tuple[Words | None, list[exp.Expr]]:
    """Which statistic a call asks for, and what stands between its parentheses."""
    if isinstance(node, exp.Anonymous):
        return FUNCTIONS.get(node.name.upper()), node.expressions
    if not isinstance(node, exp.Func) or _extras(node, "quantile", "expression"):
        return None, []
    more = [node.args[key] for key in ("quantile", "expression") if node.args.get(key)]
    return FUNCTIONS.get(node.sql_name()), [node.args.get("this"), *more]


def _parameter(words: Words, column: str, given: list[exp.Expr]) -> Fraction | int | None:
    """The number that a statistic needs beside its column."""
    needed, called, name = words.parameter, words.function, name_text(column)
    if needed is None:
        return None
    if not given:
        raise QuestionError(
            f"{called}({name}) lacks its {needed.letter}, {needed.range}: "
            f"write {called}({name}, {needed.example})"
        )
    return needed.read(_constant(given[0]))


def _extras(node: exp.Expr, *known: str) -> bool:
    """Whether the parser has read more than is looked at here."""
    return bool({key for key, value in node.args.items() if value} - {"this", *known})


def _counted(node: exp.Count, dataset: Facts) -> Condition:
    if _extras(node, "big_int") or isinstance(node.this, exp.Distinct):
        raise QuestionError("COUNT takes * or one condition; DISTINCT is not possible here")
    if isinstance(node.this, exp.Star) and not _extras(node.this):
        return EVERY_ROW
    if isinstance(node.this, exp.Column) and not _is_boolean(node.this, dataset):
        return Not(is_gap(_column(node.this, dataset)))
    return _condition(node.this, dataset)


def _column(node: object, dataset: Facts) -> Column:
    if isinstance(node, exp.Paren):
        return _column(node.this, dataset)
    if isinstance(node, exp.Column) and node.args.get("table"):
        if node.table.lower() not in dataset.table_names or _extras(node, "table"):
            raise QuestionError(
                f"there is one table here: write {name_text(node.name)} without "
                f"{show(node.table)}, got {_shown(node)}"
            )
    elif not isinstance(node, exp.Column):
        advice = f"; {QUOTES}" if isinstance(node, (exp.Literal, exp.Anonymous)) else ""
        raise QuestionError(f"a declared column belongs here, got {_shown(node)}{advice}")
    try:
        return dataset.column(node.name)
    except DatasetError as problem:
        misread = node.this.args.get("quoted") or _CURLY & set(node.name)
        raise QuestionError(f"{problem}; {QUOTES}" if misread else str(problem)) from None


def _is_boolean(node: exp.Column, dataset: Facts) -> bool:
    column = _column(node, dataset)
    return isinstance(column, CategoryColumn) and column.is_boolean


def _condition(node: exp.Expr, dataset: Facts) -> Condition:  # noqa: PLR0911, PLR0912
    match node:
        case exp.Paren():
            return _condition(node.this, dataset)
        case exp.And():
            return AllOf(tuple(_condition(part, dataset) for part in node.flatten()))
        case exp.Or():
            return AnyOf(tuple(_condition(part, dataset) for part in node.flatten()))
        case exp.Not():
            return Not(_condition(node.this, dataset))
        case exp.Between() if not _extras(node, "low", "high", "symmetric"):
            column = _column(node.this, dataset)
            low, high = (_constant(node.args[end]) for end in ("low", "high"))
            between = AllOf((compare(column, ">=", low), compare(column, "<=", high)))
            if not node.args.get("symmetric"):
                return between
            around = AllOf((compare(column, ">=", high), compare(column, "<=", low)))
            return AnyOf((between, around))
        case exp.In() if not _extras(node, "expressions"):
            values = [_constant(value) for value in node.expressions]
            return one_of(_column(node.this, dataset), values)
        case exp.Is(expression=exp.Null()):
            return is_gap(_column(node.this, dataset))
        case exp.Column() if _is_boolean(node, dataset):
            return compare(_column(node, dataset), "=", "true")
        case exp.Boolean():
            return EVERY_ROW if node.this else Not(EVERY_ROW)
    operator = _COMPARISONS.get(type(node))
    if operator is not None and not _extras(node, "expression"):
        left, right = _bare(node.this), _bare(node.expression)
        if isinstance(left, exp.Column):
            return compare(_column(left, dataset), operator, _constant(right))
        if isinstance(right, exp.Column):
            return compare(_column(right, dataset), _MIRRORED[operator], _constant(left))
    parts = node.iter_expressions() if isinstance(node, exp.Expr) else ()
    advice = f"; {QUOTES}" if any(part.is_string for part in parts) else ""
    raise QuestionError(
        f"{_shown(node)} is not a condition; compare declared columns with constants by "
        f"=, !=, <, <=, >, >=, IN, BETWEEN, IS NULL, and join with AND, OR, NOT{advice}"
    )


def _bare(node: object) -> object:
    return node.unnest() if isinstance(node, exp.Expr) else node


def _shown(node: object) -> str:
    return show(_text(node)) if isinstance(node, exp.Expr) else "nothing"


def _text(node: object) -> str:
    """What stands there, or "nothing" where the parser left a gap."""
    if not isinstance(node, exp.Expr):
        return "nothing"
    return node.sql(dialect="duckdb", unsupported_level=ErrorLevel.IGNORE, comments=False)


def _constant(node: object) -> object:
    match node:
        case exp.Paren():
            return _constant(node.this)
        case exp.Neg() if isinstance(node.this, exp.Literal) and not node.this.is_string:
            return f"-{node.this.this}"
        case exp.Literal():
            return node.this
        case exp.Boolean():
            return bool(node.this)
    advice = f"; {QUOTES}" if isinstance(node, exp.Column) else ""
    raise QuestionError(f"a constant belongs here, got {_shown(node)}{advice}")


def _constant_number(node: object, what: str) -> Fraction:
    return rational(_constant(node), what, QuestionError)
