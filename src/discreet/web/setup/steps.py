"""The steps of a set-up, read off the draft: what stands there, and what is to be confirmed."""

import tomllib
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from discreet.errors import DatasetError
from discreet.model import Relation
from discreet.questions.words import column_kind, column_range
from discreet.tables import ColumnType, Dataset
from discreet.tables.drafts.writing import to_confirm
from discreet.text import capital

SECTIONS = ("source", "privacy", "budget")


@dataclass(frozen=True, kw_only=True)
class SetupStep:
    """One thing to confirm."""

    title: str
    told: str
    """What stands there now."""
    href: str
    done: bool
    left_out: bool = False


@dataclass(frozen=True)
class Draft:
    """A draft as the pages see it."""

    name: str
    text: str

    @property
    def facts(self) -> dict[str, Any]:
        """What the file says, section by section."""
        try:
            return tomllib.loads(self.text)
        except tomllib.TOMLDecodeError as problem:
            raise DatasetError(f"{self.name}.toml is not a TOML file: {problem}") from None

    @property
    def title(self) -> str:
        """What people call it."""
        return str(self.facts.get("name") or self.name)

    def section(self, *path: str) -> dict[str, Any]:
        """The keys of a section; none where there is no such section."""
        inner: Any = self.facts
        for part in path:
            inner = inner.get(part, {})
        return dict(inner)

    def open(self, *path: str) -> bool:
        """Whether a section is still to be confirmed: a line asks for it, or no reason is given."""
        asked = path in to_confirm(self.text)
        return asked or not self.section(*path).get("why")

    def steps(self, columns: list[str], dataset: Dataset | None) -> list[SetupStep]:
        """Every step, in the order in which they are taken."""
        declared = self.section("columns")
        steps = [self._section_step(one) for one in SECTIONS]
        for column in [*columns, *(name for name in declared if name not in columns)]:
            steps.append(self._column_step(column, column in declared, dataset))
        return steps

    def place(self, path: tuple[str, ...], columns: list[str]) -> str:
        """Where a section or a column stands among the steps."""
        declared = self.section("columns")
        every = [*columns, *(name for name in declared if name not in columns)]
        steps = [*((one,) for one in SECTIONS), *(("columns", one) for one in every)]
        return f"step {steps.index(path) + 1} of {len(steps)}"

    def _section_step(self, section: str) -> SetupStep:
        summaries = {"source": self._source, "privacy": self._privacy, "budget": self._budget}
        titles = {"source": "The table", "privacy": "Who is protected", "budget": "The budget"}
        return SetupStep(
            title=titles[section],
            told=summaries[section](),
            href=f"/setup/{self.name}/{section}",
            done=not self.open(section),
        )

    def _column_step(self, column: str, declared: bool, dataset: Dataset | None) -> SetupStep:
        summary = "left out: analysts do not see it"
        if declared and dataset is not None:
            one = dataset.column(column)
            summary = column_kind(one)
            if one.type != ColumnType.BOOLEAN:
                summary += f", {column_range(one)}"
        elif declared:
            summary = "to be corrected"
        return SetupStep(
            title=column,
            told=summary,
            href=f"/setup/{self.name}/columns/{quote(column, safe='')}",
            done=not declared or not self.open("columns", column),
            left_out=not declared,
        )

    def _source(self) -> str:
        section = self.section("source")
        inside = section.get("sheet") or section.get("table")
        where = section.get("path") or section.get("kind", "")
        return f"{self.title}: {where}{f', {inside}' if inside else ''}"

    def _privacy(self) -> str:
        section = self.section("privacy")
        unit = section.get("unit", "row")
        who = "one row" if unit == "row" else f"a person ({unit})"
        size = section.get("size")
        many = f"{size:,} rows" if isinstance(size, int) else f"at most {_count(section)} rows"
        change = section.get("neighbours", Relation.CHANGE) == Relation.CHANGE
        how = "may change" if change else "may be added or removed"
        return f"{capital(who)}, which {how}; {many}"

    def _budget(self) -> str:
        shares = self.section("budget").get("analysts", {})
        own = "".join(f", {name} {share}" for name, share in shares.items())
        return f"ε = {self.section('budget').get('total', '?')}{own}"


def _count(section: dict[str, Any]) -> str:
    bound = section.get("size_at_most")
    return f"{bound:,}" if isinstance(bound, int) else "?"
