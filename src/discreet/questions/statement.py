"""One SELECT out of a line of text, or a sentence that says what is possible instead.

What the parser cannot be trusted with, such as deep nesting, is refused before it is parsed.
"""

import logging
import re

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from discreet.errors import QuestionError
from discreet.statistics import FUNCTIONS, NAMES

logging.getLogger("sqlglot").addHandler(logging.NullHandler())

LONGEST = 10_000
DEEPEST = 50
POSSIBLE = "ask SELECT with " + ", ".join(words.example for words in NAMES.values())
QUOTES = "words go in 'single' quotes, column names in \"double\" quotes"
_DOUBLED = "a quote inside words is doubled: 'O''Brien'"
_KEYWORDS = ("BIN", "IN", "AND", "OR", "NOT", "WHERE", "BETWEEN", "SELECT", "BY", "AS")
_CALLED = frozenset({*FUNCTIONS, *_KEYWORDS})
"""What may stand before a parenthesis in a question."""
_OPENING, _CLOSING = {"(", "[", "{"}, {")", "]", "}"}
_MOST_NESTED = 3


def one_select(sql: object) -> exp.Select:
    """The SELECT that a line of SQL is; its clauses are not looked at."""
    if not isinstance(sql, str) or not sql.strip():
        raise QuestionError(f"a question is a line of SQL; {POSSIBLE}")
    if len(sql) > LONGEST:
        raise QuestionError(f"a question has at most {LONGEST:,} characters, got {len(sql):,}")
    if _depth(sql) > DEEPEST:
        raise QuestionError(f"a question has at most {DEEPEST} parentheses inside one another")
    try:
        _check_nesting(sql)
        statements = sqlglot.parse(sql, read="duckdb")
    except QuestionError:
        raise
    except (SqlglotError, RecursionError, ValueError, AttributeError, TypeError, IndexError):
        advice = f"{_DOUBLED}; {QUOTES}" if _ends_inside_quotes(sql) else QUOTES
        raise QuestionError(f"this SQL cannot be read here; {POSSIBLE}; {advice}") from None
    if len(statements) != 1 or not isinstance(statements[0], exp.Select):
        raise QuestionError(f"one SELECT at a time, and nothing else; {POSSIBLE}")
    return statements[0]


def _check_nesting(sql: str) -> None:
    """Refuse calls, brackets and types inside one another, before they are parsed.

    The parser tries such things again and again: its time doubles with every level. A question
    calls one of the known functions at a time, and never chains comparisons.
    """
    tokens = sqlglot.tokenize(sql, read="duckdb")
    inside: list[bool] = []
    for place, token in enumerate(tokens):
        before = tokens[place - 1] if place else None
        if token.text in _OPENING:
            called = before is not None and before.text.isidentifier()
            known = before is not None and before.text.upper() in _CALLED
            inside.append(token.text != "(" or (called and not known))
        elif token.text in _CLOSING and inside:
            inside.pop()
        chained = token.text == "<" and "<" in [one.text for one in tokens[place + 1 : place + 4]]
        if sum(inside) > _MOST_NESTED or chained:
            raise QuestionError(f"calls inside one another cannot be read here; {POSSIBLE}")


def _ends_inside_quotes(sql: str) -> bool:
    """Whether a quote is left open, or stands between letters as that of O'Brien does."""
    return sql.count("'") % 2 == 1 or re.search(r"\w'\w", sql) is not None


def _depth(sql: str) -> int:
    depth = deepest = 0
    for character in sql:
        depth += (character in "([{") - (character in ")]}")
        deepest = max(deepest, depth)
    return deepest
