"""A question that can be asked, near one that cannot: for a link beside every refusal.

Names that are not declared become the declared name that is most like them; then clauses and
statistics are left out, as few as may be. What is proposed has been read, so it can be asked; only
the declared facts are looked at.
"""

import difflib
from collections.abc import Iterator

from sqlglot import exp

from discreet.errors import DiscreetError, QuestionError
from discreet.questions.as_sql import question_text
from discreet.questions.sql import parse_sql
from discreet.questions.statement import one_select
from discreet.tables import Dataset, sql_text

_CLAUSES = (
    ("order", "limit", "offset"),
    ("having",),
    ("having", "order", "limit", "offset"),
    ("where",),
    ("group", "having", "order", "limit", "offset"),
    ("where", "group", "having", "order", "limit", "offset"),
)
"""What is left out, the least first."""
EVERY = "SELECT COUNT(*)"
"""What can always be asked."""


def possible_question(sql: str, dataset: Dataset, refused: DiscreetError | None = None) -> str:
    """What comes nearest to a question that was refused, as SQL that can be asked.

    Args:
        sql: What was asked.
        dataset: The declared facts.
        refused: The refusal, which may know it.
    """
    if isinstance(refused, QuestionError) and refused.nearest:
        return refused.nearest
    for proposed in _proposed(sql, dataset):
        try:
            return question_text(parse_sql(proposed, dataset), dataset)
        except (DiscreetError, RecursionError, OverflowError):
            continue
    return EVERY


def _proposed(sql: str, dataset: Dataset) -> Iterator[str]:
    try:
        select = _renamed(one_select(sql), dataset)
    except (DiscreetError, RecursionError):
        return
    yield sql_text(select)
    for clauses in _CLAUSES:
        yield sql_text(_without(select, clauses))
    for item in select.expressions:
        alone = select.copy()
        alone.set("expressions", [item.copy()])
        yield sql_text(alone)
        yield from (sql_text(_without(alone, clauses)) for clauses in _CLAUSES)
    for column in select.find_all(exp.Column):
        yield f"SELECT AVG({sql_text(column)})"
        yield f"SELECT COUNT(*) GROUP BY {sql_text(column)}"


def _without(select: exp.Select, clauses: tuple[str, ...]) -> exp.Select:
    shorter = select.copy()
    for clause in clauses:
        shorter.set(clause, None)
    return shorter


def _renamed(select: exp.Select, dataset: Dataset) -> exp.Select:
    """The same with declared names in place of those that are none."""
    renamed = select.copy()
    names = [column.name for column in dataset.every_column]
    folded = {name.lower(): name for name in names}
    for column in list(renamed.find_all(exp.Column)):
        if dataset.has(column.name):
            continue
        alike = difflib.get_close_matches(column.name.lower(), list(folded), n=1, cutoff=0.5)
        if alike:
            column.set("this", exp.to_identifier(folded[alike[0]], quoted=True))
    return renamed
