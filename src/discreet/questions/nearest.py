"""What comes nearest to a question that stays impossible: one that can be asked, in its own words.

Window functions, questions inside questions, joins and functions of one's own are looked for when
a question has been refused; what is proposed has been read, so it is possible.
"""

from collections.abc import Callable, Iterator
from itertools import chain

from sqlglot import exp

from discreet.questions.where import extras
from discreet.statistics import Count, Share
from discreet.tables import Facts, NumberColumn, name_text, shown, sql_text
from discreet.tables.expressions import CALLED, HINTS

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
        message = f"{shown(window)} cannot be asked: values of single rows are never released; ask "
        return message, near
    if select.args.get("qualify") is not None:
        near = _asked(_sorted(select), dataset, reads)
        return "QUALIFY is not possible here, because it chooses single rows; ask ", near
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
    return _of_shown(select, known, dataset, reads)


def _of_shown(
    select: exp.Select, known: frozenset[str], dataset: Facts, reads: Reads
) -> Instead | None:
    """What comes nearest to rows that SELECT would show, and to what is no statistic."""
    shown_rows, statistics = _rows(select)
    if select.args.get("distinct") is not None:
        near = _asked(_each(select, shown_rows, statistics), dataset, reads)
        return (
            "DISTINCT is not possible here: the declared values are public; for how many rows "
            "have each, ask "
        ), near
    if shown_rows and (statistics or isinstance(shown_rows[0], exp.Star)):
        near = _asked(_each(select, shown_rows, statistics), dataset, reads)
        what = shown(shown_rows[0])
        return (
            f"{what} cannot be asked; values of single rows are never released, only one for "
            "each group: ",
            near,
        )
    named = next(_called_as_columns(select, dataset), None)
    if named is not None:
        name = name_text(named)
        near = _asked(_by_place(select, named), dataset, reads)
        return f"{name} is also a column, and GROUP BY {name} means the column; ask ", near
    flags = next((one for one in select.find_all(exp.Sum, exp.Avg) if _is_flag(one.this)), None)
    if flags is not None:
        near = _asked(_counted(flags, select), dataset, reads)
        return f"{shown(flags)} uses a condition as a number; ask ", near
    called = next(_no_statistics(select, known), None)
    if called is not None:
        near = _asked(_without_statistic(called, select, dataset), dataset, reads)
        return f"{shown(called)} cannot be asked; ask ", near
    return None


def _rows(select: exp.Select) -> tuple[list[exp.Expr], list[exp.Expr]]:
    """What SELECT shows of every row, where there are no groups; and what it tells of them all."""
    every = [one.unalias() for one in select.expressions]
    if select.args.get("group") is not None and select.args.get("distinct") is None:
        return [], every
    rows: list[exp.Expr] = [one for one in every if isinstance(one, exp.Column | exp.Star)]
    return rows, [one for one in every if one not in rows]


def _each(select: exp.Select, rows: list[exp.Expr], statistics: list[exp.Expr]) -> Iterator[str]:
    """Statistics, or counts, for each value of the columns that were to be shown."""
    where = select.args.get("where")
    met = "" if where is None else f" WHERE {sql_text(where.this)}"
    by = [sql_text(one) for one in rows if isinstance(one, exp.Column)]
    if statistics and by:
        yield f"SELECT {', '.join(map(sql_text, statistics))}{met} GROUP BY {', '.join(by)}"
    if len(by) == 1 or (by and not statistics):
        yield f"SELECT COUNT(*){met} GROUP BY {', '.join(by)}"
    yield from (f"SELECT COUNT(*){met} GROUP BY {one}" for one in by)


def _called_as_columns(select: exp.Select, dataset: Facts) -> Iterator[str]:
    """Names that AS gives to a group though a column has them, and that GROUP BY names."""
    group = select.args.get("group")
    by = set() if group is None else {one.name for one in group.expressions}
    for one in select.expressions:
        plain = isinstance(one.unalias(), exp.Column) or one.find(exp.AggFunc) is not None
        if one.alias in by and dataset.has(one.alias) and not plain:
            yield one.alias


def _by_place(select: exp.Select, named: str) -> Iterator[str]:
    """The question with the place of a group in place of its name."""
    place = next(at for at, one in enumerate(select.expressions, 1) if one.alias == named)
    renamed = select.copy()
    for one in renamed.args["group"].expressions:
        if one.name == named:
            one.replace(exp.Literal.number(place))
    yield sql_text(renamed)


def _is_flag(node: object) -> bool:
    return isinstance(node, exp.Predicate | exp.Connector | exp.Not)


def _counted(flags: exp.Expr, select: exp.Select) -> Iterator[str]:
    """The question with a count, or a share, of the rows that meet a condition."""
    counted = select.copy()
    node = next(one for one in counted.find_all(type(flags)) if one == flags)
    statistic = Count() if isinstance(flags, exp.Sum) else Share()
    call = exp.Anonymous(this=statistic.words.function, expressions=[flags.this.copy()])
    if node is not counted:
        node.replace(call)
    yield sql_text(counted)
    yield f"SELECT {sql_text(call)}"


def _no_statistics(select: exp.Select, known: frozenset[str]) -> Iterator[exp.Expr]:
    """Calls that SELECT shows of columns, and that are neither statistics nor groups."""
    group = select.args.get("group")
    by = [] if group is None else group.expressions
    for one in (item.unalias() for item in select.expressions):
        quantile = one.find(exp.WithinGroup, exp.PercentileCont, exp.PercentileDisc, exp.Quantile)
        if quantile is not None or one in by or any(isinstance(by_, exp.Literal) for by_ in by):
            continue
        for call in one.find_all(exp.Func):
            name = call.name if isinstance(call, exp.Anonymous) else call.sql_name()
            named = call is one or isinstance(call, exp.AggFunc)
            if named and name.upper() not in known | CALLED | _LISTS and not _is_flag(call):
                yield call


def _without_statistic(call: exp.Expr, select: exp.Select, dataset: Facts) -> Iterator[str]:
    """The question without it; the statistics inside it; counts and quartiles of its columns."""
    rest = [one for one in select.expressions if call not in one.walk()]
    if any(one.find(exp.AggFunc) for one in rest):
        shorter = select.copy()
        shorter.set("expressions", [one.copy() for one in rest])
        yield sql_text(shorter)
    group = select.args.get("group")
    by = [] if group is None else [sql_text(one) for one in group.expressions]
    grouped = f" GROUP BY {', '.join(by)}" if by else ""
    yield from (
        f"SELECT {sql_text(one)}{grouped}" for one in call.find_all(exp.AggFunc) if one is not call
    )
    yield from (
        f"SELECT COUNT({sql_text(one)}){grouped}"
        for one in call.find_all(exp.Predicate)
        if one is not call
    )
    names = dict.fromkeys(one.name for one in call.find_all(exp.Column) if dataset.has(one.name))
    columns = [dataset.column(one) for one in names]
    words = [name_text(one.name) for one in columns if not isinstance(one, NumberColumn)]
    numbers = [name_text(one.name) for one in columns if isinstance(one, NumberColumn)]
    every = ", ".join(dict.fromkeys([*by, *words]))
    for one in numbers:
        yield f"SELECT QUARTILES({one})" + (f" GROUP BY {every}" if every else "")
    if every:
        yield f"SELECT COUNT(*) GROUP BY {every}"


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
        yield from _sorted(select, one)
        if isinstance(call.this, exp.Column):
            yield from _over(f"AVG({sql_text(call.this)})", one)
        yield f"SELECT QUARTILES({one})"


def _over(call: str, column: str) -> Iterator[str]:
    """A statistic along a column: by month of dates, by value of others."""
    yield f"SELECT {call} GROUP BY DATE_TRUNC('month', {column})"
    yield f"SELECT {call} GROUP BY {column}"


def _sorted(select: exp.Select, of: str = "COUNT(*)") -> Iterator[str]:
    """Groups in the order of a statistic, or of their counts, where there are groups."""
    group = select.args.get("group")
    if group is not None and group.expressions:
        by = ", ".join(map(sql_text, group.expressions))
        yield from (f"SELECT {one} GROUP BY {by} ORDER BY {one} DESC" for one in (of, "COUNT(*)"))


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
        message = "a question inside another cannot be asked; write its conditions together: "
        return message, near
    alone = sql_text(_bare(inner))
    listed = (
        f"SELECT COUNT(*){where} GROUP BY {sql_text(one.unalias())}" for one in inner.expressions
    )
    near = _asked(iter([alone, *listed, f"SELECT COUNT(*){where}"]), dataset, reads)
    return (
        "a question inside another cannot be asked; ask it on its own first, and write its answer "
        "as a constant: "
    ), near


def _is_table(inner: exp.Select) -> bool:
    """Whether it stands for rows: after FROM or in WITH, with nothing told of them."""
    place = inner.parent if isinstance(inner.parent, exp.Subquery) else inner
    rows = isinstance(place.parent, exp.From | exp.CTE)
    plain = not inner.find(exp.AggFunc) and inner.args.get("group") is None
    return rows and plain


def _bare(select: exp.Select) -> exp.Select:
    """The same of the one table there is: without FROM, joins and WITH, and names of tables."""
    bare = select.copy()
    for clause in ("from_", "from", "joins", "with_", "with"):
        bare.set(clause, None)
    for column in bare.find_all(exp.Column):
        column.set("table", None)
    return bare


def _of_join(select: exp.Select, dataset: Facts, reads: Reads) -> Instead:
    tables = [one.name.lower() for one in select.find_all(exp.Table)]
    own = sum(one in dataset.table_names for one in tables) > 1
    pairs = [one for one in select.find_all(exp.EQ) if isinstance(one.this, exp.Column)]
    joined = (f"SELECT COUNT(*) GROUP BY {sql_text(exp.column(one.this.name))}" for one in pairs)
    near = _asked(iter([*joined] if own else [sql_text(_bare(select)), *joined]), dataset, reads)
    if own:
        return (
            "JOIN is not possible here; single rows are not compared with one another, only "
            "groups of rows: "
        ), near
    return (
        "JOIN is not possible here; there is only one table, and the custodian can declare a "
        "public table as a lookup; ask "
    ), near


def _unknown_calls(
    select: exp.Select, known: frozenset[str], dataset: Facts
) -> Iterator[exp.Anonymous]:
    """Calls of what is neither known nor a column whose name lacks its quotes."""
    for one in select.find_all(exp.Anonymous):
        named = one.name.upper() in known | CALLED | _LISTS or one.name.upper() in HINTS
        if not named and not dataset.has(one.name):
            yield one


def _without_call(called: exp.Anonymous, select: exp.Select) -> Iterator[str]:
    """The question with a column in place of the call, and the statistics of that column."""
    columns = [sql_text(one) for one in called.find_all(exp.Column)]
    for column in columns:
        shorter = select.copy()
        node = next(one for one in shorter.find_all(exp.Anonymous) if one == called)
        node.replace(exp.maybe_parse(column, dialect="duckdb"))
        yield sql_text(shorter)
    for column in columns:
        yield f"SELECT AVG({column})"
        yield f"SELECT COUNT(*) GROUP BY {column}"
