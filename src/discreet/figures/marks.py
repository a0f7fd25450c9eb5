"""The marks of a drawing: elements, texts, lines; everything escaped, every number finite."""

import math
from html import escape

Attribute = str | float | int | None


def element(name: str, *inside: str, **attributes: Attribute) -> str:
    """An SVG element; `class_` becomes class, underscores become hyphens, None is left out.

    >>> element("rect", x=1.0, y=2.5, class_="bar")
    '<rect x="1" y="2.5" class="bar"/>'
    """
    written = "".join(
        f' {key.rstrip("_").replace("_", "-") if key != "viewBox" else key}="{_value(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    body = "".join(inside)
    return f"<{name}{written}>{body}</{name}>" if body else f"<{name}{written}/>"


def text(x: float, y: float, words: str, class_: str = "label", anchor: str = "start") -> str:
    """A line of text at a place; `anchor` is start, middle or end."""
    ends = {"start": "", "middle": " mid", "end": " end"}[anchor]
    return element("text", escape(words), x=x, y=y, class_=class_ + ends)


def line(x1: float, y1: float, x2: float, y2: float, class_: str) -> str:
    """A straight line."""
    return element("line", x1=x1, y1=y1, x2=x2, y2=y2, class_=class_)


def title(words: str) -> str:
    """What a mark says when a pointer rests on it."""
    return f"<title>{escape(words)}</title>"


def _value(value: str | float | int) -> str:
    if isinstance(value, str):
        return escape(value, quote=True)
    _check_finite(value)
    return f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)


def _check_finite(value: float) -> None:
    if not math.isfinite(value):
        raise ValueError("a picture needs finite numbers")
