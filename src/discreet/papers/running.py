"""Running items one after another; what an item came to is kept, so a second run is instant.

A run that is stopped goes on where it was: every finished item has a file of its own.
"""

import hashlib
import json
import os
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from discreet.designer import Cache
from discreet.errors import DiscreetError
from discreet.papers.item import Outcome, PaperItem

_FOLDER = "reproduce"


@dataclass(frozen=True, kw_only=True)
class Ran:
    """An item that was run: what came of it, or why nothing did."""

    item: PaperItem
    outcome: Outcome | None
    seconds: float
    """How long the computation took, whenever it was."""
    from_cache: bool = False
    problem: str = ""

    @property
    def holds(self) -> bool:
        """Whether it was computed and every check holds."""
        return self.outcome is not None and all(check.holds for check in self.outcome.checks)


@dataclass(frozen=True)
class Shelf:
    """A folder with a file for each finished item."""

    folder: Path

    @classmethod
    def default(cls) -> "Shelf | None":
        """Beside the designs: in DISCREET_CACHE or the user's cache folder; None when it is off."""
        cache = Cache.of("default")
        return None if cache is None else cls(cache.folder / _FOLDER)

    def path(self, item: PaperItem) -> Path:
        """Where an item is kept: told apart by its id, its version and the package's."""
        from discreet import __version__  # noqa: PLC0415

        key = f"{item.id} {item.version} {__version__}"
        digest = hashlib.sha256(key.encode()).hexdigest()[:16]
        return self.folder / f"{item.id.replace('/', '-')}-{digest}.json"

    def load(self, item: PaperItem) -> Ran | None:
        """What came of an item before; a damaged file is as good as absent."""
        try:
            data = json.loads(self.path(item).read_text("utf-8"))
            outcome = Outcome.from_dict(data["outcome"])
            return Ran(item=item, outcome=outcome, seconds=float(data["seconds"]), from_cache=True)
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def store(self, ran: Ran) -> None:
        """Keep what came of an item."""
        if ran.outcome is not None:
            data = {"seconds": ran.seconds, "outcome": ran.outcome.to_dict()}
            self.write(self.path(ran.item), json.dumps(data))

    def write(self, path: Path, content: str) -> None:
        """All of the content or none of it; a full or forbidden disk is no reason to fail."""
        with suppress(OSError):
            self.folder.mkdir(parents=True, exist_ok=True)
            handle, temporary = tempfile.mkstemp(dir=self.folder, prefix=".", suffix=".part")
            try:
                with os.fdopen(handle, "w", encoding="utf-8") as stream:
                    stream.write(content)
                os.replace(temporary, path)
            except BaseException:
                with suppress(OSError):
                    os.unlink(temporary)
                raise


Watch = Callable[[PaperItem, float, str], None]
"""Told of an item, the fraction of it that is done, and a word."""


def run_items(
    items: Sequence[PaperItem],
    *,
    shelf: Shelf | None = None,
    fresh: bool = False,
    watch: Watch | None = None,
) -> Iterator[Ran]:
    """Run items in order, each from the shelf where it is known; one that fails stops no other."""
    for item in items:
        known = None if shelf is None or fresh else shelf.load(item)
        if known is not None:
            yield known
            continue
        ran = _run(item, watch)
        if shelf is not None:
            shelf.store(ran)
        yield ran


def _run(item: PaperItem, watch: Watch | None) -> Ran:
    def step(fraction: float, word: str) -> None:
        if watch is not None:
            watch(item, min(max(fraction, 0.0), 1.0), word)

    started = time.perf_counter()
    step(0.0, "")
    try:
        outcome = item.run(step)
    except DiscreetError as refused:
        return Ran(
            item=item, outcome=None, seconds=time.perf_counter() - started, problem=str(refused)
        )
    except Exception as broken:  # an item is a guest: it must not take the others with it
        last = traceback.extract_tb(broken.__traceback__)[-1]
        where = f"{Path(last.filename).name}:{last.lineno}"
        problem = f"{type(broken).__name__} at {where}: {broken}"
        return Ran(item=item, outcome=None, seconds=time.perf_counter() - started, problem=problem)
    # Through JSON, so that the first run shows what every later one will.
    outcome = Outcome.from_dict(json.loads(json.dumps(outcome.to_dict())))
    step(1.0, "")
    return Ran(item=item, outcome=outcome, seconds=time.perf_counter() - started)
