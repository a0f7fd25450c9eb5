"""The whole page: the verdicts first, then where ours disagrees, then every item."""

from collections.abc import Mapping, Sequence
from html import escape
from itertools import groupby

from discreet.papers.item import PrintedTable, tally
from discreet.papers.report.looks import SCRIPT, STYLE
from discreet.papers.report.parts import (
    anchor,
    checks_part,
    figure_part,
    table_part,
    verdict,
)
from discreet.papers.running import Ran
from discreet.text import unbroken

Pictures = Mapping[tuple[str, str], Sequence[str]]
"""For an item's id and a figure's name: its panels as SVG, and their legend."""

PAPERS = {
    "001": "Pauwels & Gerchinovitz, An introduction to differential privacy",
    "002": "Aldà & Simon, On the optimality of the exponential mechanism",
    "003": "Croft, Sack & Shi, The impact of range constraints on utility in the design of "
    "differentially private mechanisms",
}


def report_page(rans: Sequence[Ran], pictures: Pictures, version: str) -> str:
    """Everything that was run as one self-contained page of HTML."""
    sections = []
    for paper, items in groupby(rans, key=lambda ran: ran.item.paper):
        title = escape(f"{paper}: {PAPERS[paper]}" if paper in PAPERS else paper)
        inside = "\n".join(_item(ran, pictures) for ran in items)
        sections.append(f'<section>\n<h2 id="{anchor(paper)}">{title}</h2>\n{inside}\n</section>')
    body = "\n".join(sections)
    return unbroken(f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>The papers, computed again</title>
<style>{STYLE}</style>
</head>
<body>
<header>
<h1>The papers, computed again</h1>
<p>Every table, figure and claim beside what discreet {escape(version)} finds. A claim in words is
read as a statement about numbers; its row says how. The papers give no thresholds: they are ours,
and some were chosen after the numbers had been seen, as docs/reproduce.md explains.</p>
</header>
<main>
{_summary(rans)}
{_disagreements(rans)}
{_contents(rans)}
{body}
</main>
<footer>All numbers are beside this page as CSV, all figures as SVG. Losses are expectations of
exact matrices, computed in floating point; privacy is decided in integers.</footer>
<script>{SCRIPT}</script>
</body>
</html>
""")


def _summary(rans: Sequence[Ran]) -> str:
    checks = [check for ran in rans if ran.outcome for check in ran.outcome.checks]
    failed = [ran for ran in rans if ran.outcome is None]
    counts = [
        (f"{len(rans) - len(failed)} of {len(rans)}", "items computed"),
        *((f"{hold} of {total}", f"hold: {source.value}") for source, hold, total in tally(checks)),
    ]
    shown = "".join(f"<li><b>{count}</b>{what}</li>" for count, what in counts)
    rows = "\n".join(_line(ran) for ran in rans)
    heads = "".join(
        f'<th scope="col"><button type="button">{head}</button></th>'
        for head in ("item", "what it is", "checks that hold", "seconds", "verdict")
    )
    return (
        f'<section aria-labelledby="verdicts">\n<h2 id="verdicts">Verdicts</h2>\n'
        f'<ul class="counts">{shown}</ul>\n'
        f'<div class="scroll" role="region" tabindex="0" aria-label="verdicts">'
        f'<table class="verdicts"><thead><tr>{heads}</tr></thead>'
        f"<tbody>\n{rows}\n</tbody></table></div>\n</section>"
    )


def _line(ran: Ran) -> str:
    link = f'<a href="#{anchor(ran.item.id)}">{escape(ran.item.id)}</a>'
    seconds = f'<td class="number" data-value="{ran.seconds!r}">{ran.seconds:.1f}</td>'
    if ran.outcome is None:
        counts, word = '<td data-value="-1"></td>', '<span class="no">✗ not computed</span>'
    else:
        hold = sum(check.holds for check in ran.outcome.checks)
        total = len(ran.outcome.checks)
        counts = f'<td data-value="{hold / total if total else 1}">{hold} of {total}</td>'
        word = verdict(True) if hold == total else '<span class="no">✗ disagrees</span>'
    return (
        f"<tr><td>{link}</td><td>{escape(ran.item.title)}</td>{counts}{seconds}<td>{word}</td></tr>"
    )


def _disagreements(rans: Sequence[Ran]) -> str:
    """Every claim that does not hold, said plainly, before anything else."""
    lines = []
    for ran in rans:
        link = f'<a href="#{anchor(ran.item.id)}">{escape(ran.item.id)}</a>'
        if ran.outcome is None:
            lines.append(f"<li>{link} could not be computed: {escape(ran.problem)}</li>")
            continue
        for check in ran.outcome.checks:
            if not check.holds:
                note = f' <span class="soft">{escape(check.note)}</span>' if check.note else ""
                printed = f"printed {escape(check.printed)}, ours " if check.printed else ""
                claim, ours = escape(check.claim), escape(check.ours)
                lines.append(f"<li>{link}: “{claim}” – {printed}{ours}.{note}</li>")
    inside = f'<ul class="plain">\n{chr(10).join(lines)}\n</ul>' if lines else "<p>Nowhere.</p>"
    return (
        '<section aria-labelledby="disagreements">\n'
        f'<h2 id="disagreements">Where ours disagrees</h2>\n{inside}\n</section>'
    )


def _contents(rans: Sequence[Ran]) -> str:
    parts = []
    for paper, items in groupby(rans, key=lambda ran: ran.item.paper):
        links = "".join(
            f'<li><a href="#{anchor(ran.item.id)}">{escape(ran.item.title)}</a> '
            f'<span class="id">{escape(ran.item.id)}</span></li>'
            for ran in items
        )
        name = escape(PAPERS.get(paper, paper))
        parts.append(
            f'<p><a href="#{anchor(paper)}">{escape(paper)}: {name}</a></p><ul>{links}</ul>'
        )
    return (
        '<section aria-labelledby="contents"><h2 id="contents">Contents</h2>\n'
        f'<nav aria-labelledby="contents" style="padding:0">{"".join(parts)}</nav></section>'
    )


def _item(ran: Ran, pictures: Pictures) -> str:
    item = ran.item
    head = (
        f'<h3 id="{anchor(item.id)}">{escape(item.title)} '
        f'<span class="id">{escape(item.id)}</span></h3>\n'
        f'<p class="claim">{escape(item.claim)}</p>'
    )
    if ran.outcome is None:
        return f'<article>{head}\n<p class="no">Not computed: {escape(ran.problem)}</p></article>'
    parts = [head]
    if ran.outcome.checks:
        parts.append(checks_part(ran.outcome.checks, item.id))
    parts += [f'<p class="soft">{escape(note)}</p>' for note in ran.outcome.notes]
    parts += [
        figure_part(figure, pictures.get((item.id, figure.name), ()))
        for figure in ran.outcome.figures
    ]
    parts += [_table(table) for table in ran.outcome.tables]
    return f"<article>{chr(10).join(parts)}</article>"


def _table(table: PrintedTable) -> str:
    """A long table is folded up; a short one is shown."""
    if len(table.rows) <= 12:
        return table_part(table)
    name = f"{escape(table.caption or table.name)} ({len(table.rows)} rows)"
    return f"<details><summary>{name}</summary>\n{table_part(table)}</details>"
