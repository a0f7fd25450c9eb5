"""The parts of the page: tables, checks and figures, everything escaped."""

import math
from collections.abc import Sequence
from html import escape

from discreet.papers.item import Cell, Check, Figure, PrintedTable, figure_tables


def anchor(name: str) -> str:
    """An id for a place in the page.

    >>> anchor("003/table-2")
    'item-003-table-2'
    """
    return "item-" + "".join(mark if mark.isalnum() else "-" for mark in name)


def number(value: float) -> str:
    """A number for reading: six digits are plenty, CSV has the rest.

    >>> number(0.5699967202062297), number(41.0), number(float("inf"))
    ('0.569997', '41', '∞')
    """
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    return "–" if math.isnan(value) else f"{value:.6g}"


def table_part(table: PrintedTable, kind: str = "") -> str:
    """A table whose columns sort when their headings are clicked."""
    heads = "".join(
        f'<th scope="col"{_side(table, place)}><button type="button">{escape(column)}</button></th>'
        for place, column in enumerate(table.columns)
    )
    rows = "\n".join(f"<tr>{''.join(_cell(cell) for cell in row)}</tr>" for row in table.rows)
    caption = f"<caption>{escape(table.caption)}</caption>" if table.caption else ""
    return _scrolling(
        f"<table{kind}>{caption}<thead><tr>{heads}</tr></thead><tbody>\n{rows}\n</tbody></table>",
        table.caption or table.name,
    )


def checks_part(checks: Sequence[Check], name: str) -> str:
    """What the paper says, what we find, the verdict; a column that says nothing is left out."""
    shown = ["ours"]
    if any(check.printed for check in checks):
        shown.insert(0, "printed")
    if any(check.difference for check in checks):
        shown.append("difference")
    heads = "".join(
        f'<th scope="col"><button type="button">{head}</button></th>'
        for head in ("claim", "whose", *shown, "verdict")
    )
    rows = "\n".join(_check(check, shown) for check in checks)
    return _scrolling(
        f'<table class="checks"><thead><tr>{heads}</tr></thead><tbody>\n{rows}\n</tbody></table>',
        f"checks of {name}",
    )


def verdict(holds: bool) -> str:
    """A verdict in words, with a mark and a colour."""
    return (
        '<span class="yes">✓ holds</span>' if holds else '<span class="no">✗ does not hold</span>'
    )


def figure_part(figure: Figure, pictures: Sequence[str]) -> str:
    """The message, the pictures, and the numbers behind them as tables."""
    named = [
        svg.replace("<svg", f'<svg role="img" aria-label="{escape(_said(figure, place))}"', 1)
        for place, svg in enumerate(pictures)
    ]
    drawn, legend = named[: len(figure.panels)], "".join(named[len(figure.panels) :])
    tables = "\n".join(table_part(table) for table in figure_tables(figure))
    shown = f'<div class="panels">\n{chr(10).join(drawn)}\n</div>' if drawn else ""
    shown += f'\n<div class="legend">{legend}</div>' if legend else ""
    return (
        f"<figure>\n<figcaption>{escape(figure.message)}</figcaption>\n{shown}\n"
        f"<details><summary>The numbers of this figure</summary>\n{tables}\n</details>\n</figure>"
    )


def _said(figure: Figure, place: int) -> str:
    """What a picture shows, for those who cannot see it."""
    if place >= len(figure.panels):
        return "Legend: " + "; ".join(
            dict.fromkeys(one.label for panel in figure.panels for one in panel.series)
        )
    panel = figure.panels[place]
    title = f"{panel.title}, " if panel.title else ""
    return f"{title}{panel.y_label} against {panel.x_label}. {figure.message} Numbers follow."


def _check(check: Check, shown: Sequence[str]) -> str:
    note = f"<small>{escape(check.note)}</small>" if check.note else ""
    texts = {
        "printed": escape(check.printed or ""),
        "ours": escape(check.ours) + note,
        "difference": escape(check.difference or ""),
    }
    cells = "".join(f'<td class="{name}" data-name="{name}">{texts[name]}</td>' for name in shown)
    whose = f"<td>{escape(check.source.value)}</td>"
    return f"<tr><td>{escape(check.claim)}</td>{whose}{cells}<td>{verdict(check.holds)}</td></tr>"


def _side(table: PrintedTable, place: int) -> str:
    """A heading stands over its numbers."""
    cells = [row[place] for row in table.rows if row[place] is not None]
    return "" if any(isinstance(cell, str) for cell in cells) else ' class="number"'


def _cell(cell: Cell) -> str:
    if cell is None:
        return "<td></td>"
    if isinstance(cell, str):
        return f"<td>{escape(cell)}</td>"
    value = f' data-value="{cell!r}"' if math.isfinite(cell) else ""
    text = f"{cell:,}" if isinstance(cell, int) else number(cell)
    return f'<td class="number"{value}>{text}</td>'


def _scrolling(table: str, what: str) -> str:
    label = escape(what)
    return f'<div class="scroll" role="region" tabindex="0" aria-label="{label}">{table}</div>'
