"""What `discreet mechanism` does once its words are understood."""

from dataclasses import dataclass
from typing import Any

from discreet.certifier import Certified, tight_epsilon
from discreet.cli.parsing.families import Setting, built, family_facts
from discreet.cli.parsing.spaces import save
from discreet.cli.rendering import description as describe
from discreet.cli.rendering.draws import Draws, drawn
from discreet.cli.rendering.matrix import matrix
from discreet.cli.rendering.pictures import save_heat_map
from discreet.cli.rendering.terminal import console, say, say_json
from discreet.mechanisms.catalogue import Family
from discreet.plots import suffix_of
from discreet.text import label


@dataclass(frozen=True)
class Wanted:
    """What is to become of a mechanism."""

    matrix: bool
    save: str | None
    draw: str | None
    times: int
    plot: str | None


def build_and_say(family: Family, setting: Setting, wanted: Wanted, *, as_json: bool) -> None:
    """Build, certify, draw, save and print, in this order: nothing is drawn uncertified."""
    if wanted.plot is not None:
        suffix_of(wanted.plot)
    certified = built(family, setting)
    draws = None if wanted.draw is None else drawn(certified, wanted.draw, wanted.times)
    saved = None if wanted.save is None else save(certified.mechanism, wanted.save)
    title = f"{family.name}, {certified.guarantee}"
    plot = None if wanted.plot is None else save_heat_map(certified.mechanism, wanted.plot, title)
    if as_json:
        say_json(_document(family, certified, wanted, draws) | {"saved": saved, "plot": plot})
        return
    if wanted.matrix:
        _say_matrix(family, certified)
    if draws is not None:
        print("\n".join(label(value) for value in draws.values()))
    if draws is None or wanted.matrix:
        for kind, path in (("saved", saved), ("picture", plot)):
            if path is not None:
                console().print(f"✓ {kind} {path}", soft_wrap=True)


def _document(
    family: Family, certified: Certified, wanted: Wanted, draws: Draws | None
) -> dict[str, Any]:
    mechanism = certified.mechanism
    return {
        "family": family_facts(family),
        "mechanism": describe.mechanism_facts(mechanism),
        "certificate": describe.certificate_facts(certified),
        "tight_epsilon": describe.tight_facts(mechanism, tight_epsilon(mechanism)),
        "probabilities": mechanism.probabilities().tolist() if wanted.matrix else None,
        "draws": None if draws is None else draws.to_dict(),
    }


def _say_matrix(family: Family, certified: Certified) -> None:
    screen = console()
    rows = [
        ("family", f"{family.title} ({family.citation})"),
        *describe.mechanism_rows(certified.mechanism),
        *describe.promise_rows(certified),
    ]
    say(screen, describe.facts_table(rows), "", *matrix(certified.mechanism, screen))
