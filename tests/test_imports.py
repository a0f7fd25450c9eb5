"""The public namespace: light to import, complete, and typed."""

import ast
import importlib
import subprocess
import sys
from pathlib import Path

import pytest

import discreet

HEAVY = ("numpy", "flint", "matplotlib", "highspy", "rich", "typer", "scipy")


def _modules_after(statement: str) -> set[str]:
    script = f"{statement}; import sys; print(*sorted(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60
    )
    return set(done.stdout.split())


def test_importing_discreet_brings_in_nothing_heavy():
    found = _modules_after("import discreet")
    assert not found & set(HEAVY)
    assert not {name for name in found if name.startswith("discreet.")}


def test_the_command_line_starts_without_numbers_or_pictures():
    found = _modules_after("import discreet.cli")
    assert not found & {"numpy", "flint", "matplotlib", "highspy", "scipy"}


def test_drawing_tables_needs_no_matplotlib():
    assert "matplotlib" not in _modules_after("import discreet.plots")


@pytest.mark.parametrize("name", discreet.__all__)
def test_every_public_name_resolves(name):
    assert getattr(discreet, name) is not None
    assert name in dir(discreet)


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'epsilonn'"):
        discreet.epsilonn  # noqa: B018


def test_a_function_keeps_its_name_whatever_room_is_imported_later():
    script = (
        "import discreet, discreet.sampling, discreet.certify.pure; "
        "assert callable(discreet.certify); "
        "from discreet.certify import tight_epsilon; "
        "assert discreet.certify is __import__('sys').modules['discreet.certify'].certify"
    )
    subprocess.run([sys.executable, "-c", script], check=True, timeout=60)


def test_the_stub_types_exactly_the_public_names():
    stub = Path(discreet.__file__).with_suffix(".pyi")
    tree = ast.parse(stub.read_text(encoding="utf-8"))
    homes = {
        alias.name: node.module
        for node in tree.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert {*homes, "__version__"} == set(discreet.__all__)
    for name, home in homes.items():
        assert getattr(importlib.import_module(home), name) is getattr(discreet, name)


def test_the_version_is_the_one_installed():
    assert discreet.__version__ == importlib.import_module("importlib.metadata").version("discreet")
