"""The marks of a drawing: elements, texts, lines; everything escaped, every number finite."""

import math
from html import escape

Attribute = str | float | int | None


def element(name: str, *inside: str, **attributes: Attribute) -> str:
    """An SVG element; `class_` becomes class, underscores become hyphens, None is left out.

    >>> element("rect", x=1.0, y=2.5, class_="bar")
    '<rect x="1" y="2.5" class="bar"/>'
    """
    told = "".join(
        f' {key.rstrip("_").replace("_", "-") if key != "viewBox" else key}="{_value(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    body = "".join(inside)
    return f"<{name}{told}>{body}</{name}>" if body else f"<{name}{told}/>"


def text(x: float, y: float, told: str, class_: str = "label", anchor: str = "start") -> str:
    """A line of text at a place; `anchor` is start, middle or end."""
    ends = {"start": "", "middle": " mid", "end": " end"}[anchor]
    return element("text", escape(told), x=x, y=y, class_=class_ + ends)


def line(x1: float, y1: float, x2: float, y2: float, class_: str) -> str:
    """A straight line."""
    return element("line", x1=x1, y1=y1, x2=x2, y2=y2, class_=class_)


def title(told: str) -> str:
    """What a mark says when a pointer rests on it."""
    return f"<title>{escape(told)}</title>"


def number(value: float, digits: int = 4) -> str:
    """A number as people write it, with a proper minus and no needless digits.

    >>> number(0.25), number(12345.678), number(-3.0), number(0.00001234)
    ('0.25', '12,346', '−3', '0.00001234')
    """
    _check_finite(value)
    size = abs(value)
    if size == 0:
        return "0"
    places = max(0, digits - 1 - math.floor(math.log10(size)))
    told = f"{size:,.{places}f}"
    if "." in told:
        told = told.rstrip("0").rstrip(".")
    return f"−{told}" if value < 0 and told != "0" else told


def shortened(told: str, longest: int) -> str:
    """The text, its end left out when it is too long for its place."""
    return told if len(told) <= longest else told[: longest - 1] + "…"


def _value(value: str | float | int) -> str:
    if isinstance(value, str):
        return escape(value, quote=True)
    _check_finite(value)
    return f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)


def _check_finite(value: float) -> None:
    if not math.isfinite(value):
        raise ValueError("a picture needs finite numbers")
