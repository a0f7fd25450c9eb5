"""SQL as text: how names are written, what is refused before the parser sees it, and what stood
there, quoted after."""

import sqlglot
from sqlglot import exp
from sqlglot.errors import ErrorLevel

from discreet.errors import QuestionError
from discreet.text import show

DEEPEST = 50
"""How many parentheses may be inside one another."""
_OPENING, _CLOSING = {"(", "[", "{"}, {")", "]", "}"}
_MOST_NESTED = 3
_WORDS_OF_SQL = """
    all alter and any as between case create cross cube current_catalog current_date current_time
    current_timestamp current_user distinct drop else except false fetch for force from glob grant
    having ilike inner insert install intersect interval into join lambda lateral like limit
    localtime localtimestamp lock map not notnull null offset on only or outer partitioned_by
    positional qualify regexp returning revoke rlike rollback rollup select session_user summarize
    tablesample then true uncache union using when where window with xor
    """
_RESERVED = frozenset(_WORDS_OF_SQL.split())
"""What SQL takes for its own unless it stands in quotes."""


def name_text(name: str) -> str:
    """A column's name as SQL.

    >>> name_text("age"), name_text("age in years"), name_text("union")
    ('age', '"age in years"', '"union"')
    """
    plain = name.isascii() and name.isidentifier() and name.lower() not in _RESERVED
    return name if plain else '"' + name.replace('"', '""') + '"'


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
