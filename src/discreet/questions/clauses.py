"""Arithmetic of answers, HAVING, ORDER BY and LIMIT, read from SQL.

What they need beside what SELECT shows is asked as well, once, and not shown.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction

from sqlglot import exp

from discreet.errors import QuestionError
from discreet.exact import rational, show
from discreet.questions.as_sql import item_text
from discreet.questions.question import (
    Bins,
    Item,
    checked_item,
)
from discreet.questions.statement import spelled_out
from discreet.questions.view import (
    AndOr,
    AnswerAt,
    Comparing,
    Computed,
    Formula,
    FormulaNot,
    FormulaNumber,
    GroupPlace,
    Output,
    SortKey,
    Test,
    Untold,
    View,
)
from discreet.questions.where import COMPARISONS, extras
from discreet.statistics import Count, Top
from discreet.tables import (
    CategoryColumn,
    DateColumn,
    Facts,
    shown,
    sql_text,
)
from discreet.text import shortened

LONGEST_LABEL = 200
_MOST_PARTS = 200
"""Of how many parts a formula may be."""
_LARGEST = 10**15
_MOST_DIGITS = 12
_RATIO, _WEIGHTED = "RATIO", "WEIGHTED_AVG"
_OPERATORS: dict[type[exp.Expr], str] = {exp.Add: "+", exp.Sub: "-", exp.Mul: "*", exp.Div: "/"}
_FLOATS = ("FLOAT", "DOUBLE", "DECIMAL")
_FORMULA = (
    "answers can be computed with +, -, *, /, ABS, ROUND and NULLIF(…, 0), such as "
    "SUM(a) / COUNT(*) or AVG(a) - 3"
)
_HAVING = (
    "HAVING compares statistics with numbers, such as HAVING COUNT(*) >= 10; conditions on columns "
    "go into WHERE"
)
_ORDER = (
    "ORDER BY takes columns of GROUP BY, statistics, names after AS, or places such "
    "as 1, each with ASC or DESC"
)


def is_formula(node: exp.Expr) -> bool:
    """Whether something after SELECT may be arithmetic of answers, rather than one answer."""
    if isinstance(node, exp.Anonymous):
        return node.name.upper() in (_RATIO, _WEIGHTED)
    kinds = (*_OPERATORS, exp.Neg, exp.Abs, exp.Round, exp.Nullif, exp.Cast)
    return isinstance(node, kinds) or _is_overall(node)


def _is_float(node: exp.Expr) -> bool:
    """Whether it says that an answer may have decimals, which it may here in any case."""
    return isinstance(node, exp.Cast) and str(node.to).upper().startswith(_FLOATS)


def _uncast(item: exp.Expr) -> exp.Expr:
    """What SELECT shows, without such a cast around all of it."""
    node = item.unalias().unnest()
    if not _is_float(node):
        return item
    inner = _uncast(node.this.copy())
    return exp.alias_(inner, item.alias, quoted=True) if item.alias else inner


def _is_overall(node: exp.Expr) -> bool:
    """SUM(…) OVER (): the total over all groups."""
    return (
        isinstance(node, exp.Window) and isinstance(node.this, exp.Sum) and not extras(node, "over")
    )


@dataclass(kw_only=True)
class SelectReading:
    """The statistics that a SELECT asks for, wherever they stand in it, in the order of asking."""

    select: exp.Select
    dataset: Facts
    groups: tuple[Bins, ...]
    asked: list[tuple[int, exp.Expr]]
    """What SELECT shows beside groups, each with its place."""
    read: Callable[[exp.Expr, Facts], Item]
    """What reads one statistic."""
    group: Callable[[exp.Expr], Bins | None]
    """What reads a column or an expression of GROUP BY; None where it is none of them."""
    is_statistic: Callable[[exp.Expr], bool]
    items: list[Item] = field(default_factory=list)
    outputs: dict[int, list[Output]] = field(default_factory=dict)
    """For each place of the SELECT that shows no group, what it shows."""
    _parts: int = 0

    def question_parts(self) -> tuple[tuple[Item, ...], View]:
        """The statistics, and what is made of them."""
        asked = [(place, _uncast(node)) for place, node in self.asked]
        for place, node in asked:
            if not self._computes(node):
                self.outputs[place] = [self._added(one) for one in spelled_out(node)]
        for place, node in asked:
            if self._computes(node):
                self.outputs[place] = [Output(self.formula(node.unalias()), label_of(node))]
        clauses = self.select.args
        having, order = clauses.get("having"), clauses.get("order")
        view = View(
            outputs=tuple(one for place, _ in asked for one in self.outputs[place]),
            having=None if having is None else self.test(having.this),
            order_by=tuple(map(self.key, order.expressions)) if order else (),
            limit=_whole(clauses.get("limit"), 1),
            offset=_whole(clauses.get("offset"), 0) or 0,
        )
        return tuple(self.items), view

    def _computes(self, item: exp.Expr) -> bool:
        node = item.unalias().unnest()
        return is_formula(node) and (
            isinstance(node, exp.Anonymous)
            or any(self.is_statistic(part) or self._is_alias(part, item) for part in node.walk())
        )

    def _is_alias(self, node: exp.Expr, item: exp.Expr) -> bool:
        """Whether it is what another thing in SELECT is called."""
        if not isinstance(node, exp.Column) or node.args.get("table"):
            return False
        named = (one for one in self.select.expressions if one is not item)
        return any(one.alias.lower() == node.name.lower() for one in named)

    def _added(self, node: exp.Expr) -> Output:
        """A statistic that SELECT shows: what is shown twice is told once."""
        item = checked_item(self.read(node, self.dataset), self.dataset)
        return Output(self._placed(item), item.label)

    def _found(self, node: exp.Expr) -> AnswerAt:
        """A statistic that may have been asked already."""
        spelled = spelled_out(node)
        if len(spelled) != 1 or not self.is_statistic(spelled[0].unnest()):
            raise QuestionError(f"{shown(node)} is not an answer to compute with; {_FORMULA}")
        return self._placed(checked_item(self.read(spelled[0], self.dataset), self.dataset))

    def _placed(self, item: Item) -> AnswerAt:
        """Where a statistic stands among those asked; it is asked as one more if it is new."""
        for place, known in enumerate(self.items):
            if replace(known, label="") == replace(item, label=""):
                return AnswerAt(place)
        self.items.append(item)
        return AnswerAt(len(self.items) - 1)

    def _number(self, node: exp.Expr) -> AnswerAt:
        answer = self._found(node)
        self._check_number(answer)
        return answer

    def _check_number(self, answer: AnswerAt) -> None:
        item = self.items[answer.place]
        column = None if item.column is None else self.dataset.column(item.column)
        if isinstance(column, CategoryColumn | DateColumn) or isinstance(item.statistic, Top):
            raise QuestionError(
                f"{item_text(item, self.dataset)} is not a number, so it cannot be used in a "
                "formula or a comparison"
            )

    def formula(self, node: exp.Expr) -> Formula:  # noqa: PLR0911, PLR0912
        """Arithmetic of answers."""
        self._parts += 1
        if self._parts > _MOST_PARTS:
            raise QuestionError(
                f"formulas of answers can have at most {_MOST_PARTS} parts together"
            )
        match node:
            case exp.Paren():
                return self.formula(node.this)
            case exp.Literal() if not node.is_string:
                return FormulaNumber(_constant(node))
            case exp.Neg():
                inner = self.formula(node.this)
                if isinstance(inner, FormulaNumber):
                    return FormulaNumber(-inner.value)
                return Computed("*", (FormulaNumber(Fraction(-1)), inner))
            case exp.Add() | exp.Sub() | exp.Mul() | exp.Div():
                parts = self.formula(node.this), self.formula(node.expression)
                return Computed(_OPERATORS[type(node)], parts)
            case exp.Abs():
                return Computed("ABS", (self.formula(node.this),))
            case exp.Round() if not extras(node, "decimals"):
                return Computed("ROUND", (self.formula(node.this),), _digits(node))
            case exp.Nullif() if _is_zero(node.expression):
                return Computed("NULLIF0", (self.formula(node.this),))
            case exp.Cast() if _is_float(node):
                return self.formula(node.this)
            case exp.Column() if (named := self._named(node)) is not None:
                if isinstance(named, AnswerAt):
                    self._check_number(named)
                return named
            case exp.Anonymous() if node.name.upper() in (_RATIO, _WEIGHTED):
                return self._quotient(node)
        if _is_overall(node):
            return self._overall(node)
        return self._number(node)

    def _quotient(self, call: exp.Anonymous) -> Formula:
        """RATIO(a, b) and WEIGHTED_AVG(x, w), as quotients of two sums."""
        name, arguments = call.name.upper(), call.expressions
        if len(arguments) != 2:
            example = "RATIO(SUM(a), SUM(b))" if name == _RATIO else "WEIGHTED_AVG(value, weight)"
            raise QuestionError(f"{name} takes two arguments: write {example}")
        first, second = arguments
        if name == _WEIGHTED:
            filled = exp.Not(this=exp.Is(this=first.copy(), expression=exp.Null()))
            product = exp.Mul(this=exp.paren(first.copy()), expression=exp.paren(second.copy()))
            first, second = product, exp.Case().when(filled, second.copy())
        parts = tuple(
            self.formula(one if self.is_statistic(one.unnest()) else exp.Sum(this=one))
            for one in (first, second)
        )
        return Computed("/", parts)

    def _overall(self, node: exp.Expr) -> AnswerAt:
        """The total of a count over all groups."""
        answer = self._number(node.this.this)
        if not self.groups or not isinstance(self.items[answer.place].statistic, Count):
            raise QuestionError(
                "SUM(…) OVER () is the total of counts by group: write "
                "100 * COUNT(*) / SUM(COUNT(*)) OVER () with GROUP BY"
            )
        if self.select.args.get("having") is not None:
            raise QuestionError(
                "SUM(…) OVER () is the total of all groups, but HAVING leaves some out; ask "
                "without HAVING"
            )
        return AnswerAt(answer.place, overall=True)

    def _named(self, node: exp.Column) -> Formula | None:
        """What SELECT calls so."""
        if node.args.get("table"):
            return None
        for place, output in self.outputs.items():
            if self.select.expressions[place].alias.lower() == node.name.lower():
                return output[0].formula
        return None

    def test(self, node: exp.Expr) -> Test:  # noqa: PLR0911
        """What HAVING asks of a group."""
        match node:
            case exp.Paren():
                return self.test(node.this)
            case exp.Not():
                return FormulaNot(self.test(node.this))
            case exp.And() | exp.Or():
                parts = tuple(self.test(part) for part in node.flatten())
                return AndOr(isinstance(node, exp.And), parts)
            case exp.Between() if not extras(node, "low", "high"):
                value = self._compared(node.this)
                low, high = (self._compared(node.args[one]) for one in ("low", "high"))
                return AndOr(True, (Comparing(">=", value, low), Comparing("<=", value, high)))
            case exp.In() if node.expressions and not extras(node, "expressions"):
                value = self._compared(node.this)
                each = [Comparing("=", value, self._compared(one)) for one in node.expressions]
                return each[0] if len(each) == 1 else AndOr(False, tuple(each))
            case exp.Is(expression=exp.Null()):
                return Untold(self._compared(node.this))
        operator = COMPARISONS.get(type(node))
        if operator is None or extras(node, "expression"):
            raise QuestionError(f"{_HAVING}, got {shown(node)}")
        return Comparing(operator, self._compared(node.this), self._compared(node.expression))

    def _compared(self, node: exp.Expr) -> Formula:
        """One side of a comparison: a formula, or a column that does not belong here."""
        inner = node.unnest()
        if isinstance(inner, exp.Column) and self._named(inner) is None:
            raise QuestionError(f"{_HAVING}, got {shown(inner)}")
        if inner.find(exp.Subquery, exp.Select) is not None:
            raise QuestionError(
                f"{_HAVING}; ask the inner question on its own first, and write its answer as "
                "a constant"
            )
        if isinstance(inner, exp.Literal) and inner.is_string:
            raise QuestionError(f"{_HAVING}, got {shown(inner)}")
        return self.formula(inner)

    def key(self, ordered: exp.Expr) -> SortKey:
        """One thing that groups are sorted by."""
        node = ordered.this.unnest() if isinstance(ordered, exp.Ordered) else None
        if node is None or extras(ordered, "desc", "nulls_first"):
            raise QuestionError(f"{_ORDER}, got {shown(ordered)}")
        return SortKey(
            self._sorted_by(node),
            descending=bool(ordered.args.get("desc")),
            untold_first=bool(ordered.args.get("nulls_first")),
        )

    def _sorted_by(self, node: exp.Expr) -> Formula | GroupPlace:
        place = self._place(node)
        if place is not None:
            if place in self.outputs:
                return self._sortable(self.outputs[place][0].formula)
            node = self.select.expressions[place].unalias()
        bins = self.group(node)
        if bins is not None:
            column = self.dataset.column(bins.column)
            return GroupPlace(self.groups.index(bins), isinstance(column, CategoryColumn))
        if self.is_statistic(node) or isinstance(node, exp.WithinGroup):
            return self._sortable(self._found(node))
        if isinstance(node, (exp.Column, exp.Literal, exp.Var)) or node.find(exp.Subquery):
            raise QuestionError(f"{_ORDER}, got {shown(node)}")
        return self.formula(node)

    def _sortable(self, formula: Formula) -> Formula:
        if isinstance(formula, AnswerAt) and isinstance(self.items[formula.place].statistic, Top):
            raise QuestionError("groups cannot be sorted by TOP, which gives several words")
        return formula

    def _place(self, node: exp.Expr) -> int | None:
        """The place in the SELECT that ORDER BY means, by its number or its name."""
        many = len(self.select.expressions)
        if isinstance(node, exp.Literal) and not node.is_string:
            place = int(node.this[:4]) if node.this.isdecimal() else 0
            if not 1 <= place <= many:
                raise QuestionError(f"ORDER BY {show(node.this)}: SELECT has places 1 to {many}")
            return place - 1
        if isinstance(node, exp.Column) and not node.args.get("table"):
            for place, one in enumerate(self.select.expressions):
                if one.alias.lower() == node.name.lower():
                    return place
        return None


def label_of(node: exp.Expr) -> str:
    """What SELECT calls what it shows: the name after AS, or how it is written, shortened."""
    return checked_label(node.alias) or shortened(sql_text(node.unalias()), LONGEST_LABEL)


def checked_label(alias: str) -> str:
    """A name after AS, if it is short enough."""
    if len(alias) > LONGEST_LABEL:
        raise QuestionError(f"a name after AS can have at most {LONGEST_LABEL} characters")
    return alias


def _constant(node: exp.Literal) -> Fraction:
    number = rational(node.this, "a number", QuestionError)
    if abs(number) > _LARGEST or number.denominator > _LARGEST:
        raise QuestionError(
            f"numbers in formulas can have at most 15 digits, got {show(node.this)}"
        )
    return number


def _digits(node: exp.Round) -> int:
    given = node.args.get("decimals")
    if given is None:
        return 0
    digits = given.this if isinstance(given, exp.Literal) and not given.is_string else ""
    if not digits.isdecimal() or len(digits) > 2 or int(digits) > _MOST_DIGITS:
        raise QuestionError(
            f"an answer can be rounded to 0 to {_MOST_DIGITS} decimals, such as ROUND(AVG(a), "
            f"1), got {shown(given)}"
        )
    return int(digits)


def _is_zero(node: object) -> bool:
    return isinstance(node, exp.Literal) and not node.is_string and node.this.strip("0.") == ""


def _whole(clause: exp.Expr | None, least: int) -> int | None:
    """The number of LIMIT, OFFSET or FETCH FIRST."""
    if clause is None:
        return None
    options = clause.args.get("limit_options")
    fetched = isinstance(clause, exp.Fetch)
    given = clause.find(exp.Literal) if fetched else clause.args.get("expression")
    odd = options is not None and (options.args.get("percent") or options.args.get("with_ties"))
    digits = given.this if isinstance(given, exp.Literal) and not given.is_string else ""
    if odd or not digits.isdecimal() or len(digits) > 9 or int(digits) < least:
        raise QuestionError(
            f"LIMIT and OFFSET take a whole number, LIMIT at least 1, got {shown(clause)}"
        )
    return int(digits)
