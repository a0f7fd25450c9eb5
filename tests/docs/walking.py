"""One ask, one design and one web ask, each in a process of its own, with every call noted.

`python -m docs.walking ask` in the folder `tests` prints the functions of discreet in the order of
their first call, as JSON. What runs while modules are imported does not count.
"""

import json
import os
import sys
import tempfile
import threading
from pathlib import Path
from types import FrameType

ROOT = Path(__file__).parents[2]
SOURCE = f"{ROOT / 'src' / 'discreet'}/"
FETCHES = f"{SOURCE}on_demand.py"
"""Where a name of a room is imported when it is first used."""
IS_FUNCTION = 1
"""CO_OPTIMIZED: what the body of a class or a module lacks."""

ROWS = "mood,smokes\n" + "".join(f"{1 + place % 5},{place % 3 == 0}\n" for place in range(40))
CALLS: dict[str, None] = {}


def note(frame: FrameType, event: str, _: object) -> None:
    """Remember a function by its module and name, unless a module is being imported."""
    code = frame.f_code
    if event != "call" or not code.co_filename.startswith(SOURCE):
        return
    if not code.co_flags & IS_FUNCTION or _importing(frame):
        return
    module = code.co_filename[len(SOURCE) : -len(".py")].replace("/", ".")
    CALLS.setdefault(f"{module}:{code.co_qualname}")


def _importing(frame: FrameType | None) -> bool:
    while frame is not None:
        code = frame.f_code
        if code.co_name == "<module>" and code.co_filename.startswith(SOURCE):
            return True
        if code.co_filename == FETCHES:
            return True
        frame = frame.f_back
    return False


def listen() -> None:
    """From now on, in this thread and in all that start."""
    threading.setprofile(note)
    sys.setprofile(note)


def command(*words: str) -> None:
    """The command line, as `discreet` runs it."""
    from typer.testing import CliRunner

    from discreet.cli import app

    listen()
    done = CliRunner().invoke(app, list(words))
    sys.setprofile(None)
    assert done.exit_code == 0, done.output


def ask() -> None:
    """A count, from the command line to the printed answer."""
    from small_survey import MOOD, SMOKES, dataset_text

    file = dataset_text("size = 40", "9", columns=MOOD + SMOKES)
    Path("survey.toml").write_text(file, encoding="utf-8")
    Path("rows.csv").write_text(ROWS, encoding="utf-8")
    command("ask", "survey.toml", "SELECT COUNT(smokes)", "--epsilon", "0.5", "--yes")


def design() -> None:
    """The mean of ten answers, from the command line to the printed mechanism."""
    command("design", "mean", "--n", "10", "--range", "0", "4", "--epsilon", "0.5")


def web() -> None:
    """A count over HTTP; the plan is made by a worker, whose process is not followed."""
    from served_api import COUNT, serving

    threading.setprofile(note)
    with serving(Path.cwd()) as api:
        for served in api.service.every_dataset():
            served.curator.check_ready()
        CALLS.clear()
        done = api.post("ana", "/api/datasets/survey/ask", COUNT, headers={"Idempotency-Key": "w"})
        walked = list(CALLS)
        assert done.status_code == 200, done.text
    CALLS.clear()
    CALLS.update(dict.fromkeys(walked))


if __name__ == "__main__":
    os.chdir(tempfile.mkdtemp())
    os.environ["DISCREET_CACHE"] = "designs"
    {"ask": ask, "design": design, "web": web}[sys.argv[1]]()
    print(json.dumps(list(CALLS)))
