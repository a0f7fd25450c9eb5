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
    assert {name for name in found if name.startswith("discreet.")} == {"discreet.on_demand"}


def test_the_command_line_starts_without_numbers_or_pictures():
    found = _modules_after("import discreet.cli")
    assert not found & {"numpy", "flint", "matplotlib", "highspy", "scipy"}


ASK = (
    "import os, sys; from discreet.cli.starting import main; "
    "sys.argv = ['discreet', 'ask', 'rows.toml', 'SELECT COUNT(*)', '--epsilon', '1', '--yes']; "
    "os._exit = lambda code: print(*sorted(sys.modules)); main()"
)
FACTS = (
    'name = "t"\nconfirmed = true\n[source]\npath = "rows.csv"\n[privacy]\nsize_at_most = 9\n'
    '[budget]\ntotal = "9"\n[columns.mood]\ntype = "integer"\nlow = 1\nhigh = 5\n'
)
NOT_FOR_A_COUNT = (
    *("attack", "client", "figures.heat", "papers", "plots", "reports.html", "sorting", "web"),
    *(
        "cli.commands.serve",
        "cli.commands.ledger",
        "graphs.optimum",
        "tables.drafts",
        "tables.stock",
    ),
    *("tables.engines.postgresql", "tables.engines.spark", "budget.postgresql.moving"),
)


def test_a_question_on_the_command_line_loads_what_it_uses(tmp_path):
    """Rooms have faces that fetch a name when it is used; commands are loaded one by one."""
    (tmp_path / "rows.csv").write_text("mood\n1\n2\n", encoding="utf-8")
    (tmp_path / "rows.toml").write_text(FACTS, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", ASK],
        capture_output=True, text=True, timeout=60, check=True, cwd=tmp_path,
    )  # fmt: skip
    found = set(done.stdout.splitlines()[-1].split())
    assert "discreet.curator.curator" in found
    assert not found & {f"discreet.{name}" for name in NOT_FOR_A_COUNT}
    assert not found & {"highspy", "matplotlib", "scipy", "psycopg", "ssl", "http.client", *FRAMES}


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


STUBS = sorted(Path(discreet.__file__).parent.rglob("__init__.pyi"))


@pytest.mark.parametrize("stub", STUBS, ids=lambda stub: stub.parent.name)
def test_the_stub_types_exactly_the_public_names(stub):
    """What a room offers is written for Python and for its readers: the two are one."""
    inside = stub.parent.relative_to(Path(discreet.__file__).parents[1])
    room = importlib.import_module(".".join(inside.parts))
    tree = ast.parse(stub.read_text(encoding="utf-8"))
    homes = {
        alias.name: node.module
        for node in tree.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert {*homes} == {*room.__all__} - {"__version__"}
    for name, home in homes.items():
        assert getattr(importlib.import_module(home), name) is getattr(room, name)
        assert name in dir(room)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        room.nothing  # noqa: B018


def test_the_version_is_the_one_installed():
    assert discreet.__version__ == importlib.import_module("importlib.metadata").version("discreet")


ON_DEMAND = [
    name
    for name in MODULES
    if name.startswith(("discreet.designer.", "discreet.planning.")) and name.count(".") == 2
]
FIRST = (
    "import os, sys, numpy, flint, duckdb, sqlglot, highspy\n"
    "for name in sys.argv[1:]:\n"
    "    if not os.fork():\n"
    "        try:\n"
    "            __import__(name)\n"
    "        except ImportError as problem:\n"
    "            print(name, problem, flush=True)\n"
    "        os._exit(0)\n"
    "    os.wait()\n"
)


def test_what_is_loaded_on_demand_may_be_loaded_first():
    """An order of imports may hide a cycle; what is fetched when it is used comes in any order."""
    done = subprocess.run(
        [sys.executable, "-c", FIRST, *ON_DEMAND],
        capture_output=True, text=True, check=True, timeout=300,
    )  # fmt: skip
    assert done.stdout == ""
