"""The public namespace: light to import, complete, and typed."""

import ast
import importlib
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

import discreet

FRAMES = ("pandas", "polars", "pyarrow", "openpyxl")
HEAVY = ("numpy", "flint", "matplotlib", "highspy", "rich", "typer", "scipy", *FRAMES)


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


def test_reading_tables_brings_in_no_frames():
    assert not _modules_after("import discreet.tables, discreet.curator") & set(FRAMES)


def test_drawing_tables_needs_no_matplotlib():
    assert "matplotlib" not in _modules_after("import discreet.plots")


@pytest.mark.parametrize("name", discreet.__all__)
def test_every_public_name_resolves(name):
    assert getattr(discreet, name) is not None
    assert name in dir(discreet)


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'epsilonn'"):
        discreet.epsilonn  # noqa: B018


MODULES = sorted(
    found.name for found in pkgutil.walk_packages(discreet.__path__, prefix="discreet.")
)


@pytest.mark.parametrize("name", MODULES)
def test_no_name_hides_a_module(name):
    """`import discreet.any.module as m` binds that module, never a function of the same name."""
    module = importlib.import_module(name)
    parent, _, leaf = name.rpartition(".")
    assert getattr(importlib.import_module(parent), leaf) is module


def test_public_functions_are_not_hidden_by_rooms():
    rooms = {name.split(".")[1] for name in MODULES}
    assert not rooms & set(discreet.__all__)


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
