"""Try every mutant: which test notices? `python tests/lab/mutants/run.py [ROOM …]`.

The source is copied, the copy is changed, and only the tests that are named for the mutant are run
against it. A mutant is killed when they fail. Results are added to results.json beside this file.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
RESULTS = HERE / "results.json"
_LONGEST = 600


def mutants():
    """All of them, in the order of the file."""
    return tomllib.loads((HERE / "mutants.toml").read_text(encoding="utf-8"))["mutant"]


def killer(mutant, folder):
    """The first named test that fails on the changed copy, in pytest's words; None where none."""
    copy = Path(folder) / "src"
    shutil.copytree(ROOT / "src", copy, ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
    file = copy / "discreet" / mutant["file"]
    text = file.read_text(encoding="utf-8")
    assert text.count(mutant["old"]) == 1, f"{mutant['file']} has changed: mend mutants.toml"
    file.write_text(text.replace(mutant["old"], mutant["new"]), encoding="utf-8")
    for words in mutant["tests"]:
        command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider"]
        done = subprocess.run(
            [*command, *words.split()],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(copy)},
            capture_output=True,
            text=True,
            timeout=_LONGEST,
            check=False,
        )
        if done.returncode != 0:
            failed = [
                line for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERR"))
            ]
            return failed[0].split(" - ")[0] if failed else words
    return None


def main(rooms):
    """Run the mutants of some rooms, or all, and write down what killed each."""
    known = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}
    for mutant in mutants():
        if rooms and mutant["room"] not in rooms:
            continue
        with tempfile.TemporaryDirectory() as folder:
            found = killer(mutant, folder)
        known[mutant["law"]] = {"room": mutant["room"], "killed_by": found}
        RESULTS.write_text(json.dumps(known, indent=1, sort_keys=True) + "\n", encoding="utf-8")
        print(mutant["room"], "|", mutant["law"], "|", found or "SURVIVES", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
