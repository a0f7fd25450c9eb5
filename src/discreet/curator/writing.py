"""An answer written to a file, in the form that the file's ending says."""

import json
import os
from collections.abc import Callable
from pathlib import Path

from discreet.curator.answer import Answer
from discreet.curator.curator import Curator
from discreet.curator.tidy import library, to_arrow, to_excel, to_latex, to_markdown
from discreet.errors import InvalidInput
from discreet.text import show


def _write(place: Path, text: str) -> None:
    try:
        place.write_text(text, encoding="utf-8")
    except OSError as problem:
        raise InvalidInput(f"cannot write {show(str(place))}: {problem.strerror}") from None


def _parquet(answer: "Answer", place: Path) -> None:
    library("pyarrow.parquet").write_table(to_arrow(answer), place)


_WRITERS: dict[str, tuple[str | None, Callable[[Answer, Path], object]]] = {
    ".csv": (None, lambda answer, path: _write(path, answer.to_csv())),
    ".md": (None, lambda answer, path: _write(path, to_markdown(answer) + "\n")),
    ".tex": (None, lambda answer, path: _write(path, to_latex(answer) + "\n")),
    ".html": (None, lambda answer, path: _write(path, answer.to_html() + "\n")),
    ".json": (None, lambda answer, path: _write(path, json.dumps(answer.to_dict(), indent=2))),
    ".xlsx": ("openpyxl", to_excel),
    ".parquet": ("pyarrow", _parquet),
}


def check_file(path: str | Path) -> Path:
    """A file that an answer can be written to, before anything is spent.

    Args:
        path: Where; its ending says in which form.

    Returns:
        The path.

    Raises:
        InvalidInput: No answer is written like that, or not there.
    """
    place = Path(path)
    known = _WRITERS.get(place.suffix.lower())
    if known is None:
        raise InvalidInput(
            f"an answer can be written as {', '.join(_WRITERS)}, got {show(str(path))}"
        )
    if known[0] is not None:
        library(known[0])
    if not place.parent.is_dir() or place.is_dir() or not os.access(place.parent, os.W_OK):
        raise InvalidInput(
            f"cannot write {show(str(path))}: its folder does not exist or is read-only"
        )
    return place


def write(answer: Answer, path: str | Path) -> Path:
    """Write an answer to a file, in the form that its ending says."""
    place = check_file(path)
    _WRITERS[place.suffix.lower()][1](answer, place)
    return place


def is_kept(path: str | Path, curator: Curator) -> bool:
    """Whether a file is one that a dataset lives on: its rows, its facts, its ledger."""
    place, facts = Path(path).resolve(), curator.path.resolve()
    rows = {file.resolve() for file in curator.dataset.source.files}
    return (
        place in rows or place == facts or place.name.startswith(facts.with_suffix(".ledger").name)
    )
