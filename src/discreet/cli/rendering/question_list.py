"""The questions of a ledger below one another, in columns at any width."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult

LONGEST_NAME = 20
_GAP = "  "


@dataclass(frozen=True)
class Questions:
    """For each question: when, which id, who, at what ε; and what was asked."""

    entries: tuple[tuple[tuple[str, ...], str], ...]

    @classmethod
    def of(cls, questions: Iterable[Mapping[str, Any]]) -> "Questions":
        """From the questions of a ledger's summary."""
        return cls(tuple((_cells(question), _asked(question)) for question in questions))

    def __rich_console__(self, _screen: "Console", options: "ConsoleOptions") -> "RenderResult":
        """A line for each where all of them fit; else what was asked goes below, further in."""
        from rich.cells import cell_len, set_cell_size
        from rich.padding import Padding
        from rich.text import Text

        columns = zip(*(cells for cells, _ in self.entries), strict=True)
        widths = [min(LONGEST_NAME, max(map(cell_len, column))) for column in columns]
        heads = [
            _GAP.join(
                set_cell_size(cell, max(width, cell_len(cell)))
                for cell, width in zip(cells, widths, strict=True)
            )
            for cells, _ in self.entries
        ]
        for head, (_, asked) in zip(heads, self.entries, strict=True):
            if self._fit(heads, options.max_width):
                yield Text(f"{_GAP}{head}{_GAP}{asked}")
            else:
                yield Padding(Text(head.rstrip()), (0, 0, 0, 2))
                yield Padding(Text(asked), (0, 0, 0, 6))

    def _fit(self, heads: list[str], width: int) -> bool:
        from rich.cells import cell_len

        wanted = (
            cell_len(head) + cell_len(asked)
            for head, (_, asked) in zip(heads, self.entries, strict=True)
        )
        return max(wanted, default=0) + 2 * len(_GAP) <= width


def _cells(question: Mapping[str, Any]) -> tuple[str, ...]:
    when = question["at"][:16].replace("T", " ")
    return (when, question["id"], question["analyst"], f"ε = {question['epsilon']}")


def _asked(question: Mapping[str, Any]) -> str:
    state = "" if question["answered"] else "  (charged, no answer: ask under a new id)"
    return f"{question['asked'] or ''}{state}".strip()
