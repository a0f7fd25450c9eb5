"""A mechanism of a family, for people and as JSON."""

from dataclasses import dataclass
from typing import Any

from discreet.certifier import Certified, tight_epsilon
from discreet.cli.parsing.families import family_facts
from discreet.cli.rendering import description as describe
from discreet.cli.rendering.description import Written
from discreet.cli.rendering.draws import Draws
from discreet.cli.rendering.matrix import matrix
from discreet.cli.rendering.terminal import console, say
from discreet.mechanisms.catalogue import Family
from discreet.text import label


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

    def say(self) -> None:
        """Print the matrix, the draws one a line, and where files are."""
        if self.prints_matrix:
            self._say_matrix()
        if self.draws is not None:
            print("\n".join(label(value) for value in self.draws.values()))
        if self.draws is None or self.prints_matrix:
            for kind, path in self.files.rows():
                console().print(f"✓ {kind} {path}", soft_wrap=True)

    def _say_matrix(self) -> None:
        screen = console()
        rows = [
            ("family", f"{self.family.title} ({self.family.citation})"),
            *describe.mechanism_rows(self.certified.mechanism),
            *describe.promise_rows(self.certified),
        ]
        say(screen, describe.facts_table(rows), "", *matrix(self.certified.mechanism, screen))
