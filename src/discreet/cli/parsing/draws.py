"""How often is drawn, and the draws for a true answer."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from discreet.certifier import Certified
from discreet.errors import InvalidInput, named
from discreet.exact import show
from discreet.sampling import draw_many
from discreet.text import label

MOST_DRAWS = 1_000_000


def times_of(text: str) -> int:
    """How many draws: a whole number from one to a million."""
    word = text.strip()
    if word.isascii() and word.isdigit() and len(word) <= 9 and 1 <= int(word) <= MOST_DRAWS:
        return int(word)
    raise InvalidInput(
        f"{named('times')} must be a whole number from 1 to {MOST_DRAWS:,}, got {show(text)}"
    )


@dataclass(frozen=True)
class Draws:
    """Outputs by index, drawn exactly from a certified mechanism for one true answer."""

    certified: Certified
    answer: Fraction | str
    indices: tuple[int, ...]

    def values(self) -> list[Fraction | str]:
        """The outputs themselves."""
        outputs = self.certified.mechanism.outputs
        return [outputs.value(index) for index in self.indices]

    def lines(self) -> str:
        """One output on each line."""
        return "\n".join(label(value) for value in self.values())

    def to_dict(self) -> dict[str, Any]:
        """Indices are exact; values are numbers or names, for reading."""
        return {
            "true_answer": self.answer if isinstance(self.answer, str) else float(self.answer),
            "indices": list(self.indices),
            "values": [
                value if isinstance(value, str) else float(value) for value in self.values()
            ],
        }


def drawn(certified: Certified, answer: str, count: int) -> Draws:
    """Draw `count` times for a true answer in words."""
    answers = certified.mechanism.answers
    index = answers.index(answer.strip())
    return Draws(
        certified, answers.value(index), tuple(draw_many(certified, index, count).tolist())
    )
