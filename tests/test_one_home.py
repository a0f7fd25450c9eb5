"""Each fixed set of words is written down once; everybody else reads it from there.

The names of statistics are held to the same in tests/statistics, the codes of errors in
tests/test_errors.py.
"""

import ast
from pathlib import Path

import pytest

import discreet
from discreet.accounts import Role
from discreet.model import LossName, Relation, Requirement
from discreet.tables import ColumnType, dataset_file
from discreet.text import Amount

SOURCE = Path(discreet.__file__).parent

HOMES = {
    Relation: "model/neighbours.py",
    LossName: "model/losses.py",
    Requirement: "model/goal.py",
    ColumnType: "tables/columns.py",
    Role: "accounts/store.py",
}

SPEAKS_AS_A_USER = ("papers/", "cli/commands/")
"""Papers ask the library as anybody would, by name; commands show the word that is taken unless
another is given, without importing the rooms behind it."""

OTHER_MEANINGS = {
    "graphs/__init__.py": {"symmetric"},  # the name of a file
    "questions/where.py": {"symmetric"},  # what the parser calls BETWEEN SYMMETRIC
    "curator/drawn.py": {"number"},  # how a stored value is marked
    "budget/entries.py": {"analyst"},  # fields that tell who asked
    "cli/rendering/ledger.py": {"analyst"},
    "cli/rendering/question_list.py": {"analyst"},
    "web/publishing.py": {"analyst"},
    "curator/dataset_ledger.py": {"analyst"},  # who asks where the system names nobody
    "tables/engines/spark.py": {"boolean", "date", "timestamp"},  # types by Spark's own names
    "tables/readers/postgresql.py": {"date", "timestamp"},  # types by PostgreSQL's own names
}
"""Words that mean something else where they stand."""

KEYS_ARE_WRITTEN = (
    "tables/dataset_file.py",
    "tables/ledger_section.py",
    "tables/dialect.py",
    "tables/source.py",
    "connection.py",
)
KEYS_ARE_NAMED = {
    "curator/dataset_ledger.py": {"size_at_most"},  # which facts of a ledger changed, by their keys
    "cli/commands/check.py": {"confirmed"},  # a field of JSON
    "cli/commands/init.py": {"url_env"},  # where a draft proposes to keep an address
    "web/served.py": {"one_row_per"},  # a field of JSON, which the client reads
    "client/reading.py": {"one_row_per"},
    # the custodian's forms have fields that are called as the keys they fill
    "web/setup/forms.py": {"most_rows_per_unit", "size_at_most"},
    "web/setup/steps.py": {"size_at_most"},
    "web/pages/setup_steps.py": {"most_rows_per_unit", "size_at_most"},
    "web/pages/setup_finish.py": {"confirmed"},
    "web/pages/setup_start.py": {"confirmed"},
    "web/pages/setup_twins.py": {"confirmed"},
    "tables/drafts/rehearsal.py": {"confirmed", "quoting"},
}

FILES = [path.relative_to(SOURCE).as_posix() for path in sorted(SOURCE.rglob("*.py"))]


def literals(file: str) -> set[str]:
    """Every string of a module but for docstrings, parts of sentences and public names."""
    tree = ast.parse((SOURCE / file).read_text(encoding="utf-8"))
    skipped: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr | ast.Expr):
            skipped |= {id(inner) for inner in ast.walk(node) if not isinstance(inner, ast.Call)}
        elif isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__all__":
            skipped |= {id(inner) for inner in ast.walk(node)}
    return {
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        if id(node) not in skipped
    }


@pytest.mark.parametrize("words", HOMES, ids=lambda words: words.__name__)
def test_a_word_of_a_fixed_set_is_written_in_its_home_alone(words):
    assert set(words) <= literals(HOMES[words])
    for file in FILES:
        if file != HOMES[words] and not file.startswith(SPEAKS_AS_A_USER):
            again = (literals(file) & set(words)) - OTHER_MEANINGS.get(file, set())
            assert not again, f"{file}: say {sorted(again)} by {words.__name__}"


def test_a_key_of_the_dataset_file_is_written_where_it_is_read():
    """Keys that are plain words, such as name or low, have other meanings elsewhere."""
    keys = {key for known in dataset_file._SECTIONS.values() for key in known}
    telling = {key for key in keys if "_" in key} | {"confirmed", "delimiter", "quoting"}
    assert telling <= keys
    for file in FILES:
        if file not in KEYS_ARE_WRITTEN:
            again = (literals(file) & telling) - KEYS_ARE_NAMED.get(file, set())
            assert not again, f"{file}: {sorted(again)} is read by {KEYS_ARE_WRITTEN[0]}"


def test_what_is_excused_is_still_there():
    """An excuse that nobody needs any more is taken away."""
    for file, words in [*OTHER_MEANINGS.items(), *KEYS_ARE_NAMED.items()]:
        assert words <= literals(file), file


@pytest.mark.parametrize(
    ("mark", "home"),
    [
        (":09d", "text/writing.py"),  # billionths as decimals
        ('isprintable() else " "', "text/writing.py"),  # blanks for what does not print
        ("exact after changing at most", "text/sentences.py"),
    ],
)
def test_amounts_labels_and_shared_sentences_are_written_in_the_text_room(mark, home):
    assert str(Amount(1)) == "0.000000001"
    found = [file for file in FILES if mark in (SOURCE / file).read_text(encoding="utf-8")]
    assert found == [home]
