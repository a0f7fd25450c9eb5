"""From a figure to a file, the same bytes every time."""

import io
import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from discreet.errors import FileError, InvalidInput
from discreet.exact import show

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SUFFIXES = ("png", "svg", "pdf")

_STYLE: Any = {
    "axes.spines.right": False,
    "axes.spines.top": False,
    "figure.dpi": 150,
    "font.family": ["DejaVu Sans"],
    "font.size": 10,
    "svg.fonttype": "none",
    "svg.hashsalt": "discreet",
    "text.parse_math": False,
}
_NO_DATE: dict[str, dict[str, None]] = {
    "png": {},
    "svg": {"Date": None},
    "pdf": {"CreationDate": None},
}


@contextmanager
def house_style() -> Iterator[None]:
    """matplotlib in our style, or one line on how to get it."""
    try:
        import matplotlib as mpl  # noqa: PLC0415
    except ImportError:
        raise InvalidInput(
            "pictures need matplotlib, which is not installed: pip install 'discreet[plots]'"
        ) from None
    with mpl.rc_context(_STYLE):
        yield


def suffix_of(path: str | os.PathLike[str]) -> str:
    """The kind of picture a file name asks for: png, svg or pdf.

    >>> suffix_of("matrix.SVG")
    'svg'
    """
    suffix = Path(path).suffix.lower().lstrip(".")
    if suffix not in SUFFIXES:
        raise FileError(f"a picture can be saved as .png, .svg or .pdf, got {show(str(path))}")
    return suffix


def save_picture(figure: "Figure", path: str | os.PathLike[str]) -> Path:
    """Write a figure; the same figure gives the same bytes, for nothing in them tells the time."""
    kind, target, content = suffix_of(path), Path(path), io.BytesIO()
    with house_style(), warnings.catch_warnings():
        # A name in a script that the font lacks is drawn as boxes: the reader sees that.
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        figure.savefig(content, format=kind, metadata=_NO_DATE[kind])
    try:
        target.write_bytes(content.getvalue())
    except (OSError, ValueError) as problem:
        reason = getattr(problem, "strerror", None) or problem
        raise FileError(f"cannot write {show(str(path))}: {reason}") from None
    return target
