"""Try every mutant: which test notices? `run.py [--left] [--third] [ROOM …]` in this folder.

Mutants are data, a file for each room. The source is copied, the copy is changed, and only the
tests that are named for the mutant are run against it, in a process that is forked from one with
all libraries loaded. A mutant is killed when they fail. Results are added to results.json; with
`--left` only those are tried that it does not say to be killed, or that were changed since; with
`--third` besides these a third of all others, taken at random.
"""

import contextlib
import hashlib
import io
import json
import os
import random
import signal
import sys
import tempfile
import tomllib
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
RESULTS = HERE / "results.json"
_MOST_SECONDS = 600
_LIBRARIES = ("numpy", "flint", "apsw", "duckdb", "sqlglot", "typer", "rich", "highspy", "httpx")


@cache
def mutants():
    """All of them, by room, in the order of the files."""
    found = []
    for file in sorted(HERE.glob("*.toml")):
        made = tomllib.loads(file.read_text(encoding="utf-8"))["mutant"]
        found += [{"room": file.stem, **one} for one in made]
    return found


def changed(mutant, folder):
    """A copy of the source with the mutant's change; files are shared but for that one."""
    copy = Path(folder) / "src"
    for file in (ROOT / "src" / "discreet").rglob("*"):
        if file.is_file():
            other = copy / file.relative_to(ROOT / "src")
            other.parent.mkdir(parents=True, exist_ok=True)
            _share(file, other)
    file = copy / "discreet" / mutant["file"]
    text = file.read_text(encoding="utf-8")
    assert text.count(mutant["old"]) == 1, f"{mutant['file']} has changed: mend the mutant"
    file.unlink()
    file.write_text(text.replace(mutant["old"], mutant["new"]), encoding="utf-8")
    return copy


def _share(file, other):
    try:
        os.link(file, other)
    except OSError:
        other.write_bytes(file.read_bytes())


def killer(mutant, folder):
    """The first named test that fails on the changed copy, in pytest's words; None where none."""
    copy = changed(mutant, folder)
    for words in mutant["tests"]:
        told = Path(folder) / "told"
        child = os.fork()
        if child == 0:
            os._exit(_in_child(copy, words, told))
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        if code == pytest.ExitCode.TESTS_FAILED:
            lines = told.read_text(encoding="utf-8").splitlines()
            marks = ("FAILED", "ERROR tests")  # what a test rests on may fail before it does
            return next(line.split(" - ")[0] for line in lines if line.startswith(marks))
        said = told.read_text(encoding="utf-8")[-2000:] if told.exists() else "no end in time"
        assert code == 0, f"{words} could not be tried: {said}"
    return None


def _in_child(copy, words, told):
    signal.alarm(_MOST_SECONDS)
    os.chdir(ROOT)
    os.environ["PYTHONPATH"] = str(copy)
    sys.path.insert(0, str(copy))
    for name in [one for one in sys.modules if one.split(".")[0] == "discreet"]:
        del sys.modules[name]
    output = io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
        code = pytest.main(["-q", "-x", "-p", "no:cacheprovider", *_words(words)])
    told.write_text(output.getvalue(), encoding="utf-8")
    return int(code)


def _words(words):
    path, _, chosen = words.partition(" -k ")
    return [path, "-k", chosen] if chosen else [path]


def main(words):
    """Run the mutants of some rooms, or all, and write down what killed each."""
    rooms = [word for word in words if not word.startswith("--")]
    before = _known() if {"--left", "--third"} & set(words) else {}
    again = 1 / 3 if "--third" in words else 0.0
    for name in _LIBRARIES:
        with contextlib.suppress(ImportError):
            import_module(name)
    for mutant in mutants():
        if rooms and mutant["room"] not in rooms:
            continue
        known = before.get(mutant["law"], {})
        same = known.get("of", _mark(mutant)) == _mark(mutant)
        if known.get("killed_by") and same and random.random() >= again:
            continue
        with tempfile.TemporaryDirectory(dir=ROOT.parent) as folder:
            try:
                found = killer(mutant, folder)
            except (AssertionError, StopIteration) as problem:
                print("NOT TRIED", mutant["law"], problem, flush=True)
                continue
        known = _known()
        told = {"room": mutant["room"], "killed_by": found, "of": _mark(mutant)}
        known[mutant["law"]] = told
        RESULTS.write_text(json.dumps(known, indent=1, sort_keys=True) + "\n", encoding="utf-8")
        print(mutant["room"], "|", mutant["law"], "|", found or "SURVIVES", flush=True)


def _mark(mutant):
    """What tells a mutant from what it was before it was changed."""
    text = json.dumps([mutant[name] for name in ("file", "old", "new", "tests")])
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def _known():
    return json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}


if __name__ == "__main__":
    main(sys.argv[1:])
