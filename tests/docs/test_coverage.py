"""What the program has, the pages have: names, keys, variables, proofs; the lists are derived."""

import inspect
import re

import pytest
from docs._extensions.commands import commands, examples
from docs._extensions.rooms import rooms

import discreet
from discreet.tables import dataset_file, declared
from docs.pages import DOCS, ROOT, SITE

TEXTS = {page.relative_to(DOCS).as_posix(): page.read_text(encoding="utf-8") for page in SITE}
REFERENCE = "\n".join(text for name, text in TEXTS.items() if name.startswith("reference/"))


@pytest.mark.parametrize("room", rooms())
def test_every_room_is_in_the_python_reference_once(room):
    assert REFERENCE.count(f"```{{room}} {room}\n") == 1, f"add a {{room}} {room} to a page"


@pytest.mark.parametrize("room", rooms())
def test_every_public_name_of_a_room_says_what_it_is(room):
    module = rooms()[room]
    for name in getattr(module, "__all__", ()):
        thing = getattr(module, name)
        if inspect.isclass(thing) or inspect.isfunction(thing):
            told = inspect.getdoc(thing) or f"{name}("
            assert not told.startswith(f"{name}("), f"discreet.{room}.{name} needs a docstring"


def test_every_top_name_lives_in_a_documented_room():
    assert set(discreet._ROOMS) <= set(rooms())
    assert all(hasattr(discreet, name) for name in discreet.__all__)


def configuration_keys():
    """Every key a dataset file may have, as the page writes it."""
    for section, keys in dataset_file._SECTIONS.items():
        for key in keys:
            if key not in dataset_file._SECTIONS and key not in ("columns", *dataset_file.NAMED):
                yield f"{section}.{key}".lstrip(".")
    for keys in declared.COLUMN_KEYS.values():
        yield from (f"columns.NAME.{key}" for key in keys)
    for section, keys in dataset_file.NAMED.items():
        yield from (f"{section}.NAME.{key}" for key in keys)


@pytest.mark.parametrize("key", sorted(set(configuration_keys())))
def test_every_key_of_a_dataset_file_is_documented(key):
    assert f"`{key}`" in TEXTS["reference/dataset-file.md"]


def test_no_key_is_documented_that_is_not_there():
    table = TEXTS["reference/dataset-file.md"].split("## Keys")[1].split("\n## ")[0]
    firsts = [line.split("|")[1] for line in table.splitlines() if line.startswith("| `")]
    named = {key for first in firsts for key in re.findall(r"`([\w.]+)`", first)}
    assert named == set(configuration_keys())


def test_every_environment_variable_is_documented_and_no_other():
    used = {
        name
        for source in [*(ROOT / "src").rglob("*.py"), ROOT / "tests" / "conftest.py"]
        for name in re.findall(r"\bDISCREET_[A-Z_]+\b", source.read_text(encoding="utf-8"))
    }
    named = set(re.findall(r"^\| `(DISCREET_\w+)`", TEXTS["reference/environment.md"], re.M))
    assert named == used


def test_every_proof_is_listed_with_a_line():
    listed = re.findall(r"^\| \[.+\]\(([\w-]+)\.md\) \| .+ \|$", TEXTS["proofs/index.md"], re.M)
    assert sorted(listed) == sorted(set(listed))
    there = {page.stem for page in (DOCS / "proofs").glob("*.md")} - {"index"}
    assert set(listed) == there


def test_every_command_has_examples_of_itself():
    for name, command in commands():
        assert examples(command), name
        assert all(line.startswith(f"discreet {name}") for line in examples(command)), name
