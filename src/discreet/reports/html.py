"""A release report as one self-contained page: no file beside it, no script, no network."""

from collections.abc import Sequence
from html import escape

from discreet.curator.crossed import CrossedTable
from discreet.figures import Picture
from discreet.figures.looks import PAGE_STYLE, PLOT_STYLE
from discreet.questions.words import protection_words, size_words
from discreet.reports.pictures import answer_pictures
from discreet.reports.release import ReleaseReport, ReportedAnswer
from discreet.reports.rows import VALUE, Cells, columns_table, crossed_of, remarks, results_table
from discreet.reports.telling import Teller
from discreet.reports.words import OTHERS, board, commands
from discreet.tables import Dataset
from discreet.text import Amount, blanked, capital, moment, percent, unbroken

_STYLE = """
main, header, footer { max-width: 46rem; }
article { margin: 2rem 0; }
.facts { list-style: none; padding: 0; margin: .5rem 0; font-size: .85rem; color: var(--soft); }
.facts, code { overflow-wrap: anywhere; }
.sql { display: block; background: var(--band); padding: .5rem .75rem; margin: .5rem 0; }
code { font: .85em ui-monospace, "DejaVu Sans Mono", monospace; }
.sums { display: flex; flex-wrap: wrap; gap: .5rem 2.5rem; padding: 0; list-style: none; }
.sums b { display: block; font-size: 1.4rem; line-height: 1.2; }
th.number { text-align: right; }
td:last-child { min-width: 8rem; }
.crossed td, .crossed td:last-child { min-width: 0; white-space: normal; }
.crossed td, .crossed th { padding: .35rem .3rem; }
.crossed small { color: var(--soft); font-size: .75rem; line-height: 1.3; }
.crossed .total { font-weight: 650; } .crossed tr.total { border-top: 2px solid var(--line); }
.crossed .total small { font-weight: 400; }
@media screen and (max-width: 40rem) {
  .folds, .folds tbody, .folds tr, .folds td { display: block; width: 100%; min-width: 0; }
  .crossed caption { max-width: calc(100vw - 2rem); }
  .folds thead { position: absolute; width: 1px; height: 1px; overflow: hidden;
    clip-path: inset(50%); }
  .folds tr { padding: .5rem 0; border-bottom: 1px solid var(--line); }
  .folds td, .folds td.number { border: 0; padding: .1rem 0; text-align: left; }
  .folds td:first-child { font-weight: 600; }
  .folds td + td { display: inline; white-space: normal; }
  .folds td + td::before { content: attr(data-name) ": "; color: var(--soft); }
  .folds td + td:not(:last-child)::after { content: " · "; color: var(--soft); }
}
@page { margin: 16mm 15mm; }
@media print {
  :root { --ink: #000; --paper: #fff; --soft: #444; --line: #bbb; --band: #f2f2f2; --link: #234; }
  body { font-size: 10.5pt; } td, th { padding: .18rem .5rem; }
  figure svg { max-height: 13cm; } h2, h3, .sql { break-after: avoid; }
  h2, h3, figure, tr, .sql, .facts { break-inside: avoid; }
  .new-page { break-before: page; } .facts { break-before: avoid; }
  thead th { position: static; } .scroll { overflow: visible; }
}
"""


def report_html(report: ReleaseReport, dataset_file: str, data_file: str) -> str:
    """The report as a page that prints well.

    Args:
        report: What is reported.
        dataset_file: What the dataset file is called, for the commands.
        data_file: What the data file beside it is called.

    Returns:
        The text of a file.
    """
    title = f"Release report: {report.dataset.name}"
    answers = "\n".join(
        _answer(place, one, report.dataset) for place, one in enumerate(report.answers, start=1)
    )
    words = "\n".join(
        f"<h3>{escape(heading)}</h3>\n<p>{_text(sentence)}</p>"
        for heading, sentence in board(report)
    )
    lines = "\n".join(
        f"<li><code>{_text(line)}</code> {_text(what)}</li>"
        for line, what in commands(dataset_file, data_file)
    )
    return unbroken(f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{_text(title)}</title>
<style>{PAGE_STYLE}{PLOT_STYLE}{_STYLE}</style>
</head>
<body>
<header>
<h1>{_text(title)}</h1>
<p class="soft">Made {moment(report.made)} by discreet {escape(report.version)}</p>
<ul class="sums">
<li><b>{len(report.answers)}</b>{"answer" if len(report.answers) == 1 else "answers"}</li>
<li><b>ε = {report.epsilon}</b>for these answers</li>
<li><b>ε = {Amount(report.total.spent)}</b>for all questions so far</li>
</ul>
</header>
<main>
<section aria-labelledby="answers">
<h2 id="answers">Answers</h2>
{answers}
{_others(report)}
</section>
<section aria-labelledby="words" class="new-page">
<h2 id="words">In plain words</h2>
{words}
</section>
<section aria-labelledby="facts" class="new-page">
<h2 id="facts">Declared facts</h2>
<p>{_text(capital(size_words(report.dataset)))}. {_text(protection_words(report.dataset))}</p>
{_table(*columns_table(report.dataset), name="declared columns")}
</section>
<section aria-labelledby="verify">
<h2 id="verify">Verify this report</h2>
<p>The ledger of this dataset has {report.entries:,} entries; the newest has the hash
<code>{escape(report.head)}</code>. Anyone who has the ledger can run:</p>
<ul>
{lines}
</ul>
</section>
</main>
<footer>Answers are drawn at random near the true ones; intervals say how near. The numbers of this
page are in {_text(data_file)}.</footer>
</body>
</html>
""")


def _others(report: ReleaseReport) -> str:
    if not report.others:
        return ""
    lines = "".join(f"<li>{_text(one.sentence)}</li>" for one in report.others)
    return f"<h3>{OTHERS}</h3>\n<ul>{lines}</ul>"


def _answer(place: int, one: ReportedAnswer, dataset: Dataset) -> str:
    answer = one.answer
    drawn = "\n".join(map(_figure, answer_pictures(answer, one.question, dataset)))
    facts = "".join(f"<li>{_text(capital(line))}</li>" for line in remarks(answer))
    teller, name = Teller(answer, one.question, dataset), f"answer {place}"
    crossed = crossed_of(one, teller, dataset)
    table = (
        _table(*results_table(answer, teller), name=name)
        if crossed is None
        else _crossed(crossed, percent(answer.confidence), name)
    )
    return f"""<article>
<h3>{place}. {_text(one.words)}</h3>
<code class="sql">{escape(blanked(answer.asked))}</code>
{drawn}
{table}
<ul class="facts">
<li>ε = {escape(answer.epsilon)}, {moment(one.at)}, receipt
<code>{_text(answer.receipt)}</code></li>
{facts}
</ul>
</article>"""


def _figure(picture: Picture) -> str:
    return f"<figure>\n<figcaption>{_text(picture.message)}</figcaption>\n{picture.svg}\n</figure>"


def _table(head: Sequence[str], rows: Sequence[Cells], *, name: str) -> str:
    numbers = {
        place
        for place in range(len(head))
        if any(_is_number(row[place]) for row in rows) and head[place] == VALUE
    }
    heads = "".join(
        f'<th scope="col"{_kind(place in numbers)}>{_text(cell)}</th>'
        for place, cell in enumerate(head)
    )
    body = "\n".join(f"<tr>{_cells(head, row, numbers)}</tr>" for row in rows)
    return (
        f'<div class="scroll" role="region" tabindex="0" aria-label="{escape(name)}">'
        f'<table class="folds"><thead><tr>{heads}</tr></thead>\n'
        f"<tbody>\n{body}\n</tbody></table></div>"
    )


def _crossed(table: CrossedTable, confidence: str, name: str) -> str:
    known = "Below each answer: what is known of the true one, with "
    return (
        f'<div class="scroll" role="region" tabindex="0" aria-label="{escape(name)}">'
        f"{table.to_html(f'{known}{confidence} % confidence.')}</div>"
    )


def _cells(head: Sequence[str], row: Cells, numbers: set[int]) -> str:
    return "".join(
        f'<td data-name="{_text(name)}"{_kind(place in numbers and _is_number(cell))}>'
        f"{_text(cell)}</td>"
        for place, (name, cell) in enumerate(zip(head, row, strict=True))
    )


def _kind(is_number: bool) -> str:
    return ' class="number"' if is_number else ""


def _is_number(cell: str) -> bool:
    return cell.lstrip("-−")[:1].isdigit()


def _text(words: str) -> str:
    """Words in a page."""
    return escape(blanked(words))
