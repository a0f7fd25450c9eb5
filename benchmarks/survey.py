"""The table that benchmarks ask about: ages and clinics of so many people; its dataset file."""

import random
from pathlib import Path

ROWS = 1_000
FILE = f"""\
name = "survey"
confirmed = true
[source]
path = "rows.csv"
[privacy]
size = {ROWS}
[budget]
total = "100"
[columns.age]
type = "integer"
low = 0
high = 99
[columns.clinic]
type = "category"
values = ["A", "B", "C"]
"""
GAPLESS = FILE.replace("high = 99", "high = 99\nmissing = 0\ngaps = false").replace(
    '"C"]', '"C"]\nmissing = "other"\ngaps = false'
)
"""The same without groups for gaps, as earlier versions, which knew of no gaps, told it."""


def write_survey(folder: Path) -> tuple[list[int], list[str]]:
    """Write `survey.toml` and its rows; the same ages and clinics every time."""
    chance = random.Random(1)
    ages = [chance.randint(0, 99) for _ in range(ROWS)]
    clinics = [chance.choice("ABC") for _ in range(ROWS)]
    lines = [f"{age},{clinic}" for age, clinic in zip(ages, clinics, strict=True)]
    (folder / "rows.csv").write_text("\n".join(["age,clinic", *lines, ""]))
    (folder / "survey.toml").write_text(FILE)
    return ages, clinics
