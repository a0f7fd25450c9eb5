"""Everything wrong with a dataset file, each with its line: read once, mend all."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from discreet.errors import DatasetError
from discreet.exact import show


@dataclass(frozen=True)
class FileProblem:
    """One thing to mend; line 0 means the whole file."""

    line: int
    text: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.text}" if self.line else self.text


@dataclass
class Problems:
    """Problems found so far, and where keys stand in the text."""

    text: str
    found: list[FileProblem] = field(default_factory=list)

    def add(self, section: str, key: str, text: str) -> None:
        """Note what is wrong with a key of a section (or the section itself)."""
        self.found.append(FileProblem(self._line(section, key), text))

    def _line(self, section: str, key: str) -> int:
        current, section_line = "", 0
        for number, raw in enumerate(self.text.splitlines(), start=1):
            line = raw.strip()
            if line.startswith("[") and line.endswith("]"):
                current = line.strip("[]").replace('"', "").strip()
                if current == section:
                    section_line = number
            elif current == section and key:
                name = line.split("=", 1)[0].strip().strip('"')
                if "=" in line and name == key:
                    return number
        return section_line

    def raise_first(self, file: str) -> None:
        """Raise a DatasetError with the file, the first problem and how many more there are."""
        if not self.found:
            return
        first = min(self.found, key=lambda problem: problem.line)
        more = len(self.found) - 1
        rest = f" (and {more} more)" if more else ""
        where = f"{show(file)}, " if first.line else f"{show(file)}: "
        every = sorted(self.found, key=lambda problem: problem.line)
        raise DatasetError(f"{where}{first}{rest}", problems=[str(problem) for problem in every])


def key_that_is_no_text(facts: Mapping[Any, Any]) -> object:
    """A key of a dictionary, or of one inside it, that no TOML file could have; None without."""
    for key, value in facts.items():
        if not isinstance(key, str):
            return key
        if isinstance(value, Mapping) and (inner := key_that_is_no_text(value)) is not None:
            return inner
    return None
