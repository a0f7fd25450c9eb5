"""The dataset file of a small survey, as the tests of several rooms ask about it."""

import re


def with_gaps(columns):
    """The same columns, not declared to be without gaps: these are skipped."""
    return re.sub("gaps = false\nmissing = .*\n", "", columns)


def _complete(column, missing):
    return f"{column}gaps = false\nmissing = {missing}\n"


MOOD = _complete('[columns.mood]\ntype = "integer"\nlow = 1\nhigh = 5\n', 3)
AGE = _complete('[columns.age]\ntype = "integer"\nlow = 18\nhigh = 99\n', 58)
WEIGHT = _complete('[columns.weight]\ntype = "number"\nlow = 10\nhigh = 12\nstep = 0.5\n', 11)
HEAVY = WEIGHT.replace("12", "50").replace("11", "30")
CLINIC = _complete('[columns.clinic]\ntype = "category"\nvalues = ["A", "B"]\n', '"other"')
SMOKES = _complete('[columns.smokes]\ntype = "boolean"\n', "false")
VISIT = '[columns.visit]\ntype = "date"\nlow = 2023-01-01\nhigh = 2023-12-31\n'
HALF = '[derived.half]\nexpression = "ROUND(mood / 2, 0.5)"\n'
COLUMNS = MOOD + WEIGHT + CLINIC + SMOKES
HEADER = "mood,weight,clinic,smokes"


def dataset_text(
    privacy="size = 30", total="30", analysts="", columns=COLUMNS, *,
    name="survey", source='path = "rows.csv"',
):  # fmt: skip
    """A confirmed dataset file; `privacy`, `analysts` and `source` are lines of their tables."""
    shares = f"[budget.analysts]\n{analysts}\n" if analysts else ""
    return (
        f'name = "{name}"\nconfirmed = true\n[source]\n{source}\n'
        f'[privacy]\n{privacy}\n[budget]\ntotal = "{total}"\n{shares}{columns}'
    )
