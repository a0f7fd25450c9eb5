"""Runs the blocks of one page in one folder and one namespace, in this process where it can."""

import doctest
import json
import os
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

from typer.testing import CliRunner

from discreet.cli import app
from discreet.cli.commands.demo import copied_survey
from discreet.model import load_mechanism
from discreet.tables.dataset_file import examine_dataset
from docs.snippets import Block, same

SHELL = {"cat", "cp", "head", "ls", "mkdir", "mv", "rm", "python", "sed"}
"""Other programs that a transcript may use; they are run as they stand."""


FIXED = {"init", "check", "budget"}
"""Commands that draw nothing: no word of what they print is random."""


class Broken(AssertionError):  # noqa: N818
    """A block does not do what its page says."""


class PageRun:
    """What the blocks of a page share: a folder with nothing in it, and the names of its Python."""

    def __init__(self, folder: Path, given_database: Callable[[], None] = lambda: None) -> None:
        self.folder, self.given_database = folder, given_database
        self.names: dict[str, object] = {"__name__": "__page__"}

    def run(self, block: Block) -> None:
        """Do with a block what its language asks for; raise Broken when the page is wrong."""
        if block.remarks.get("given") == "clinic":
            copied_survey(self.folder)
        if block.remarks.get("given") == "postgresql":
            self.given_database()
        if "file" in block.remarks:
            (self.folder / block.remarks["file"]).write_text(block.text, encoding="utf-8")
        runners = {
            "console": self._console,
            "python": self._python,
            "toml": self._toml,
            "json": self._json,
        }
        if block.language in runners:
            runners[block.language](block)

    def _console(self, block: Block) -> None:
        steps = transcript(block.text)
        random = block.remarks.get("random", "")
        for place, (command, expected) in enumerate(steps):
            last = place == len(steps) - 1
            code, output = self._command(command)
            if code != (int(block.remarks.get("exit", 0)) if last else 0):
                raise Broken(f"$ {command}\nleft with {code}:\n{output}")
            missing = same(expected, output, "" if _is_fixed(command) else random)
            if missing is not None:
                raise Broken(f"$ {command}\nprinted\n{output}\nand the page says\n{missing}")

    def _command(self, command: str) -> tuple[int, str]:
        words = shlex.split(command)
        if words[0] == "discreet" and not set(words) & {"|", ">", "<"}:
            done = CliRunner().invoke(app, words[1:])
            return done.exit_code, done.output
        if words[0] not in SHELL | {"discreet"}:
            raise Broken(f"{words[0]!r} is not among the programs that transcripts may run")
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        done = subprocess.run(
            command, shell=True, cwd=self.folder, capture_output=True, text=True, timeout=60,
            env={**os.environ, "PATH": path}, check=False,
        )  # fmt: skip
        return done.returncode, done.stdout + done.stderr

    def _python(self, block: Block) -> None:
        if ">>> " not in block.text:
            exec(compile(block.text, f"block at line {block.line}", "exec"), self.names)
            return
        random = block.remarks.get("random", "")
        parsed = doctest.DocTestParser().get_doctest(block.text, self.names, "page", None, 0)
        told: list[str] = []
        runner = doctest.DocTestRunner(checker=_Checker(random), verbose=False)
        runner.run(parsed, out=told.append, clear_globs=False)
        self.names.update(parsed.globs)
        if told:
            raise Broken("".join(told))

    def _toml(self, block: Block) -> None:
        data = tomllib.loads(block.text)
        if not {"source", "columns"} <= set(data):
            return
        path = self.folder / block.remarks.get("file", f"block-{block.line}.toml")
        path.write_text(block.text, encoding="utf-8")
        _, problems = examine_dataset(path)
        if problems:
            raise Broken("\n".join(f"line {each.line}: {each.text}" for each in problems))

    def _json(self, block: Block) -> None:
        data = json.loads(block.text)
        if isinstance(data, dict) and data.get("format") == "discreet-mechanism":
            path = self.folder / f"block-{block.line}.json"
            path.write_text(block.text, encoding="utf-8")
            load_mechanism(path)


class _Checker(doctest.OutputChecker):
    """Compares as transcripts are compared."""

    def __init__(self, random: str) -> None:
        self.random = random

    def check_output(self, want: str, got: str, optionflags: int) -> bool:
        return same(want, got, self.random) is None


def _is_fixed(command: str) -> bool:
    program, *words = command.split()
    return program == "discreet" and bool(words) and words[0] in FIXED


def transcript(text: str) -> list[tuple[str, str]]:
    """Commands with what they print; a command goes on after a backslash."""
    steps: list[tuple[str, str]] = []
    command: str | None = None
    for line in text.splitlines():
        if line.startswith("$ "):
            command = line[2:]
            steps.append((command, ""))
        elif steps and steps[-1][0].endswith("\\"):
            steps[-1] = (steps[-1][0][:-1] + line.removeprefix(">").strip(), "")
        elif not steps:
            raise Broken(f"a transcript opens with a command, not with {line!r}")
        else:
            steps[-1] = (steps[-1][0], steps[-1][1] + line + "\n")
    return [(command.split("   #")[0].strip(), printed) for command, printed in steps]
