"""Which share of the rows meets a condition."""

from dataclasses import dataclass
from typing import ClassVar

from discreet.statistics.answers import HOLDS, Form, Rows, averaged
from discreet.statistics.statistic import Adding, Takes, Words


@dataclass(frozen=True)
class Share(Adding):
    """Which share of the rows meets a condition: the mean of 1 where it holds and 0 elsewhere."""

    names: ClassVar[tuple[Words, ...]] = (
        Words(
            name="share",
            functions=("SHARE",),
            takes=Takes.CONDITION,
            title="the share of rows",
            phrase="the share of rows",
            make=lambda _: Share(),
        ),
    )

    def form(self, rows: Rows) -> Form:
        """0 to 1."""
        return averaged(HOLDS, rows)

    def is_whole(self, whole_values: bool) -> bool:
        """Shares are fractions."""
        return False
