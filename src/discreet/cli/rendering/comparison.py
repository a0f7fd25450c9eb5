"""Mechanisms side by side: as tables, as JSON values, as a picture."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from discreet.cli.parsing.contest import Contest
from discreet.cli.parsing.families import FamilySetting
from discreet.cli.rendering import description as describe
from discreet.cli.rendering.side_by_side import bars, losses_beside, panels_of, properties_beside
from discreet.measures import Measures
from discreet.model import Prior
from discreet.plots import comparison_picture, save_picture
from discreet.text import one_line

if TYPE_CHECKING:
    from rich.console import RenderableType


@dataclass(frozen=True, kw_only=True)
class SideBySide:
    """Certified mechanisms on one space, each measured."""

    contest: Contest
    setting: FamilySetting
    prior: Prior
    found: Sequence[Measures]

    @property
    def names(self) -> list[str]:
        """What they are called."""
        return list(self.contest.entries)

    @cached_property
    def _panels(self) -> Mapping[str, Sequence[float]]:
        return panels_of(self.found)

    def picture(self, place: str) -> str:
        """Draw them; where the picture is."""
        title = f"{describe.space_line(self.setting.answers)}, ε = {self.setting.epsilon}"
        made = comparison_picture(self.names, self._panels, title=title)
        return str(save_picture(made, place))

    def document(self) -> dict[str, Any]:
        """All of them as JSON values."""
        entries = self.contest.entries.items()
        return {
            "epsilon": str(self.setting.epsilon),
            "prior": describe.prior_fact(self.prior),
            "mechanisms": [
                {
                    "name": name,
                    "mechanism": describe.mechanism_facts(entry.mechanism),
                    "certificate": describe.certificate_facts(entry),
                    "measures": measures.to_dict(),
                }
                for (name, entry), measures in zip(entries, self.found, strict=True)
            ],
            "left_out": self.contest.left_out,
        }

    def lines(self, saved: str | None) -> "Iterator[RenderableType]":
        """The setting, then losses, properties and bars."""
        setting, names = self.setting, self.names
        rows = [
            ("answers", describe.space_line(setting.answers)),
            ("outputs", describe.space_line(setting.outputs)),
            ("neighbours", describe.neighbours_line(setting.neighbours)),
            ("certified", f"✓ all {len(names)} at ε = {setting.epsilon}"),
            ("prior", describe.prior_line(self.prior)),
        ]
        left_out = self.contest.left_out.items()
        rows += [(f"without {name}", one_line(reason)) for name, reason in left_out]
        if saved is not None:
            rows.append(("picture", saved))
        first, numbers = next(iter(self._panels.items()))
        yield describe.facts_table(rows)
        yield from ("", losses_beside(names, self._panels))
        yield from ("", properties_beside(names, self.found), "")
        yield from bars(names, numbers, f"expected loss: {first}")
