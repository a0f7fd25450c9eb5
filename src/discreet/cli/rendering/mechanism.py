"""A mechanism of a family, for people and as JSON."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from discreet.certifier import Certified, tight_epsilon
from discreet.cli.parsing.draws import Draws
from discreet.cli.parsing.families import family_facts
from discreet.cli.rendering import description as describe
from discreet.cli.rendering.description import Written
from discreet.cli.rendering.matrix import matrix
from discreet.mechanisms.catalogue import Family

if TYPE_CHECKING:
    from rich.console import Console, RenderableType


@dataclass(frozen=True, kw_only=True)
class ShownMechanism:
    """A mechanism of a family, what was drawn from it, and where it was written."""

    family: Family
    certified: Certified
    draws: Draws | None
    files: Written
    prints_matrix: bool

    def document(self) -> dict[str, Any]:
        """All of it as one JSON document."""
        mechanism = self.certified.mechanism
        return {
            "family": family_facts(self.family),
            "mechanism": describe.mechanism_facts(mechanism),
            "certificate": describe.certificate_facts(self.certified),
            "tight_epsilon": describe.tight_facts(mechanism, tight_epsilon(mechanism)),
            "probabilities": mechanism.probabilities().tolist() if self.prints_matrix else None,
            "draws": None if self.draws is None else self.draws.to_dict(),
            **self.files.facts(),
        }

    def lines(self, screen: "Console") -> "Iterator[RenderableType]":
        """What it is and what it promises, and the matrix."""
        rows = [
            ("family", f"{self.family.title} ({self.family.citation})"),
            *describe.mechanism_rows(self.certified.mechanism),
            *describe.promise_rows(self.certified),
        ]
        yield from (describe.facts_table(rows), "")
        yield from matrix(self.certified.mechanism, screen)

    def file_lines(self) -> list[str]:
        """Where files are; nothing where draws alone are wanted, for programs."""
        if self.draws is not None and not self.prints_matrix:
            return []
        return [f"✓ {kind} {path}" for kind, path in self.files.rows()]
