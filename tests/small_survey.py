"""The dataset file of a small survey, as the tests of several rooms ask about it."""

MOOD = '[columns.mood]\ntype = "integer"\nlow = 1\nhigh = 5\n'
AGE = '[columns.age]\ntype = "integer"\nlow = 18\nhigh = 99\n'
WEIGHT = '[columns.weight]\ntype = "number"\nlow = 10\nhigh = 12\nstep = 0.5\n'
HEAVY = WEIGHT.replace("12", "50")
CLINIC = '[columns.clinic]\ntype = "category"\nvalues = ["A", "B"]\n'
SMOKES = '[columns.smokes]\ntype = "boolean"\n'
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
