"""The papers' items: as a list, as verdicts, and a bar to watch while they run."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from discreet.cli.rendering.paper_pictures import PaperPictures
from discreet.cli.rendering.terminal import heading
from discreet.papers import PaperItem, Ran
from discreet.papers.item import tally
from discreet.papers.running import Watch
from discreet.text import plural

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table


def listing(items: Sequence[PaperItem]) -> dict[str, Any]:
    """What can be reproduced, as JSON values."""
    return {"items": [_facts(item) for item in items]}


def list_table(items: Sequence[PaperItem]) -> "Table":
    """The same for people."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False, show_header=True, header_style="bold")
    for name in ("name", "what it is", "seconds"):
        table.add_column(name, justify="right" if name == "seconds" else "left")
    for item in items:
        table.add_row(item.id, item.title, f"~{item.seconds:.0f}")
    return table


def document(rans: Sequence[Ran], written: dict[str, Any]) -> dict[str, Any]:
    """What was computed and written, as JSON values."""
    return {"items": [_told(ran) for ran in rans], **written}


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


def lines(
    rans: Sequence[Ran], written: dict[str, Any], pictures: PaperPictures
) -> "Iterator[RenderableType]":
    """The verdicts, item by item, and what was written."""
    from rich.padding import Padding
    from rich.text import Text

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
        yield line.append(f"{counts} ({when})", style="dim")
        for check in checks:
            if not check.holds:
                printed = f" printed {check.printed};" if check.printed else ""
                yield Text(f"    ✗ {check.claim}:{printed} {check.ours}")
                if check.note:
                    yield Padding(Text(check.note, style="dim"), (0, 0, 0, 6))
    said = f"{hold} of {total} checks hold; {plural(len(rans), 'item')}"
    yield heading(said)
    every = [check for ran in rans if ran.outcome for check in ran.outcome.checks]
    for source, held, of in tally(every):
        yield Text(f"{source.value}: {held} of {of} hold", style="dim")
    yield Text(f"report   {written['report']}")
    yield Text(f"numbers  {plural(len(written['numbers']), 'CSV file')}")
    figures = f"figures  {plural(len(written['figures']), 'SVG file')}"
    yield Text(figures if not pictures.problem else f"figures  none: {pictures.problem}")


@contextmanager
def watched(items: Sequence[PaperItem]) -> Iterator[Watch]:
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
