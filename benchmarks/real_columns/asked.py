"""What is asked: a statistic of a sample, whole, filtered or by group, under either relation."""

import tempfile
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from pathlib import Path

from discreet.model import Relation
from discreet.tables import Dataset, read_dataset

EPSILONS = ("0.1", "0.3", "1", "2")
SIZES = (10, 30, 100, 300, 1_000, 10_000)
GROUPS = ("a", "b", "c", "d")


class Statistic(Enum):
    """What is told; the value is its SQL."""

    MIN = "MIN(x)"
    Q10 = "QUANTILE(x, 0.1)"
    MEDIAN = "MEDIAN(x)"
    Q90 = "QUANTILE(x, 0.9)"
    MAX = "MAX(x)"
    MODE = "MODE(x)"
    MEAN = "AVG(x)"

    @property
    def share(self) -> Fraction | None:
        """The share of an order statistic."""
        return SHARES.get(self)


SHARES = {
    Statistic.MIN: Fraction(0),
    Statistic.Q10: Fraction(1, 10),
    Statistic.MEDIAN: Fraction(1, 2),
    Statistic.Q90: Fraction(9, 10),
    Statistic.MAX: Fraction(1),
}


class Rows(Enum):
    """Which rows of the table are asked about; the value is the rest of the SQL."""

    WHOLE = ""
    FILTERED = " WHERE chosen"
    GROUPED = " GROUP BY part"


@dataclass(frozen=True, kw_only=True)
class Asked:
    """All that is public of a cell: everything that its plan depends on."""

    values: int
    from_zero: bool
    words: bool
    rows: int
    """How many rows are counted; of a filter, or in a group, nobody is told."""
    statistic: Statistic
    selected: Rows
    relation: Relation
    epsilon: str

    @property
    def sql(self) -> str:
        """The question."""
        return f"SELECT {self.statistic.value}{self.selected.value}"

    @property
    def size_is_public(self) -> bool:
        """Whether the number of counted rows is."""
        return self.relation == Relation.CHANGE and self.selected is Rows.WHOLE

    @property
    def table_rows(self) -> int:
        """How many rows the whole table has: a filter takes half of them, a group its share."""
        return {Rows.WHOLE: 1, Rows.FILTERED: 2, Rows.GROUPED: len(GROUPS)}[
            self.selected
        ] * self.rows

    def dataset(self) -> Dataset:
        """The declared facts, read from a dataset file as a custodian would write it."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "real.toml"
            path.write_text(self._file())
            return read_dataset(path)

    def _file(self) -> str:
        first = 0 if self.from_zero else 1
        column = f'type = "integer"\nlow = {first}\nhigh = {first + self.values - 1}'
        column += f"\nmissing = {first}"
        if self.words:
            listed = ", ".join(f'"{word}"' for word in self.labels)
            column = f'type = "category"\nvalues = [{listed}]\nmissing = "{self.labels[0]}"'
        size = f"size = {self.table_rows}"
        if self.relation == Relation.ADD_OR_REMOVE:
            size = f'neighbours = "add-or-remove"\nsize_at_most = {10 * self.table_rows}'
        groups = ", ".join(f'"{group}"' for group in GROUPS)
        return f"""
name = "real"
confirmed = true
[source]
path = "real.csv"
[privacy]
{size}
[budget]
total = "10"
[columns.x]
gaps = false
{column}
[columns.chosen]
type = "boolean"
gaps = false
missing = false
[columns.part]
type = "category"
values = [{groups}]
gaps = false
missing = "{GROUPS[0]}"
"""

    @property
    def labels(self) -> tuple[str, ...]:
        """The words of a category."""
        return tuple(f"w{place:04}" for place in range(self.values))
