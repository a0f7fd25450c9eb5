"""Commands act, parsing reads, rendering shows: it prints nothing and works nothing out."""

import ast
from pathlib import Path

import pytest

from discreet import cli

RENDERING = sorted((Path(cli.__file__).parent / "rendering").glob("*.py"))
PRINTS = {"terminal.py"}
"""What has the terminal."""
WORK = {
    *("say", "say_json", "print"),
    *("design", "compare", "compare_large", "compare_symmetric", "certify", "contest"),
    *("measure", "simulation", "try_methods", "run_items"),
}


@pytest.mark.parametrize("path", RENDERING, ids=lambda path: path.name)
def test_rendering_calls_nothing_that_works_or_prints(path):
    calls = {
        node.func.id
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    assert not calls & WORK or path.name in PRINTS
