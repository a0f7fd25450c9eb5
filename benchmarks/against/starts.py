"""How long both checkouts take to start: commands, the server, and discreet as a library.

A process of its own each time, until it ends; the server until it answers for the first time, its
workers not counted.
"""

import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks import serving
from benchmarks.survey import write_survey

TURNS = 8
_ASKED = ("SELECT MEDIAN(age)", "0.001")
_FROM_PYTHON = (
    "from discreet import open_dataset\n"
    "with open_dataset('survey.toml') as survey:\n"
    f"    survey.sql('{_ASKED[0]}').ask(epsilon='{_ASKED[1]}')\n"
)
STARTS = {
    "import discreet": ("-c", "import discreet"),
    "discreet --help": ("-m", "discreet", "--help"),
    "discreet ask, a median": (
        *("-m", "discreet", "ask", "survey.toml", _ASKED[0], "--epsilon", _ASKED[1], "--yes"),
    ),
    "a median asked from Python": ("-c", _FROM_PYTHON),
}
Checkout = tuple[str, Path]
"""The Python that runs it, and its folder."""


def starts(checkouts: list[Checkout]) -> Iterator[tuple[str, tuple[list[float], list[float]]]]:
    """The processor time of each start, in turns of both; the first of each is left out."""
    for work, words in STARTS.items():
        taken: tuple[list[float], list[float]] = [], []
        for turn in range(TURNS + 1):
            for which in (0, 1) if turn % 2 else (1, 0):
                taken[which].append(_run(*checkouts[which], words))
        yield work, (taken[0][1:], taken[1][1:])
    served: tuple[list[float], list[float]] = [], []
    for turn in range(TURNS + 1):
        for which in (0, 1) if turn % 2 else (1, 0):
            with server(*checkouts[which]) as (_, _, process):
                served[which].append(processor(process))
    yield "discreet serve until /health answers", (served[0][1:], served[1][1:])


def _run(python: str, root: Path, words: tuple[str, ...]) -> float:
    with tempfile.TemporaryDirectory() as name:
        write_survey(Path(name))
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        env = {**os.environ, "PYTHONPATH": str(root / "src")}
        subprocess.run([python, *words], cwd=name, env=env, check=True, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


@contextmanager
def server(python: str, root: Path) -> Iterator[tuple[int, str, int]]:
    """A server of one checkout: its port, a token, and its process."""
    kept, sys.executable = sys.executable, python
    path = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = str(root / "src")
    try:
        with tempfile.TemporaryDirectory() as name:
            token = serving.survey(Path(name))
            with serving.served(Path(name)) as (port, _, process):
                sys.executable = kept
                yield port, token, process
    finally:
        sys.executable = kept
        os.environ.pop("PYTHONPATH") if path is None else os.environ.update(PYTHONPATH=path)


def processor(process: int) -> float:
    """The processor time of a process so far, in seconds; that of its children is theirs."""
    fields = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
