"""Docstrings are plain text with `code` in backticks; this makes them safe for reStructuredText."""

import re
from typing import Any

from sphinx.application import Sphinx

_MARKS = re.compile(r"([*|_\\])")
_PIECES = re.compile(r"(``?[^`]+``?|(?<![\w*])\*\w[^*]*\w\*(?![\w*]))")
"""Code in backticks, and words that are *stressed*."""


def readable(lines: list[str]) -> list[str]:
    """A docstring as reStructuredText: code stays code, examples stay, no letter is a command."""
    told: list[str] = []
    fenced = example = False
    for line in lines:
        if line.strip().startswith("```"):
            fenced = not fenced
            told += ["::", ""] if fenced else [""]
        elif fenced:
            told.append(f"    {line}")
        else:
            example = bool(line.strip()) and (example or line.lstrip().startswith(">>> "))
            told.append(line if example else _plain(line))
    return told


def _plain(line: str) -> str:
    told = ""
    for piece in _PIECES.split(line):
        if piece.startswith("`"):
            told += f"``{piece.strip('`')}``"
        else:
            told += piece if _PIECES.fullmatch(piece) else _MARKS.sub(r"\\\1", piece)
    return told


def _process(*about: Any) -> None:
    lines: list[str] = about[-1]
    lines[:] = readable(lines)


def setup(app: Sphinx) -> dict[str, Any]:
    """Tell Sphinx about it."""
    app.connect("autodoc-process-docstring", _process)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
