"""Neighbouring sources of every kind, by black box: `nice python tests/lab/pairs.py MANY [KIND …]`.

Two sources differ in one record, which may hold anything. What is read differs in that record's row
and in nothing else; of every twenty-fifth pair also what is counted, as a whole dataset is opened:
by one row, or by one row of each of two people. What was found is added to black_box.json.
"""

import random
import shutil
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import duckdb

sys.path.insert(0, str(Path(__file__).parents[1]))

from discreet.tables import TABLE, Key, open_table, read_dataset, read_facts, readers
from lab.hostile_sources import KINDS, NAMES
from lab.written import add
from small_survey import CLINIC, MOOD, SMOKES, dataset_text

WRITTEN = Path(__file__).parent / "black_box.json"
ROW = "size_at_most = 100"
PERSON = 'unit = "pid"\nmost_rows_per_unit = 2\nsize_at_most = 100'
_LENGTH, _OPENED = 50, 25
"""Steps of a chain; one in so many is opened whole."""
_KEY = Key.random()


class Reading:
    """Reads sources in one engine; `planted` lets one cell decide how others are read."""

    def __init__(self, planted=False):
        self.engine, self.planted = duckdb.connect(":memory:", config={"threads": 1}), planted

    def texts(self, source):
        """The cells as they are read."""
        self.engine.execute(f"DROP TABLE IF EXISTS {readers.RAW}")
        readers.load_texts(self.engine, source, list(NAMES[1:4]))
        found = self.engine.execute(f"SELECT * FROM {readers.RAW}").fetchall()
        return _padded(found) if self.planted else found

    def counted(self, dataset):
        """What a dataset's questions are asked of."""
        with open_table(dataset, _KEY) as table:
            found = table.rows(f"SELECT {', '.join(NAMES[1:4])} FROM {TABLE}")
        return Counter(found)


def _padded(rows):
    """The planted fault: cells are as wide as the widest of their column."""
    columns = [list(one) for one in zip(*rows, strict=True)]
    for cells in columns:
        widest = max(len(str(cell)) for cell in cells)
        cells[:] = [str(cell).rjust(widest) for cell in cells]
    return list(zip(*columns, strict=True))


def declared(chain, privacy):
    """The dataset of a chain as it stands now."""
    text = dataset_text(privacy, columns=MOOD + CLINIC + SMOKES, source=chain.source)
    if chain.frame is not None:
        return read_facts(text, chain.frame, Path("t.ledger"))
    (chain.folder / "t.toml").write_text(text, encoding="utf-8")
    return read_dataset(chain.folder / "t.toml")


def attack(kind, folder, many, dice, *, planted=False):
    """So many pairs of a kind: how many, how many opened whole, and what was found of them."""
    reading, found = Reading(planted), {"pairs": 0, "opened": 0, "broken": 0}
    while found["pairs"] < many:
        chain = KINDS[kind](folder, dice)
        privacy = dice.choice((ROW, PERSON))
        try:
            _walk(chain, reading, privacy, min(_LENGTH, many - found["pairs"]), found)
        finally:
            if hasattr(chain, "held"):
                chain.held.close()
    return found


def _walk(chain, reading, privacy, steps, found):
    before = reading.texts(declared(chain, ROW).source)
    for step in range(steps):
        whole = step % _OPENED == 0
        counts = reading.counted(declared(chain, privacy)) if whole else None
        place = chain.step()
        after = reading.texts(declared(chain, ROW).source)
        fits = len(before) == len(after) == len(chain.records)
        same = before[:place] == after[:place] and before[place + 1 :] == after[place + 1 :]
        if whole:
            moved = reading.counted(declared(chain, privacy))
            most = 1 if privacy == ROW else 2
            same &= (counts - moved).total() <= most and (moved - counts).total() <= most
            found["opened"] += 1
        found["pairs"] += 1
        if not (fits and same):
            found["broken"] += 1
            found.setdefault("example", f"{chain.source} {place} {before} {after}"[:1000])
        before = after


def main(many, *kinds):
    """A campaign by hand, written down for the report."""
    folder = Path(tempfile.mkdtemp(dir="/dev/shm" if Path("/dev/shm").is_dir() else None))
    dice, left = random.Random(), int(many)
    try:
        while left > 0:
            for kind in kinds or KINDS:
                started = time.process_time()
                found = attack(kind, folder, 100 if kind == "DuckDB" else 1000, dice)
                left -= found["pairs"]
                example = found.pop("example", "")
                found["seconds"] = round(time.process_time() - started, 1)
                add(WRITTEN, kind, found)
                print(kind, found, example, flush=True)
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main(*sys.argv[1:])
