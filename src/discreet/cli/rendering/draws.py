"""Draws for a true answer, and how they are said."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from discreet.certifier import Certified
from discreet.cli.rendering.description import certificate_facts, mechanism_facts
from discreet.cli.rendering.terminal import say_json
from discreet.sampling import draw_many
from discreet.text import label


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


def say_draws(draws: Draws, *, as_json: bool) -> None:
    """One output on each line, or all in one JSON document."""
    if as_json:
        say_json(
            {
                "mechanism": mechanism_facts(draws.certified.mechanism),
                "certificate": certificate_facts(draws.certified),
                "draws": draws.to_dict(),
            }
        )
        return
    print("\n".join(label(value) for value in draws.values()))
