"""GROUP BY with totals: ROLLUP, CUBE and GROUPING SETS as sets of the columns that are kept apart.

A set names the columns whose values make groups; rows are added up over the others.
"""

import math
from collections.abc import Iterable, Sequence
from itertools import combinations, product

from sqlglot import exp

from discreet.errors import QuestionError

MOST_SETS = 64
"""How many sets of groups one question may ask for."""
Sets = tuple[tuple[int, ...], ...]
"""Which of the columns are kept apart, by their places: for each set of groups."""
_Nodes = list[exp.Expr]


def grouping_sets(group: exp.Group) -> tuple[_Nodes, Sets]:
    """What GROUP BY names, each once, and the sets that it asks for; none where there are no
    totals."""
    named = list(group.expressions)
    if group.args.get("rollup"):  # GROUP BY a, b WITH ROLLUP
        joined = _prefixes([[one] for one in named])
    elif group.args.get("cube"):
        joined = _subsets([[one] for one in named])
    elif any(isinstance(one, _WITH_TOTALS) for one in named):
        joined = _crossed([_sets_of(one) for one in named])
    else:
        return named, ()
    named = _distinct(_flat(joined))
    places = {tuple(sorted({named.index(node) for node in one})) for one in joined}
    sets = tuple(sorted(places, key=lambda one: (-len(one), one)))
    return named, () if sets == (tuple(range(len(named))),) else sets


def all_prefixes(columns: int) -> Sets:
    """The sets of ROLLUP over so many columns."""
    return tuple(tuple(range(many)) for many in range(columns, -1, -1))


def all_subsets(columns: int) -> Sets:
    """The sets of CUBE over so many columns."""
    every = range(columns)
    return tuple(one for many in range(columns, -1, -1) for one in combinations(every, many))


def totals_text(columns: Sequence[str], sets: Sets) -> str:
    """Sets of groups as SQL, in the shortest words.

    >>> totals_text(["a", "b"], ((0, 1), (0,), ()))
    'ROLLUP(a, b)'
    >>> totals_text(["a", "b"], ((0,), (1,)))
    'GROUPING SETS ((a), (b))'
    """
    for word, every in (("ROLLUP", all_prefixes), ("CUBE", all_subsets)):
        if set(sets) == set(every(len(columns))):
            return f"{word}({', '.join(columns)})"
    texts = (f"({', '.join(columns[place] for place in one)})" for one in sets)
    return f"GROUPING SETS ({', '.join(texts)})"


_WITH_TOTALS = (exp.Rollup, exp.Cube, exp.GroupingSets)


def _crossed(parts: Sequence[Sequence[_Nodes]]) -> list[_Nodes]:
    """Every combination of the sets of several things after GROUP BY."""
    if math.prod(map(len, parts)) > MOST_SETS:
        raise _too_many()
    return [_flat(each) for each in product(*parts)]


def _sets_of(node: exp.Expr) -> list[_Nodes]:
    """The sets that one thing after GROUP BY stands for."""
    match node:
        case exp.Rollup():
            return _prefixes([_members(one) for one in node.expressions])
        case exp.Cube():
            return _subsets([_members(one) for one in node.expressions])
        case exp.GroupingSets():
            sets = [one for part in node.expressions for one in _inner(part)]
            if len(sets) > MOST_SETS:
                raise _too_many()
            return sets
        case _:
            return [[node]]


def _inner(node: exp.Expr) -> list[_Nodes]:
    return _sets_of(node) if isinstance(node, _WITH_TOTALS) else [_members(node)]


def _members(node: exp.Expr) -> _Nodes:
    """The columns of (a, b), of (a), or of a alone."""
    if isinstance(node, exp.Tuple):
        return list(node.expressions)
    return [node.this] if isinstance(node, exp.Paren) else [node]


def _prefixes(parts: Sequence[_Nodes]) -> list[_Nodes]:
    _check(parts)
    if len(parts) >= MOST_SETS:
        raise _too_many()
    return [_flat(parts[:many]) for many in range(len(parts), -1, -1)]


def _subsets(parts: Sequence[_Nodes]) -> list[_Nodes]:
    _check(parts)
    if 2 ** len(parts) > MOST_SETS:
        raise _too_many()
    return [_flat(one) for many in range(len(parts), -1, -1) for one in combinations(parts, many)]


def _check(parts: Sequence[_Nodes]) -> None:
    if not parts:
        raise QuestionError("ROLLUP and CUBE take columns: GROUP BY ROLLUP(column, column)")


def _flat(parts: Iterable[_Nodes]) -> _Nodes:
    return [node for nodes in parts for node in nodes]


def _distinct(nodes: Iterable[exp.Expr]) -> _Nodes:
    distinct: _Nodes = []
    for node in nodes:
        if node not in distinct:
            distinct.append(node)
    return distinct


def _too_many() -> QuestionError:
    return QuestionError(
        f"this asks for more than {MOST_SETS} sets of totals; name the ones you need: GROUP BY "
        "GROUPING SETS ((a, b), (a), ())"
    )
