"""CSV that a spreadsheet reads as text and numbers, never as a formula.

A cell that begins with = + - @ is a formula to Excel, LibreOffice and Google Sheets, whatever wrote
it: here an alias of the analyst's or a word of a column. A single quote before it makes it text
(OWASP, "CSV injection").
"""

import csv
import io
import re
from collections.abc import Iterable, Sequence

from discreet.text.writing import blanked

_STARTS_A_FORMULA = re.compile(r"\s*[=+\-@＝＋－＠﹢﹣﹦﹫]")
_AFTER_ANOTHER_SEPARATOR = re.compile(r"([;|])(?=\s*[=+\-@＝＋－＠﹢﹣﹦﹫])")
"""Where the list separator is a semicolon, a spreadsheet begins a new cell after one."""
_NUMBER = re.compile(r"[+-]?(\d+(\.\d+)?|\.\d+)([eE][+-]?\d+)?", re.ASCII)


def csv_text(rows: Iterable[Sequence[str]]) -> str:
    """Rows of cells as CSV, each cell printable and harmless."""
    written = io.StringIO()
    csv.writer(written, lineterminator="\n").writerows(map(harmless, row) for row in rows)
    return written.getvalue()


def harmless(cell: str) -> str:
    """A cell that no spreadsheet runs; what does not print is a blank, and numbers stay numbers.

    >>> [harmless(cell) for cell in ("North", "-0.5", "=1+2", "@SUM(A1)", "-x", "x;=1+1")]
    ['North', '-0.5', "'=1+2", "'@SUM(A1)", "'-x", "x;'=1+1"]
    """
    shown = _AFTER_ANOTHER_SEPARATOR.sub(r"\1'", blanked(cell))
    runs = _STARTS_A_FORMULA.match(shown) and not _NUMBER.fullmatch(shown)
    return f"'{shown}" if runs else shown
