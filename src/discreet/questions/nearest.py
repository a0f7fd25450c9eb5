"""What comes nearest to a question that stays impossible: one that can be asked, in its own words.

Window functions, questions inside questions, joins and functions of one's own are looked for when
a question has been refused; what is proposed has been read, so it is possible.
"""

from collections.abc import Callable, Iterator
from itertools import chain

from sqlglot import exp

from discreet.questions.where import extras
from discreet.tables import Facts, name_text, shown, sql_text
from discreet.tables.expressions import CALLED

Instead = tuple[str, str]
"""A sentence that ends in a question, without that question; and the question."""
Reads = Callable[[str], bool]
"""Whether a line of SQL can be asked."""
_LONGEST = 300
"""Proposals of more characters would hide in a message what it says."""
_RUNS = (exp.Sum, exp.Count)
_LISTS = frozenset({"BIN", "CUMULATIVE", "HISTOGRAM", "RATIO", "WEIGHTED_AVG"})


def instead(
    select: exp.Select, dataset: Facts, known: frozenset[str], reads: Reads
) -> Instead | None:
    """What is impossible, and what to ask; None where it is something else.

    Args:
        select: A SELECT that was refused.
        dataset: The declared facts.
        known: What statistics are called.
        reads: Whether a line of SQL can be asked.
    """
    window = next((one for one in select.find_all(exp.Window) if _is_impossible(one)), None)
    if window is not None:
        near = _asked(_without_window(window, select), dataset, reads)
        told = f"{shown(window)} cannot be asked: a value for every row is never told; ask "
        return told, near
    if select.args.get("qualify") is not None:
        near = _asked(_sorted(select), dataset, reads)
        return "QUALIFY is not possible here, it chooses among rows; ask ", near
    inner = _inner(select)
    if inner is not None:
        return _of_inner(select, inner, dataset, reads)
    if select.args.get("joins"):
        return _of_join(select, dataset, reads)
    called = next(_unknown_calls(select, known, dataset), None)
    if called is not None:
        near = _asked(_without_call(called, select), dataset, reads)
        return (
            f"{shown(called)} cannot be asked: write what {called.name} does as an expression, "
            "such as CASE WHEN … THEN … ELSE … END; without it ask "
        ), near
    return None


def _asked(proposed: Iterator[str], dataset: Facts, reads: Reads) -> str:
    """The first that can be asked; at last a count of all rows, which always can."""
    groups = (f"SELECT COUNT(*) GROUP BY {name_text(one.name)}" for one in dataset.columns)
    short = (one for one in chain(proposed, groups) if len(one) <= _LONGEST)
    return next(filter(reads, short), "SELECT COUNT(*)")


def _is_impossible(window: exp.Window) -> bool:
    """All but the total of counts over all groups: SUM(COUNT(*)) OVER ()."""
    return not isinstance(window.this, exp.Sum) or extras(window, "over")


def _without_window(window: exp.Window, select: exp.Select) -> Iterator[str]:
    call, order = window.this, window.args.get("order")
    by = ", ".join(sql_text(one) for one in window.args.get("partition_by") or [])
    sorted_by = [one.this for one in order.expressions] if order is not None else []
    if by:
        yield f"SELECT {sql_text(call)} GROUP BY {by}"
        yield from (f"SELECT QUARTILES({sql_text(one)}) GROUP BY {by}" for one in sorted_by)
        yield f"SELECT COUNT(*) GROUP BY {by}"
    for one in map(sql_text, sorted_by):
        if isinstance(call, _RUNS):
            if isinstance(call, exp.Count) or isinstance(call.this, exp.Count):
                yield f"SELECT COUNT(*) GROUP BY CUMULATIVE({one})"
            yield from _over(sql_text(call), one)
        yield from _sorted(select)
        if isinstance(call.this, exp.Column):
            yield from _over(f"AVG({sql_text(call.this)})", one)
        yield f"SELECT QUARTILES({one})"


def _over(call: str, column: str) -> Iterator[str]:
    """A statistic along a column: by month of dates, by value of others."""
    yield f"SELECT {call} GROUP BY DATE_TRUNC('month', {column})"
    yield f"SELECT {call} GROUP BY {column}"


def _sorted(select: exp.Select) -> Iterator[str]:
    """Groups in the order of their counts, where there are groups."""
    group = select.args.get("group")
    if group is not None and group.expressions:
        by = ", ".join(map(sql_text, group.expressions))
        yield f"SELECT COUNT(*) GROUP BY {by} ORDER BY COUNT(*) DESC"


def _inner(select: exp.Select) -> exp.Select | None:
    """The first question inside this one."""
    return next((one for one in select.find_all(exp.Select) if one is not select), None)


def _of_inner(select: exp.Select, inner: exp.Select, dataset: Facts, reads: Reads) -> Instead:
    condition = inner.args.get("where")
    where = "" if condition is None else f" WHERE {sql_text(condition.this)}"
    if _is_table(inner):
        outer = _bare(select)
        both = [one.args["where"].this for one in (outer, inner) if one.args.get("where")]
        if both:
            outer.set("where", exp.Where(this=exp.and_(*(one.copy() for one in both))))
        near = _asked(iter([sql_text(outer), f"SELECT COUNT(*){where}"]), dataset, reads)
        told = "a question inside another cannot be asked; write its conditions together: "
        return told, near
    alone = sql_text(_bare(inner))
    listed = (
        f"SELECT COUNT(*){where} GROUP BY {sql_text(one.unalias())}" for one in inner.expressions
    )
    near = _asked(iter([alone, *listed, f"SELECT COUNT(*){where}"]), dataset, reads)
    return (
        "a question inside another cannot be asked; ask it by itself first, and write what it "
        "answers as a constant: "
    ), near


def _is_table(inner: exp.Select) -> bool:
    """Whether it stands for rows: after FROM or in WITH, with nothing told of them."""
    place = inner.parent if isinstance(inner.parent, exp.Subquery) else inner
    rows = isinstance(place.parent, exp.From | exp.CTE)
    plain = not inner.find(exp.AggFunc) and inner.args.get("group") is None
    return rows and plain


def _bare(select: exp.Select) -> exp.Select:
    """The same of the one table there is: without FROM, joins and WITH, and names of tables."""
    found = select.copy()
    for clause in ("from_", "from", "joins", "with_", "with"):
        found.set(clause, None)
    for column in found.find_all(exp.Column):
        column.set("table", None)
    return found


def _of_join(select: exp.Select, dataset: Facts, reads: Reads) -> Instead:
    tables = [one.name.lower() for one in select.find_all(exp.Table)]
    own = sum(one in dataset.table_names for one in tables) > 1
    pairs = [one for one in select.find_all(exp.EQ) if isinstance(one.this, exp.Column)]
    joined = (f"SELECT COUNT(*) GROUP BY {sql_text(exp.column(one.this.name))}" for one in pairs)
    near = _asked(iter([*joined] if own else [sql_text(_bare(select)), *joined]), dataset, reads)
    if own:
        return (
            "JOIN is not possible here; rows are not compared with one another, groups of them "
            "are: "
        ), near
    return (
        "JOIN is not possible here; there is one table here, and what a public table would add the "
        "custodian can declare as a lookup; ask "
    ), near


def _unknown_calls(
    select: exp.Select, known: frozenset[str], dataset: Facts
) -> Iterator[exp.Anonymous]:
    """Calls of what is neither known nor a column whose name lacks its quotes."""
    for one in select.find_all(exp.Anonymous):
        if one.name.upper() not in known | CALLED | _LISTS and not dataset.has(one.name):
            yield one


def _without_call(called: exp.Anonymous, select: exp.Select) -> Iterator[str]:
    """The question with a column in place of the call, and the statistics of that column."""
    columns = [sql_text(one) for one in called.find_all(exp.Column)]
    for column in columns:
        found = select.copy()
        node = next(one for one in found.find_all(exp.Anonymous) if one == called)
        node.replace(exp.maybe_parse(column, dialect="duckdb"))
        yield sql_text(found)
    for column in columns:
        yield f"SELECT AVG({column})"
        yield f"SELECT COUNT(*) GROUP BY {column}"
