"""Where output goes: tables and colours for people, one JSON document for programs."""

import json
import math
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType, RenderResult

PIPED_WIDTH = 160
_RULE = 88


def console() -> "Console":
    """A console on today's standard output: colours only where a person looks at a terminal."""
    from rich.console import Console

    plain = Console(highlight=False, markup=False, emoji=False)
    if plain.is_terminal or "COLUMNS" in plain._environ:
        return plain
    return Console(highlight=False, markup=False, emoji=False, width=PIPED_WIDTH)


def say(screen: "Console", *parts: "RenderableType") -> None:
    """Print parts below one another; off a terminal, without the blanks that fill up lines."""
    if screen.is_terminal:
        for part in parts:
            screen.print(part)
        return
    with screen.capture() as captured:
        for part in parts:
            screen.print(part)
    print("\n".join(line.rstrip() for line in captured.get().splitlines()), file=screen.file)


@dataclass(frozen=True)
class Heading:
    """A line that opens a part of a longer report, as wide as the screen at most."""

    title: str

    def __rich_console__(self, _screen: "Console", options: "ConsoleOptions") -> "RenderResult":
        """The title with a rule behind it; one that is too long goes on below."""
        from rich.cells import cell_len
        from rich.text import Text

        words = f"── {self.title} "
        rule = "─" * (min(_RULE, options.max_width) - cell_len(words))
        yield Text(words.rstrip() if not rule else words + rule, style="bold")


def heading(title: str) -> Heading:
    """A line that opens a part of a longer report."""
    return Heading(title)


def say_json(document: Mapping[str, Any]) -> None:
    """Print one JSON document; an infinite or undefined number becomes null."""
    encoding = (getattr(sys.stdout, "encoding", None) or "ascii").lower().replace("-", "")
    print(json.dumps(plain(document), indent=2, ensure_ascii=encoding != "utf8", allow_nan=False))


def plain(value: Any) -> Any:
    """Any of our values as JSON knows them: a whole fraction as a number, others as text.

    >>> plain({"error": Fraction(5, 2), "size": Fraction(3), "epsilon": float("inf")})
    {'error': '5/2', 'size': 3, 'epsilon': None}
    """
    if isinstance(value, Mapping):
        return {str(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(entry) for entry in value]
    if isinstance(value, Fraction):
        return int(value) if value.denominator == 1 else str(value)
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
