"""Front ends read nothing themselves: numbers, ε, wishes and SQL are read in `requests`."""

import ast
from pathlib import Path

import pytest

import discreet

ROOT = Path(discreet.__file__).parent
ROOMS = ("cli", "web", "client")
FRONT_ENDS = [
    *(path for room in ROOMS for path in sorted((ROOT / room).rglob("*.py"))),
    ROOT / "curator" / "fluent.py",
]
READERS = {
    *("parse_sql", "parse_condition", "parse_columns", "without_explain"),
    *("rational", "read_confidence", "read_importance", "Decimal"),
}
"""Functions that turn text into values below `requests`."""
READ_BY_OF = {"Epsilon", "Wishes", "Accuracy", "Prior", "Loss", "Requirements"}
"""Types whose `of` reads what people write."""


def read_by_itself(text):
    """The readers that a module imports or calls."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom) and not str(node.module).startswith(
            "discreet.requests"
        ):
            yield from (one.name for one in node.names if one.name in READERS)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            owner = node.func.value
            if node.func.attr == "of" and isinstance(owner, ast.Name) and owner.id in READ_BY_OF:
                yield f"{owner.id}.of"


@pytest.mark.parametrize("path", FRONT_ENDS, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_front_end_reads_by_requests_alone(path):
    assert list(read_by_itself(path.read_text("utf-8"))) == []


@pytest.mark.parametrize(
    "text",
    [
        "from discreet.questions import parse_sql",
        "from discreet.exact import rational",
        "from discreet.exact import Epsilon\nEpsilon.of('1')",
    ],
)
def test_the_rule_notices_what_it_forbids(text):
    assert list(read_by_itself(text))
