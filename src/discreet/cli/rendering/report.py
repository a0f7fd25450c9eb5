"""Reports written to files, and compared with the ledger."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import typer

from discreet import __version__
from discreet.cli.failures import DISAGREES
from discreet.cli.parsing.files import text_of
from discreet.cli.parsing.read_only_ledger import opened_to_read
from discreet.cli.rendering.terminal import console, say, say_json
from discreet.errors import InvalidInput
from discreet.reports import (
    ReleaseReport,
    differences,
    report_html,
    report_markdown,
    report_of,
)
from discreet.reports.check import receipts_of
from discreet.tables import read_dataset
from discreet.text import plural, show


def write_and_say(
    file: str, out: str | None, receipts: list[str], analyst: str | None, *, as_json: bool
) -> None:
    """Write the three files of a report, and say which."""
    made = _made(file, receipts, analyst)
    place = Path(f"{Path(file).stem}-report" if out is None else out)
    data_file = f"{place.name}.json"
    texts = {
        ".html": report_html(made, Path(file).name, data_file),
        ".md": report_markdown(made, Path(file).name, data_file),
        ".json": json.dumps(made.to_dict(), indent=2, ensure_ascii=False) + "\n",
    }
    paths = [_written(place.with_name(place.name + ending), told) for ending, told in texts.items()]
    if as_json:
        say_json({"files": [str(path) for path in paths], "report": made.to_dict()})
        return
    say(
        console(),
        f"{plural(len(made.answers), 'answer')}, ε = {made.epsilon} together",
        *(f"wrote {path}" for path in paths),
    )


def verify_and_say(file: str, data_file: str, *, as_json: bool) -> None:
    """Compare a data file with the ledger; exit with an error where they disagree."""
    data = _read(data_file)
    made = _made(file, receipts_of(data), None)
    found = differences(data, made)
    if as_json:
        say_json({"agrees": not found, "answers": len(made.answers), "differences": found})
    elif found:
        say(console(), f"✗ {data_file} does not match the ledger:", *(f"  {one}" for one in found))
    else:
        many = plural(len(made.answers), "answer")
        say(console(), f"✓ {many}: every value matches the ledger")
    if found:
        raise typer.Exit(DISAGREES)


def _made(file: str, receipts: list[str], analyst: str | None) -> ReleaseReport:
    dataset = read_dataset(file)
    with opened_to_read(file) as ledger:
        return report_of(
            dataset,
            ledger,
            made=datetime.now(UTC).isoformat(timespec="seconds"),
            version=__version__,
            receipts=receipts,
            analyst=analyst,
        )


def _written(path: Path, told: str) -> Path:
    try:
        path.write_text(told, encoding="utf-8")
    except OSError as problem:
        raise InvalidInput(f"cannot write {show(str(path))}: {problem.strerror}") from None
    return path


def _read(data_file: str) -> Any:
    try:
        return json.loads(text_of(data_file, "report", holds="JSON"))
    except InvalidInput:
        raise
    except (ValueError, RecursionError):
        raise InvalidInput(f"{show(data_file)} is not JSON; give the report's .json file") from None
