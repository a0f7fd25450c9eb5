"""The most frequent words, with their counts."""

from dataclasses import dataclass
from typing import Any, ClassVar, cast

from discreet.errors import QuestionError
from discreet.exact import show
from discreet.model import Labels, Relation
from discreet.statistics.answers import Counts, Form, Rows, Values
from discreet.statistics.counted import Counted
from discreet.statistics.statistic import Parameter, Statistic, Takes, Words


@dataclass(frozen=True)
class Top(Statistic):
    """The `most` most frequent words, with their counts."""

    most: int

    names: ClassVar[tuple[Words, ...]] = (
        Words(
            name="top",
            functions=("TOP",),
            takes=Takes.WORDS,
            title="the most frequent words",
            phrase="the {parameter} most frequent values of {column}",
            make=lambda most: Top(cast(int, most)),
            parameter=Parameter(
                key="most",
                letter="r",
                of="TOP",
                title="how many words",
                range="how many",
                example="3",
                whole=True,
            ),
        ),
    )

    @property
    def parameter(self) -> int:
        """How many words are told."""
        return self.most

    def form(self, rows: Rows) -> Counts:
        """A count for every word; a row that changes moves two of them."""
        assert isinstance(rows.values, Labels)
        return Counts(
            labels=rows.values,
            most_rows=rows.most,
            told=self.most,
            steps=1 if rows.relation == Relation.ADD_OR_REMOVE else 2,
        )

    def place(self, counted: Counted, form: Form) -> int:
        """A list of words has no place."""
        raise TypeError("the most frequent words are counted, not placed")

    def is_whole(self, whole_values: bool) -> bool:
        """Counts are whole."""
        return True

    def check(self, column: str, values: Values) -> None:
        """QuestionError unless so many words are there."""
        if type(self.most) is not int or not 1 <= self.most <= len(values):
            raise QuestionError(
                f"{self.words.function}({column}, r) needs r from 1 to {len(values)}, a whole "
                f"number, got {show(self.most)}"
            )

    def to_dict(self) -> dict[str, Any]:
        """It as plain JSON values."""
        return {**super().to_dict(), "most": self.most}
