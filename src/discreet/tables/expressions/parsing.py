"""SQL as text: what the parser cannot be trusted with is refused before, and what stood there is
quoted after."""

import sqlglot
from sqlglot import exp
from sqlglot.errors import ErrorLevel

from discreet.errors import QuestionError
from discreet.text import show

DEEPEST = 50
"""How many parentheses may be inside one another."""
_OPENING, _CLOSING = {"(", "[", "{"}, {")", "]", "}"}
_MOST_NESTED = 3


def check_nesting(sql: str, called: frozenset[str], refusal: str) -> None:
    """Refuse calls, brackets and types inside one another, before they are parsed.

    The parser tries such things again and again: its time doubles with every level. A question
    calls known functions, and never chains comparisons.
    """
    tokens = sqlglot.tokenize(sql, read="duckdb")
    inside: list[bool] = []
    for place, token in enumerate(tokens):
        before = tokens[place - 1] if place else None
        if token.text in _OPENING:
            named = before is not None and before.text.isidentifier()
            known = before is not None and before.text.upper() in called
            inside.append(token.text != "(" or (named and not known))
        elif token.text in _CLOSING and inside:
            inside.pop()
        chained = token.text == "<" and "<" in [one.text for one in tokens[place + 1 : place + 4]]
        if sum(inside) > _MOST_NESTED or chained:
            raise QuestionError(refusal)


def depth(sql: str) -> int:
    """How many parentheses are inside one another at most."""
    deep = deepest = 0
    for character in sql:
        deep += (character in "([{") - (character in ")]}")
        deepest = max(deepest, deep)
    return deepest


def shown(node: object) -> str:
    """What stands there, quoted for a message."""
    return show(sql_text(node)) if isinstance(node, exp.Expr) else "nothing"


def like_pattern(node: object) -> str:
    """What LIKE compares with: a constant in the quotes that words have."""
    if not isinstance(node, exp.Literal) or not node.is_string:
        raise QuestionError(
            f"LIKE takes a pattern in 'single' quotes, such as '%storm', got {sql_text(node)}"
        )
    return str(node.this)


def sql_text(node: object) -> str:
    """What stands there, or "nothing" where the parser left a gap."""
    if not isinstance(node, exp.Expr):
        return "nothing"
    return node.sql(dialect="duckdb", unsupported_level=ErrorLevel.IGNORE, comments=False)
