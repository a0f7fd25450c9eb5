"""Formulas are plain Unicode in the sources; on the site `x_j` and `e^ε` get indices and powers.

No typesetting program and no script is needed, and the sources stay readable as text.
"""

from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform

_CLOSING = {"{": "}", "(": ")", "|": "|", "⌈": "⌉", "⌊": "⌋", "[": "]"}
_BASES = set(")]}|⌉⌋↓↑′'*") | set("ΣΠ∫")
_OPERATORS = ("min", "max", "Pr")


def parts(text: str) -> list[tuple[str, str]]:
    """A text as pieces that are plain, raised (`^`) or lowered (`_`).

    >>> parts("x_{j+1} ≤ e^(ε/2), a file_name")
    [('', 'x'), ('_', 'j+1'), ('', ' ≤ e'), ('^', 'ε/2'), ('', ', a file_name')]
    """
    told: list[tuple[str, str]] = []
    plain, place = "", 0
    while place < len(text):
        mark = text[place]
        end = _end(text, place + 1) if mark in "^_" and _is_base(text, place, mark) else None
        if end is None:
            plain, place = plain + mark, place + 1
            continue
        script = text[place + 1 : end]
        if script[0] in "{(" and script[-1] == _CLOSING[script[0]]:
            script = script[1:-1]
        told += [("", plain), (mark, script)]
        plain, place = "", end
    return [piece for piece in [*told, ("", plain)] if piece[1]]


def _is_base(text: str, place: int, mark: str) -> bool:
    """Whether what stands before can bear an index (one letter) or a power (a letter or digit)."""
    if place == 0:
        return False
    before = text[place - 1]
    if before in _BASES:
        return True
    if mark == "^":
        return before.isalnum()
    alone = place < 2 or not (text[place - 2].isalpha() or text[place - 2] in "_-")
    return (before.isalpha() and alone) or text[:place].endswith(_OPERATORS)


def _end(text: str, start: int) -> int | None:
    """Where an index or a power ends: a bracket that closes, or a number, or a word."""
    place = start + 1 if text[start : start + 1] in {"−", "-"} else start
    if place >= len(text):
        return None
    if text[place] in _CLOSING:
        return _closed(text, place)
    while place < len(text) and text[place].isalnum():
        place += 1
    if place < len(text) and text[place] == "(" and text[place - 1].isalpha():
        return place
    return place if place > start and text[place - 1].isalnum() else None


def _closed(text: str, opening: int) -> int | None:
    mark, closing = text[opening], _CLOSING[text[opening]]
    depth = 0
    for place in range(opening, len(text)):
        if text[place] == closing and (mark != closing or place > opening):
            depth -= 1
            if depth <= 0:
                return place + 1 if depth == 0 or mark == closing else None
        elif text[place] == mark:
            depth += 1
    return None


def _nodes(text: str) -> list[nodes.Node]:
    made: list[nodes.Node] = []
    for kind, piece in parts(text):
        if kind:
            holder = nodes.superscript() if kind == "^" else nodes.subscript()
            holder += _nodes(piece)
            made.append(holder)
        else:
            made.append(nodes.Text(piece))
    return made


class Formulas(SphinxPostTransform):
    """Replaces texts outside code."""

    default_priority = 900
    formats = ("html",)

    def run(self, **_: Any) -> None:
        """Go through the page."""
        for text in list(self.document.findall(nodes.Text)):
            shown = text.astext()
            if ("_" in shown or "^" in shown) and not _is_code(text):
                text.parent.replace(text, _nodes(shown))


def _is_code(text: nodes.Text) -> bool:
    node: Any = text.parent
    while node is not None:
        if isinstance(node, (nodes.literal, nodes.FixedTextElement, nodes.raw)):
            return True
        if node.tagname.startswith("desc_") and node.tagname != "desc_content":
            return True
        node = node.parent if node.tagname != "desc_content" else None
    return False


def setup(app: Sphinx) -> dict[str, Any]:
    """Tell Sphinx about it."""
    app.add_post_transform(Formulas)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
