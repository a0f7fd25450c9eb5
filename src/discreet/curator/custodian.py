"""What a custodian is told of declared columns: of public facts, for whoever declares them."""

from fractions import Fraction

from discreet.statistics import MOST_RANKED
from discreet.tables import Dataset, NumberColumn
from discreet.tables.remarks import Remark
from discreet.text import decimal_text


def crowded_remarks(dataset: Dataset) -> list[Remark]:
    """A sentence for each column with too many values for medians: a public fact."""
    return [
        (
            column.name,
            f"{column.size:,} values are too many for medians and quantiles; the limit is "
            f"{MOST_RANKED:,}; declare a larger step, such as {decimal_text(_larger(column))}",
        )
        for column in dataset.columns
        if isinstance(column, NumberColumn) and column.size > MOST_RANKED
    ]


def crowded_notes(dataset: Dataset) -> list[str]:
    """The same, a line for each."""
    return [f"{name}: {remark}" for name, remark in crowded_remarks(dataset)]


def _larger(column: NumberColumn) -> Fraction:
    """A round multiple of the step with which medians can be told."""
    times, wanted = 1, Fraction(column.size - 1, MOST_RANKED - 1)
    while times < wanted:
        digit = int(str(times)[0])
        times = times // digit * {1: 2, 2: 5, 5: 10}[digit]
    return column.grid.step * times
