"""One SELECT out of a line of text, or a sentence that says what is possible instead.

What the parser cannot be trusted with, such as deep nesting, is refused before it is parsed.
Quantiles as people and other systems write them, such as QUARTILES(age), QUANTILES(age, 0.1, 0.9)
and PERCENTILE_DISC(0.5) WITHIN GROUP (ORDER BY age), are spelled out as QUANTILE(column, share).
"""

import difflib
import logging
import re
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.tokenizer_core import TokenType

from discreet.errors import QuestionError
from discreet.exact import show
from discreet.statistics import EXAMPLES, FUNCTIONS, SEVERAL, Rank
from discreet.tables.expressions import CALLED, check_nesting
from discreet.tables.expressions.parsing import DEEPEST, depth, shown
from discreet.text import decimal_text

logging.getLogger("sqlglot").addHandler(logging.NullHandler())

LONGEST = 10_000
_SHOWN = [*EXAMPLES[:7], next(one for one in EXAMPLES if "other)" in one)]
POSSIBLE = f"ask SELECT with {', '.join(_SHOWN)} or another statistic"
QUOTES = "words go in 'single' quotes, names of columns and tables in \"double\" quotes"
_DOUBLED = "a quote inside words is doubled: 'O''Brien'"
_KEYWORDS = (
    *("BIN", "IN", "AND", "OR", "NOT", "WHERE", "BETWEEN", "SELECT", "BY", "AS"),
    *("ROLLUP", "CUBE", "SETS", "HISTOGRAM", "CUMULATIVE"),
    *("HAVING", "FILTER", "OVER", "RATIO", "WEIGHTED_AVG"),
)
_CALLED = frozenset({*FUNCTIONS, *_KEYWORDS}) | CALLED
"""What may stand before a parenthesis in a question."""
_WORDS = {one.function: one for one in SEVERAL.values()}
_MANY = SEVERAL["quantiles"].function
_ONE = Rank(Fraction(1, 2)).words.function
_TOLD = "the answer is always a value of the column, never between two"
_TABLE = re.compile(r"\bFROM\s+([A-Za-z_]\w*)\b", re.IGNORECASE)
_SELECT = re.compile(r"\bSELECT\b", re.IGNORECASE)
_EXPLAIN = re.compile(r"\s*EXPLAIN\s+(?=SELECT\b)", re.IGNORECASE)
_OF_ONE_SHARE = FUNCTIONS[_ONE].functions
_MAY_HAVE_MORE = re.compile(rf"\b({'|'.join(_OF_ONE_SHARE)})\b", re.IGNORECASE)

_QUOTED = re.compile("'[^']*'|\"[^\"]*\"")
_SHORT = 20
_MOST_NAMES = 8
"""So many names are tried in quotes."""
_BEGINNINGS = ("SELECT", "FROM", "WHERE", "GROUP", "HAVING", "ORDER", "LIMIT")
_FIRST_FEW = re.compile(r"\s*SELECT\s+TOP\s+(\d{1,9})\b", re.IGNORECASE)
"""As another dialect cuts what it shows."""


def without_explain(sql: str) -> tuple[bool, str]:
    """Whether a line of SQL asks for the plan alone, and the question in it.

    >>> without_explain("EXPLAIN SELECT COUNT(*)")
    (True, 'SELECT COUNT(*)')
    >>> without_explain("SELECT COUNT(*)")
    (False, 'SELECT COUNT(*)')
    """
    match = _EXPLAIN.match(sql) if isinstance(sql, str) else None
    return (False, sql) if match is None else (True, sql[match.end() :])


def one_select(sql: object) -> exp.Select:
    """The SELECT that a line of SQL is; its clauses are not looked at."""
    if not isinstance(sql, str) or not sql.strip():
        raise QuestionError(f"a question must be a line of SQL; {POSSIBLE}")
    if len(sql) > LONGEST:
        raise QuestionError(f"a question can have at most {LONGEST:,} characters, got {len(sql):,}")
    if depth(sql) > DEEPEST:
        raise QuestionError(f"a question can have at most {DEEPEST} levels of parentheses")
    try:
        refusal = f"nested calls cannot be read here; {POSSIBLE}"
        check_nesting(sql, _CALLED, refusal)
        _check_single_shares(sql)
        statements = _parsed(sql)
    except QuestionError:
        raise
    except (SqlglotError, RecursionError, ValueError, AttributeError, TypeError, IndexError):
        raise QuestionError(_why_unread(sql)) from None
    if len(statements) == 1 and isinstance(statements[0], exp.SetOperation):
        first = next(statements[0].find_all(exp.Select), None)
        raise QuestionError(
            "one SELECT at a time: ask each on its own, or use GROUP BY for the groups of one; "
            f"start with {shown(first)}"
        )
    if not _SELECT.search(sql):
        raise QuestionError(
            f"one SELECT at a time: there is no SELECT in {show(sql.strip())}; {POSSIBLE}"
        )
    if len(statements) != 1 or not isinstance(statements[0], exp.Select):
        raise QuestionError(f"one SELECT at a time, and nothing else; {POSSIBLE}")
    return statements[0]


def _check_single_shares(sql: str) -> None:
    """Refuse a quantile with several shares: the parser reads the first and drops the others."""
    if _MAY_HAVE_MORE.search(sql) is None:
        return
    tokens = sqlglot.tokenize(sql, read="duckdb")
    for place, call in enumerate(tokens[:-1]):
        if call.text.upper() not in _OF_ONE_SHARE or tokens[place + 1].text != "(":
            continue
        inside, starts = 0, [tokens[place + 1].end + 1]
        for token in tokens[place + 1 :]:
            inside += (token.text in ("(", "[")) - (token.text in (")", "]"))
            if token.text == "," and inside == 1:
                starts.append(token.end + 1)
            if inside == 0:
                break
        if len(starts) > 2:
            raise QuestionError(
                f"{call.text} takes a column and one share: for several, write "
                f"{_MANY}({sql[starts[0] : token.start].strip()})"
            )


def _parsed(sql: str) -> list[exp.Expr | None]:
    """The statements of a text; a table that is called as a keyword is (FORCE) may stand bare."""
    try:
        return sqlglot.parse(sql, read="duckdb")
    except SqlglotError:
        named = _TABLE.search(sql)
        if named is None or any(sql.count(quote, 0, named.start()) % 2 for quote in "'\""):
            raise
        quoted = f'{sql[: named.start(1)]}"{named[1]}"{sql[named.end(1) :]}'
        return sqlglot.parse(quoted, read="duckdb")


def names_quoted(sql: str, declared: Callable[[str], bool]) -> Iterator[tuple[str, str]]:
    """For each declared name that stands bare, and for all of them, the text with it in quotes."""
    try:
        tokens = sqlglot.tokenize(sql, read="duckdb")
    except (SqlglotError, RecursionError, ValueError):
        return
    quoted = (TokenType.IDENTIFIER, TokenType.STRING)
    bare = [one for one in tokens if one.token_type not in quoted and declared(one.text)]
    names = list(dict.fromkeys(one.text for one in bare))[:_MOST_NAMES]
    for chosen in [*([name] for name in names), names]:
        text = sql
        for one in reversed([one for one in bare if one.text in chosen]):
            text = f'{text[: one.start]}"{one.text}"{text[one.end + 1 :]}'
        yield " and ".join(chosen), text


def _why_unread(sql: str) -> str:
    """What is said of a text that the parser cannot read: the slip, where it can be found."""
    if (few := _FIRST_FEW.match(sql)) is not None:
        return (
            f"TOP {few[1]} is written at the end here: add ORDER BY … LIMIT {few[1]} to the "
            "question, without TOP"
        )
    if (rest := _left_open(sql)) is not None:
        return f"the quote before {show(rest[:_SHORT])} is not closed; {_DOUBLED}; {QUOTES}"
    if (slip := _unpaired(sql)) is not None:
        return slip
    advice = f"{_DOUBLED}; {QUOTES}" if _between_letters(sql) else QUOTES
    return f"this SQL cannot be read here{_misspelt(sql)}; {POSSIBLE}; {advice}"


def _unpaired(sql: str) -> str | None:
    """Which parenthesis has no other; None where all have.

    >>> _unpaired("SELECT AVG(age FROM data")
    "the parenthesis before 'age FROM data' is not closed"
    >>> _unpaired("SELECT AVG(age))")
    "the parenthesis after 'SELECT AVG(age)' has no opening one"
    """
    opened: list[int] = []
    for place, character in enumerate(_QUOTED.sub(lambda quoted: " " * len(quoted[0]), sql)):
        if character in "([":
            opened.append(place)
        elif character in ")]":
            if not opened:
                before = sql[max(0, place - _SHORT) : place]
                return f"the parenthesis after {show(before)} has no opening one"
            opened.pop()
    if not opened:
        return None
    after = sql[opened[-1] + 1 :].strip()[:_SHORT]
    return f"the parenthesis {f'before {show(after)}' if after else 'at the end'} is not closed"


def _misspelt(sql: str) -> str:
    """Which word may be meant for one that begins a clause.

    >>> _misspelt("SELECT COUNT(*) FORM data")
    ", perhaps FROM is meant for 'FORM'"
    """
    words = [one.upper() for one in re.findall(r"[A-Za-z_]\w*", _QUOTED.sub(" ", sql))]
    for word in words:
        alike = difflib.get_close_matches(word, _BEGINNINGS, n=1, cutoff=0.75)
        if alike and word not in _BEGINNINGS and (alike[0] not in words or word == words[0]):
            return f", perhaps {alike[0]} is meant for {show(word)}"
    return ""


def _left_open(sql: str) -> str | None:
    """What stands behind a quote that is never closed; None where all are.

    >>> _left_open("SELECT COUNT(*) WHERE a = 'x"), _left_open("SELECT 'it''s'")
    ('x', None)
    """
    rest = _QUOTED.sub(lambda quoted: " " * len(quoted[0]), sql)
    opened = re.search("['\"]", rest)
    return None if opened is None else sql[opened.end() :]


def _between_letters(sql: str) -> bool:
    """Whether a quote stands between letters as that of O'Brien does."""
    return re.search(r"\w'\w", sql) is not None


def spelled_out(item: exp.Expr) -> list[exp.Expr]:
    """One call for each quantile that an expression asks for; any other expression as it is."""
    node = item.unalias().unnest()
    if isinstance(node, exp.WithinGroup):
        node = _ordered(node)
    if isinstance(node, exp.PercentileCont):
        raise _interpolated(node.this, node.args.get("expression"))
    if isinstance(node, exp.Anonymous) and node.name.upper() in _WORDS:
        return _named(item, *_asked(node))
    if isinstance(node, exp.PercentileDisc | exp.Quantile):
        lists = [given for given in node.args.values() if isinstance(given, exp.Array)]
        if lists:
            return _named(item, node.this, lists[0].expressions)
    if node is item.unalias().unnest():
        return [item]
    return [exp.alias_(node, item.alias, quoted=True) if item.alias else node]


def _asked(call: exp.Anonymous) -> tuple[exp.Expr, Sequence[exp.Expr]]:
    """The column and the shares of QUANTILES, QUARTILES or DECILES."""
    words, arguments = _WORDS[call.name.upper()], call.expressions
    column = _text(arguments[0]) if arguments else "column"
    if words.shares and len(arguments) == 1:
        return arguments[0], [exp.Literal.number(decimal_text(one)) for one in words.shares]
    if words.shares:
        raise QuestionError(
            f"{words.function} takes a column and nothing else: write {words.function}({column})"
        )
    given = arguments[1:]
    if len(given) == 1 and isinstance(given[0], exp.Array):
        given = given[0].expressions
    if not given:
        raise QuestionError(
            f"{words.function}({column}) lacks its shares, from 0 to 1: "
            f"write {words.function}({column}, 0.25, 0.5, 0.75)"
        )
    return arguments[0], given


def _named(item: exp.Expr, column: exp.Expr, shares: Sequence[exp.Expr]) -> list[exp.Expr]:
    """A call for each share; a name that was given to all is followed by the share."""
    calls = [exp.Quantile(this=column.copy(), quantile=share.copy()) for share in shares]
    if not item.alias:
        return list(calls)
    return [
        exp.alias_(call, f"{item.alias} {_text(share)}", quoted=True)
        for call, share in zip(calls, shares, strict=True)
    ]


def _ordered(node: exp.WithinGroup) -> exp.Expr:
    """PERCENTILE_DISC(share) WITHIN GROUP (ORDER BY column) as a call with both."""
    order, call = node.expression, node.this
    columns = order.expressions if isinstance(order, exp.Order) else []
    if not isinstance(call, exp.PercentileDisc | exp.PercentileCont) or len(columns) != 1:
        raise QuestionError(
            "WITHIN GROUP is for one quantile of one column: "
            "write PERCENTILE_DISC(0.5) WITHIN GROUP (ORDER BY column)"
        )
    column, share = columns[0].this, call.this
    if isinstance(call, exp.PercentileCont):
        raise _interpolated(column, share)
    if columns[0].args.get("desc"):
        raise QuestionError(
            f"ORDER BY {_text(column)} DESC counts from above: leave out DESC and use 1 minus "
            f"the share, {_ONE}({_text(column)}, 1 - {_text(share)})"
        )
    return exp.PercentileDisc(this=column, expression=share)


def _interpolated(column: object, share: object) -> QuestionError:
    shares = share.expressions if isinstance(share, exp.Array) else [share]
    texts = ", ".join(_text(one) for one in shares)
    called = _MANY if len(shares) > 1 else _ONE
    return QuestionError(
        f"PERCENTILE_CONT and QUANTILE_CONT interpolate, but here {_TOLD}: ask "
        f"{called}({_text(column)}, {texts})"
    )


def _text(node: object) -> str:
    return node.sql(dialect="duckdb", comments=False) if isinstance(node, exp.Expr) else "0.5"
