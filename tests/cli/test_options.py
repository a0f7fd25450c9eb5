"""Options: one that several commands share has one home, and a flag shows no type."""

import ast
from collections import defaultdict
from pathlib import Path

import pytest
from typer.testing import CliRunner

import discreet.cli
from discreet.cli import app

HOME = "options.py"
OTHER_MEANINGS = {
    "--analyst": {HOME, "ledger.py", "report.py"},
    "--delta": {HOME, "ledger.py"},
    "--fresh": {HOME, "reproduce.py"},
    "--neighbours": {HOME, "sorted.py"},
    "--out": {"ask.py", "report.py", "reproduce.py", "synthesize.py"},
    "--role": {"token.py", "ledger.py"},
    "--save": {HOME, "init.py", "demo.py"},
    "--within": {HOME, "budget.py"},
}
"""Options that mean something else in a command, which defines its own."""


def _options():
    """Every option that is written down, with the files that do so."""
    found = defaultdict(set)
    for path in Path(discreet.cli.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            name, annotation = None, None
            if isinstance(node, ast.arg):
                name, annotation = node.arg, node.annotation
            elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                name, annotation = node.targets[0].id.lower(), node.value
            for call in ast.walk(annotation) if annotation is not None else ():
                if isinstance(call, ast.Call) and ast.unparse(call.func) == "typer.Option":
                    flags = [word.value for word in call.args if isinstance(word, ast.Constant)]
                    found[flags[0] if flags else f"--{name.replace('_', '-')}"].add(path.name)
    return found


def test_an_option_that_several_commands_share_is_defined_once():
    again = {name: files for name, files in _options().items() if len(files) > 1}
    assert again == OTHER_MEANINGS


@pytest.mark.parametrize("words", [["ask"], ["ledger", "budget"], ["token"], []])
def test_a_flag_shows_no_type(words):
    shown = CliRunner().invoke(app, [*words, "--help"]).output
    assert "--help" in shown
    assert "<bool>" not in shown
