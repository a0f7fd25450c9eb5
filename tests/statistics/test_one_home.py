"""What statistics are called is written down in their room, and nowhere else."""

import ast
from pathlib import Path

import pytest

from discreet.curator import OpenDataset
from discreet.statistics import FUNCTIONS, NAMES, STATISTICS

SOURCE = Path(__file__).parents[2] / "src" / "discreet"
DOCS = Path(__file__).parents[2] / "docs"

OTHER_MEANINGS = {
    "questions/select_list.py": {"quantile"},  # what the parser calls an argument, here and below
    "questions/nearest.py": {"distinct"},
    "requests/design.py": {"share"},  # a field of a request, here and below
    "requests/by_database.py": {"share"},
    "requests/spaces.py": {"range"},  # from the smallest value to the largest, here and below
    "cli/failures.py": {"range"},
    "errors.py": {"range"},
    "web/pages/datasets.py": {"range"},
    "web/pages/answers.py": {"range"},
    "web/pages/basket.py": {"share"},  # of ε
    "web/setup/forms.py": {"count"},  # whether gaps are counted
    "figures/span.py": {"median"},  # the middle line of a box
    "curator/prepared.py": {"mean"},  # a field of a result, here and below
    "curator/drawn.py": {"mean"},
    "model/ray_mechanism.py": {"count"},  # a field of a file of rays: how many
    "designer/counts.py": {"count"},  # what the closed form is called
    "cli/parsing/counts.py": {"top"},  # an option of `sorted`
    "cli/rendering/largest_counts.py": {"top", "count"},  # the same, and a heading
}
"""Words that mean something else where they stand; papers print theirs as the papers do."""


def _told(tree):
    """Every string of a program, but for docstrings and the public names of a room."""
    skipped = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            skipped.add(id(node.value))
        named = isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__all__"
        if named:
            skipped |= {id(inner) for inner in ast.walk(node)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and id(node) not in skipped:
            yield node.value


@pytest.mark.parametrize(
    "path",
    [
        path
        for path in sorted(SOURCE.rglob("*.py"))
        if path.relative_to(SOURCE).parts[0] not in ("statistics", "papers")
    ],
    ids=lambda path: path.relative_to(SOURCE).as_posix(),
)
def test_no_name_of_a_statistic_is_defined_in_a_second_place(path):
    told = set(_told(ast.parse(path.read_text(encoding="utf-8"))))
    others = OTHER_MEANINGS.get(path.relative_to(SOURCE).as_posix(), set())
    assert others <= told, "what no longer stands there needs no excuse"
    again = told & (set(NAMES) | set(FUNCTIONS)) - others
    assert not again, f"say {sorted(again)} by discreet.statistics, not by another string"


def test_every_name_is_one_statistic():
    every = [words.name for statistic in STATISTICS for words in statistic.names]
    assert len(every) == len(set(every)) == len(NAMES)
    functions = [function for words in NAMES.values() for function in words.functions]
    assert len(functions) == len(set(functions))


@pytest.mark.parametrize("name", NAMES)
def test_a_statistic_made_by_its_name_has_that_name(name):
    words = NAMES[name]
    parameter = None if words.parameter is None else words.parameter.read(words.parameter.example)
    made = words.make(parameter)
    assert (made.words, made.name, made.parameter) == (words, name, parameter)
    assert made.to_dict()["kind"] == name
    assert type(made) in STATISTICS


@pytest.mark.parametrize("name", NAMES)
def test_every_statistic_is_a_method_and_on_the_pages(name):
    assert name in vars(OpenDataset), f"add a method {name} to curator/fluent.py"
    questions = (DOCS / "reference" / "questions.md").read_text(encoding="utf-8")
    assert f"`{NAMES[name].function}(" in questions, "add a line to docs/reference/questions.md"
    python = (DOCS / "how-to" / "ask-from-python.md").read_text(encoding="utf-8")
    assert f"`{name}`" in python, "name it in docs/how-to/ask-from-python.md"
