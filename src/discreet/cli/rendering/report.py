"""Reports written to files, and compared with the ledger."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from discreet import __version__
from discreet.cli.parsing.files import text_of
from discreet.cli.parsing.read_only_ledger import opened_to_read
from discreet.errors import InvalidInput
from discreet.reports import (
    ReleaseReport,
    report_html,
    report_markdown,
    report_of,
)
from discreet.tables import read_dataset
from discreet.text import plural, show


def written(made: ReleaseReport, file: str, out: str | None) -> list[Path]:
    """The three files of a report, once they are written."""
    place = Path(f"{Path(file).stem}-report" if out is None else out)
    data_file = f"{place.name}.json"
    texts = {
        ".html": report_html(made, Path(file).name, data_file),
        ".md": report_markdown(made, Path(file).name, data_file),
        ".json": json.dumps(made.to_dict(), indent=2, ensure_ascii=False) + "\n",
    }
    return [_written(place.with_name(place.name + ending), text) for ending, text in texts.items()]


def lines(made: ReleaseReport, paths: list[Path]) -> list[str]:
    """What was written."""
    heading = f"{plural(len(made.answers), 'answer')}, ε = {made.epsilon} together"
    return [heading, *(f"wrote {path}" for path in paths)]


def verdict(made: ReleaseReport, data_file: str, differences: list[str]) -> list[str]:
    """Whether a data file agrees with the ledger."""
    if differences:
        return [f"✗ {data_file} does not match the ledger:", *(f"  {one}" for one in differences)]
    return [f"✓ {plural(len(made.answers), 'answer')}: every value matches the ledger"]


def report_made(file: str, receipts: list[str], analyst: str | None) -> ReleaseReport:
    """The report on answers in a dataset's ledger."""
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


def _written(path: Path, text: str) -> Path:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as problem:
        raise InvalidInput(f"cannot write {show(str(path))}: {problem.strerror}") from None
    return path


def data_in(data_file: str) -> Any:
    """What a data file holds."""
    try:
        return json.loads(text_of(data_file, "report", holds="JSON"))
    except InvalidInput:
        raise
    except (ValueError, RecursionError):
        raise InvalidInput(f"{show(data_file)} is not JSON; give the report's .json file") from None
