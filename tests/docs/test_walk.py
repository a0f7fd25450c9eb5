"""The walks that docs/architecture.md tells are the walks that the program takes."""

import json
import os
import re
import subprocess
import sys

import pytest

from docs.pages import DOCS, ROOT

PAGE = (DOCS / "architecture.md").read_text(encoding="utf-8")
CHAIN = ("question", "plan", "mechanism", "certificate", "charge", "draw", "answer")
CHANCE = 2
"""Files that a thread in the background may or may not have come to."""

WALKS = {
    "ask": "### One ask",
    "design": "### One design",
    "web": "### One ask over the web",
}


def told(heading):
    """The steps and functions of a walk, in the page's order, and the files it says it touches."""
    text = PAGE.split(f"{heading}\n")[1].split("\n#")[0]
    steps = re.findall(r"^\| (\w+) \| `([\w.]+)` \| .+ \|$", text, re.M)
    (files,) = re.findall(r"\*\*(\d+) files\*\*", text)
    return steps, int(files)


@pytest.fixture(scope="module", params=[name for name in WALKS if WALKS[name] + "\n" in PAGE])
def walk(request):
    """What the page says of a walk, and the functions of a real one in the order of first calls."""
    path = os.pathsep.join([str(ROOT / "src"), str(ROOT / "tests"), str(ROOT)])
    done = subprocess.run(
        [sys.executable, "-m", "docs.walking", request.param],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env={**os.environ, "PYTHONPATH": path},
        cwd=ROOT / "tests",
    )
    assert done.returncode == 0, done.stderr
    return *told(WALKS[request.param]), json.loads(done.stdout.splitlines()[-1])


def test_the_functions_of_the_page_are_called_in_its_order(walk):
    steps, _, calls = walk
    order = {call.replace(":", "."): place for place, call in reversed(list(enumerate(calls)))}
    named = [function for _, function in steps]
    missing = [function for function in named if function not in order]
    assert not missing, f"never called: {missing}"
    assert named == sorted(named, key=order.__getitem__)


def test_the_steps_follow_the_chain_and_never_go_back(walk):
    steps, _, _ = walk
    places = [CHAIN.index(step) for step, _ in steps]
    assert places == sorted(places)


def test_the_page_says_how_many_files_are_touched(walk):
    _, files, calls = walk
    touched = len({call.split(":")[0] for call in calls})
    assert files - CHANCE <= touched <= files
