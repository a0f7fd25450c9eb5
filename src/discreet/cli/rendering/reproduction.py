"""Running the papers' items with a bar to watch, and writing what came of them."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

import typer

from discreet import __version__
from discreet.cli import failures
from discreet.cli.rendering.paper_pictures import PaperPictures, drawn
from discreet.cli.rendering.terminal import console, heading, say, say_json
from discreet.errors import FileError
from discreet.exact import show
from discreet.papers import PaperItem, Ran, Shelf, chosen, run_items
from discreet.papers.item import tally
from discreet.papers.report import csvs_of, report_page
from discreet.papers.running import Watch
from discreet.text import one_line, plural

REPORT, NUMBERS, FIGURES = "report.html", "numbers", "figures"


def list_and_say(names: Sequence[str], *, as_json: bool) -> None:
    """What can be reproduced."""
    items = chosen(names)
    if as_json:
        say_json({"items": [_facts(item) for item in items]})
        return
    from rich.table import Table

    table = Table(box=None, pad_edge=False, show_header=True, header_style="bold")
    for name in ("name", "what it is", "seconds"):
        table.add_column(name, justify="right" if name == "seconds" else "left")
    for item in items:
        table.add_row(item.id, item.title, f"~{item.seconds:.0f}")
    say(console(), table)


def reproduce_and_say(names: Sequence[str], out: str, *, fresh: bool, as_json: bool) -> None:
    """Run, write the report, say the verdicts; an item that fails is said and costs the exit."""
    items = chosen(names)
    folder = _folder(out)
    shelf = Shelf.default()
    rans = []
    with _watched(items) as watch:
        for ran in run_items(items, shelf=shelf, fresh=fresh, watch=watch):
            watch(ran.item, 1.0, "")
            rans.append(ran)
    pictures = drawn(rans, shelf)
    written = _written(folder, rans, pictures)
    if as_json:
        say_json({"items": [_told(ran) for ran in rans], **written})
    else:
        _say(rans, written, pictures)
    failed = [ran for ran in rans if ran.outcome is None]
    if failed:
        told = "; ".join(f"{ran.item.id}: {ran.problem}" for ran in failed)
        print(f"error: not computed: {one_line(told)}", file=sys.stderr)
        raise typer.Exit(failures.BUG)


def _folder(out: str) -> Path:
    folder = Path(out)
    try:
        for inner in (NUMBERS, FIGURES):
            (folder / inner).mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as problem:
        reason = getattr(problem, "strerror", None) or problem
        raise FileError(f"cannot write into {show(out)}: {reason}; give another --out") from None
    return folder


def _written(folder: Path, rans: Sequence[Ran], pictures: PaperPictures) -> dict[str, Any]:
    try:
        numbers = []
        for ran in rans:
            for name, content in csvs_of(ran):
                (folder / NUMBERS / name).write_text(content, "utf-8")
                numbers.append(str(folder / NUMBERS / name))
        figures = []
        for (item, name), svg in pictures.whole.items():
            path = folder / FIGURES / f"{item.replace('/', '-')}-{name}.svg"
            path.write_text(svg, "utf-8")
            figures.append(str(path))
        report = folder / REPORT
        report.write_text(report_page(rans, pictures.panels, __version__), "utf-8")
    except OSError as problem:
        raise FileError(f"cannot write into {show(str(folder))}: {problem.strerror}") from None
    return {"report": str(report), "figures": figures, "numbers": numbers}


def _facts(item: PaperItem) -> dict[str, Any]:
    return {
        "id": item.id,
        "title": item.title,
        "paper": item.paper,
        "claim": item.claim,
        "seconds": item.seconds,
    }


def _told(ran: Ran) -> dict[str, Any]:
    outcome = None if ran.outcome is None else ran.outcome.to_dict()
    return {
        **_facts(ran.item),
        "seconds": ran.seconds,
        "from_cache": ran.from_cache,
        "holds": ran.holds,
        "problem": ran.problem or None,
        "checks": [
            {**asdict(check), "source": check.source.value}
            for check in (ran.outcome.checks if ran.outcome else ())
        ],
        "tables": outcome["tables"] if outcome else [],
        "notes": outcome["notes"] if outcome else [],
    }


def _say(rans: Sequence[Ran], written: dict[str, Any], pictures: PaperPictures) -> None:
    from rich.padding import Padding
    from rich.text import Text

    screen = console()
    hold = total = 0
    for ran in rans:
        checks = ran.outcome.checks if ran.outcome else ()
        held = sum(check.holds for check in checks)
        hold, total = hold + held, total + len(checks)
        when = "computed earlier" if ran.from_cache else f"{ran.seconds:.1f} s"
        style = "bold green" if ran.holds else "bold red"
        mark = "✓" if ran.holds else "✗"
        line = Text.assemble((f"{mark} {ran.item.id}", style), f"  {ran.item.title}")
        counts = f"  {held} of {len(checks)} checks hold" if ran.outcome else "  not computed"
        say(screen, line.append(f"{counts} ({when})", style="dim"))
        for check in checks:
            if not check.holds:
                printed = f" printed {check.printed};" if check.printed else ""
                say(screen, Text(f"    ✗ {check.claim}:{printed} {check.ours}"))
                if check.note:
                    say(screen, Padding(Text(check.note, style="dim"), (0, 0, 0, 6)))
    said = f"{hold} of {total} checks hold; {plural(len(rans), 'item')}"
    say(screen, heading(said))
    every = [check for ran in rans if ran.outcome for check in ran.outcome.checks]
    for source, held, of in tally(every):
        say(screen, Text(f"{source.value}: {held} of {of} hold", style="dim"))
    say(screen, Text(f"report   {written['report']}"))
    say(screen, Text(f"numbers  {plural(len(written['numbers']), 'CSV file')}"))
    figures = f"figures  {plural(len(written['figures']), 'SVG file')}"
    say(screen, Text(figures if not pictures.problem else f"figures  none: {pictures.problem}"))


@contextmanager
def _watched(items: Sequence[PaperItem]) -> Iterator[Watch]:
    """A bar on standard error where somebody looks at it, its length by the seconds expected."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    screen = Console(stderr=True)
    total = sum(item.seconds for item in items)
    before: dict[str, float] = {}
    for item in items:
        before[item.id] = sum(other.seconds for other in items[: len(before)])
    bar = Progress(
        TextColumn("{task.percentage:>3.0f} %"),
        BarColumn(bar_width=28),
        TimeElapsedColumn(),
        TextColumn("{task.description}"),
        console=screen,
        transient=True,
        disable=not screen.is_terminal,
    )
    with bar:
        task = bar.add_task("", total=total)

        def watch(item: PaperItem, fraction: float, word: str) -> None:
            done = before[item.id] + fraction * item.seconds
            bar.update(task, completed=done, description=f"{item.id}  {word}".replace("[", "("))

        yield watch
