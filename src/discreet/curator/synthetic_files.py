"""Where a synthetic table may be written, and Parquet that says what it is."""

import csv
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import duckdb

from discreet.errors import FileError
from discreet.exact import show

MARK = "synthetic"
"""What the name of every file that holds such a table says."""
KINDS = (".csv", ".parquet")


def checked_place(path: str | Path) -> Path:
    """A place that a synthetic table may be written to: looked at before anything is spent."""
    place = Path(path)
    if place.suffix.lower() not in KINDS:
        raise FileError(
            f"a synthetic table can be written as .csv or .parquet, got {show(str(path))}"
        )
    if MARK not in place.name.lower():
        better = place.with_name(f"{place.stem}-{MARK}{place.suffix}").name
        raise FileError(
            f"the name of a synthetic table must say that it is one: write {better}, got "
            f"{show(place.name)}"
        )
    if place.is_dir() or not place.parent.is_dir():
        raise FileError(f"cannot write {show(str(path))}: there is no such folder")
    return place


def write_parquet(
    place: Path, types: Mapping[str, str], rows: Iterable[Sequence[str]], mark: str
) -> None:
    """Write rows with the types of their columns; the file's own metadata holds the mark."""
    plain = {f"c{number}": kind for number, kind in enumerate(types.values())}
    named = ", ".join(
        f"{short} AS {_quoted(name, chr(34))}" for short, name in zip(plain, types, strict=True)
    )
    origin = "read_csv(?, header=true, delim=',', quote='\"', escape='\"', columns=?)"
    target, warning = _quoted(str(place), "'"), _quoted(mark, "'")
    with tempfile.TemporaryDirectory() as folder, duckdb.connect(":memory:") as connection:
        text = Path(folder) / "rows.csv"
        with text.open("w", encoding="utf-8", newline="") as written:
            csv.writer(written).writerows([list(plain), *rows])
        select = f"CREATE TABLE made AS SELECT {named} FROM {origin}"
        connection.execute(select, [str(text), plain])
        try:
            connection.execute(
                f"COPY made TO {target} (FORMAT parquet, KV_METADATA {{synthetic: {warning}}})"
            )
        except duckdb.Error:
            raise FileError(f"cannot write {show(str(place))}") from None


def _quoted(text: str, quote: str) -> str:
    return quote + text.replace(quote, 2 * quote) + quote
