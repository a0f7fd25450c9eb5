"""Neighbouring tables at random, and everything that an analyst can see of each.

Tests hold pairs of them to the same look; `lab/asks.py` does so for as long as one likes.
"""

import secrets

from hypothesis import strategies as st

from discreet.budget import audit
from discreet.curator import open_dataset
from discreet.errors import DiscreetError
from question_grammar import EVERY_KIND, HEADER, REGIONS
from small_survey import dataset_text

KEY = secrets.token_hex(32)
"""Neighbouring tables are two pasts of one dataset: they share its secret."""
CHANGED = ("size = {}", "size_at_most = 20")
ADDED = 'neighbours = "add-or-remove"\nsize_at_most = 20'
PERSON = 'unit = "person"\nmost_rows_per_unit = 2\nneighbours = "{}"\nsize_at_most = 20'
"""What a dataset file says of them: a row changed, a row added, a person with many rows."""

cells = st.one_of(
    st.sampled_from(
        [b"", b"NULL", b"nan", b"NaN", b"-inf", b"1e999", b"9" * 400, b"3", b"11.5", b"A", b"a",
         b" B ", b"yes", b"TRUE", b"\xff\xfe", b"\x00", b'"', b"''", b"a\nb", b"1,2", b"x" * 5000,
         b"1.234,5", b"2,5", b"2023-05-03 10:30:00", b"2023-05-01", b"2023-02-30",
         b"9999-12-31 23:59", b"-infinity", b"31.12.2023",
         b"error('x')", b"'; DROP TABLE clean; --", "３".encode(), b"0x1F", b"1_000"]
    ),
    st.integers(1, 5).map(lambda mood: str(mood).encode()),
    st.binary(max_size=8),
)  # fmt: skip
rows = st.tuples(st.sampled_from([b"p1", b"p2", b"p3", b""]), *[cells] * 7)
lines = st.lists(
    st.one_of(cells, st.sampled_from([b'"', b",", b"\r", b"p1", b"\xe2\x80"])), max_size=9
).map(b"".join)
"""Records as nobody should write them."""


def _line(row):
    """A record in one line: with a line feed inside, it would be two."""
    cells = (b'"' + cell.replace(b'"', b'""') + b'"' for cell in row)
    return (row if isinstance(row, bytes) else b",".join(cells)).replace(b"\n", b"\r")


def write_table(folder, content, privacy):
    folder.mkdir(exist_ok=True)
    header = f"person,{HEADER}".encode()
    (folder / "regions.csv").write_text(REGIONS)
    (folder / "rows.csv").write_bytes(b"\n".join([header, *map(_line, content)]) + b"\n")
    (folder / "survey.toml").write_text(dataset_text(privacy, "98.5", columns=EVERY_KIND))
    (folder / "survey.ledger.key").write_text(f"{KEY}\n")
    return folder / "survey.toml"


def _shape(value):
    """A document without its numbers and words: keys, lengths and types."""
    if isinstance(value, dict):
        return {key: _shape(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_shape(inner) for inner in value]
    return (
        "number" if isinstance(value, int | float) and not isinstance(value, bool) else type(value)
    )


def seen_of(file, questions):
    """Everything that an analyst can see, but for the values drawn and the receipts."""
    seen = []
    with open_dataset(file, analyst="ana") as survey:
        for place, (sql, epsilon) in enumerate(questions.items()):
            try:
                inquiry = survey.sql(sql)
                seen.append(("plan", inquiry.plan(epsilon=epsilon).digest))
                told = inquiry.ask(epsilon=epsilon, id=str(place)).to_dict()
            except DiscreetError as problem:
                seen.append(("refused", type(problem).__name__, str(problem)))
                continue
            fixed = ("asked", "confidence", "epsilon", "spent", "left", "free", "plan")
            results = [
                (
                    result["statistic"],
                    result["group"],
                    len(result["value"]) if isinstance(result["value"], dict) else None,
                    type(result["rows_about"]),
                    "drawn" if result["rows_about"] is not None else _shape(result["interval"]),
                    result["expected_error"],
                    result["mechanism"],
                    result["certificate"],
                    result["supposed"],
                    result["rows_off"],
                )
                for result in told["results"]
            ]
            chosen = inquiry.question.view is not None  # which of them are shown, noise decides
            seen.append(({key: told[key] for key in fixed}, tuple(told), chosen or results))
        entries = survey.curator.ledger.entries()
        assert audit(entries).clean
        seen.append([(e.kind, e.analyst, e.question, e.billionths) for e in entries])
    return seen
