"""Writes the made-up survey of `discreet demo`: src/discreet/examples/clinic.csv.

No person is behind any row. The same seed gives the same file, so anybody can make it again:

    python examples/make_clinic_survey.py
"""

import csv
import io
import random
from pathlib import Path

PLACE = Path(__file__).parents[1] / "src" / "discreet" / "examples" / "clinic.csv"
PATIENTS = 600
CLINICS = {"North": 0.35, "South": 0.3, "East": 0.2, "West": 0.15}
REPLIES = {
    "North": (1, 2, 4, 8, 5),
    "South": (2, 4, 6, 5, 2),
    "East": (1, 1, 3, 7, 8),
    "West": (5, 6, 4, 2, 1),
}


def rows() -> list[tuple[object, ...]]:
    """Six hundred patients, a few of whom left a question out or mistyped."""
    chance = random.Random(20240229)
    made = []
    for _ in range(PATIENTS):
        clinic = chance.choices(list(CLINICS), list(CLINICS.values()))[0]
        mood = chance.choices(range(1, 6), REPLIES[clinic])[0]
        age = min(99, max(18, round(chance.gauss(52, 19))))
        waited = min(240, 5 * round(chance.gammavariate(2.2, 14) * (6 - mood) / 15))
        smokes = "yes" if chance.random() < 0.22 else "no"
        made.append([clinic, age, mood, waited, smokes])
    for place, column, value in ((17, 1, ""), (93, 1, "nine"), (250, 3, "-5"), (411, 0, "north")):
        made[place][column] = value
    return [tuple(row) for row in made]


def text() -> str:
    """The whole file."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(["clinic", "age", "satisfaction", "waited", "smokes"])
    writer.writerows(rows())
    return buffer.getvalue()


if __name__ == "__main__":
    PLACE.write_text(text(), encoding="utf-8")
    print(f"wrote {PATIENTS} rows to {PLACE.name}")
