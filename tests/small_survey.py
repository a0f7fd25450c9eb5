"""The dataset file of a small survey, as several rooms' tests ask about it."""

COLUMNS = """\
[columns.mood]
type = "integer"
low = 1
high = 5
[columns.weight]
type = "number"
low = 10
high = 12
step = 0.5
[columns.clinic]
type = "category"
values = ["A", "B"]
[columns.smokes]
type = "boolean"
"""
HEADER = "mood,weight,clinic,smokes"


def dataset_text(privacy="size = 30", total="30", analysts="", columns=COLUMNS):
    """A confirmed dataset file over rows.csv; `analysts` are lines of [budget.analysts]."""
    shares = f"[budget.analysts]\n{analysts}\n" if analysts else ""
    return (
        'name = "survey"\nconfirmed = true\n[source]\npath = "rows.csv"\n'
        f'[privacy]\n{privacy}\n[budget]\ntotal = "{total}"\n{shares}{columns}'
    )
