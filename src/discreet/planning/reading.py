"""What must be counted for a plan: one aggregate SELECT for each statistic, and its histograms."""

from collections.abc import Iterable, Sequence

from sqlglot import exp

from discreet.planning.subject import Histogram
from discreet.questions import Question, Statistic
from discreet.questions.conditions import to_sql
from discreet.tables import TABLE


def counting_select(question: Question, statistic: Statistic) -> exp.Select:
    """SELECT group, index, COUNT(*): a row for each pair that occurs.

    The group is the bin's number (0 without groups). The index is the column's, or 1 where the
    statistic's own condition holds and 0 where it does not.
    """
    group: exp.Expression = exp.Literal.number(0)
    if question.group_by is not None:
        column = exp.column(question.group_by.column, quoted=True)
        group = exp.cast(
            exp.Floor(
                this=exp.Div(
                    this=exp.cast(column, "DOUBLE"),
                    expression=exp.Literal.number(question.group_by.width),
                    typed=False,
                )
            ),
            "BIGINT",
        )
    if statistic.column is None:
        index: exp.Expression = exp.Case(
            ifs=[exp.If(this=to_sql(statistic.condition), true=exp.Literal.number(1))],
            default=exp.Literal.number(0),
        )
    else:
        index = exp.column(statistic.column, quoted=True)
    return (
        exp.select(group.as_("the_group"), index.as_("the_index"), exp.Count(this=exp.Star()))
        .from_(TABLE)
        .where(to_sql(question.where))
        .group_by("1", "2")
    )


def histograms_of(rows: Iterable[Sequence[int]], groups: int) -> list[Histogram]:
    """The rows of a counting SELECT as a histogram for every group, occupied or not."""
    found: list[dict[int, int]] = [{} for _ in range(groups)]
    for group, index, many in rows:
        if 0 <= group < groups:
            found[group][index] = found[group].get(index, 0) + many
    return list(found)
