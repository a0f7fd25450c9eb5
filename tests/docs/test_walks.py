"""The pages that change the program are followed, step by step, in a copy of it."""

import os
import shlex
import shutil
import subprocess
import sys

import pytest

from discreet.cli.commands.demo import copied_survey
from docs.pages import ROOT, WALKS
from docs.running import transcript
from docs.snippets import blocks, same


@pytest.fixture
def copy(tmp_path, monkeypatch):
    """The program with its tests and pages, for a newcomer to change."""
    unwanted = shutil.ignore_patterns("*.pyc.*", "_build", "*.duckdb")  # byte code spares minutes
    for part in ("src", "tests", "docs"):
        shutil.copytree(ROOT / part, tmp_path / part, ignore=unwanted)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    monkeypatch.setenv("DISCREET_CACHE", str(tmp_path / "designs"))
    monkeypatch.setenv("DISCREET_ANALYST", "ana")
    return tmp_path


def change(path, text):
    """Apply a diff: what it has without a sign or with − is there once, and becomes the rest."""
    lines = text.splitlines(keepends=True)
    before = "".join(line[1:] for line in lines if not line.startswith("+"))
    after = "".join(line[1:] for line in lines if not line.startswith("-"))
    old = path.read_text(encoding="utf-8")
    assert old.count(before) == 1, f"{path.name} does not have once\n{before}"
    path.write_text(old.replace(before, after), encoding="utf-8")


def run(command, folder):
    """One command in the copy: what it prints, once it has left with 0."""
    here = {"PYTHONPATH": str(folder / "src"), "PYTEST_ADDOPTS": "-p no:cacheprovider"}
    done = subprocess.run(
        [sys.executable, "-m", *shlex.split(command)], cwd=folder, env={**os.environ, **here},
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, f"$ {command}\n{done.stdout}{done.stderr}"
    return done.stdout


@pytest.mark.parametrize("page", sorted(WALKS))
def test_a_newcomer_who_follows_the_page_arrives(page, copy):
    for block in blocks(ROOT / page):
        if block.remarks.get("given") == "clinic":
            copied_survey(copy)
        if "file" in block.remarks:
            (copy / block.remarks["file"]).write_text(block.text, encoding="utf-8")
        if "change" in block.remarks:
            change(copy / block.remarks["change"], block.text)
        if block.language == "console":
            for command, printed in transcript(block.text):
                assert same(printed, run(command, copy)) is None, command
