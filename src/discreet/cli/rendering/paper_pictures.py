"""The papers' figures as SVG, drawn once and then kept beside the items."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field

from discreet import __version__
from discreet.errors import InvalidInput
from discreet.papers import Figure, Ran, Shelf
from discreet.plots.papers import panel_pictures, paper_picture, svg_text

DRAWING = 3
"""Raise this when the same figure may look otherwise than before."""


@dataclass
class PaperPictures:
    """For an item's id and a figure's name: the whole picture, and its panels for the page."""

    whole: dict[tuple[str, str], str] = field(default_factory=dict)
    panels: dict[tuple[str, str], tuple[str, ...]] = field(default_factory=dict)
    problem: str = ""


def drawn(rans: Sequence[Ran], shelf: Shelf | None) -> PaperPictures:
    """Every figure of every item; without matplotlib none, and why."""
    pictures = PaperPictures()
    for ran in rans:
        for figure in ran.outcome.figures if ran.outcome else ():
            key = (ran.item.id, figure.name)
            try:
                whole, *panels = _svgs(f"{ran.item.id}-{figure.name}", figure, shelf)
            except InvalidInput as missing:
                pictures.problem = str(missing)
                return pictures
            pictures.whole[key], pictures.panels[key] = whole, tuple(panels)
    return pictures


def _svgs(name: str, figure: Figure, shelf: Shelf | None) -> list[str]:
    """The whole figure, then each panel, then the legend; from the shelf where they are known."""
    facts = json.dumps([name, DRAWING, __version__, asdict(figure)], sort_keys=True)
    digest = hashlib.sha256(facts.encode()).hexdigest()[:24]
    path = None if shelf is None else shelf.folder / f"picture-{digest}.json"
    if path is not None:
        try:
            known = json.loads(path.read_text("utf-8"))
            if isinstance(known, list) and all(isinstance(one, str) for one in known):
                return known
        except (OSError, ValueError):
            pass
    made = [svg_text(paper_picture(figure), name)]
    made += [
        svg_text(picture, f"{name}-{place}") for place, picture in enumerate(panel_pictures(figure))
    ]
    if shelf is not None and path is not None:
        shelf.write(path, json.dumps(made))
    return made
