"""How far a computation is, told on standard error while a person waits."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from discreet.designer import Progress


@contextmanager
def progress_line(title: str) -> Iterator[Callable[[Progress], None]]:
    """A spinner with the method, the stage and the gap, on a terminal only."""
    from rich.console import Console

    screen = Console(stderr=True, highlight=False)
    if not screen.is_terminal:
        yield lambda _: None
        return
    with screen.status(title) as status:

        def report(progress: Progress) -> None:
            gap = "" if progress.gap is None else f", gap {progress.gap:.1e}"
            status.update(f"{title}: {progress.method}, {progress.stage}{gap}")

        yield report
