"""What one checkout does, run by its own Python: a line in says what, a line out how long it took.

It knows nothing of rooms: only what every version since the first has by that name.
"""

import inspect
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

root, facts = sys.argv[1:3]
sys.path[0] = root
os.environ["DISCREET_CACHE"] = tempfile.mkdtemp()

import discreet  # noqa: E402
from discreet import DiscreetError, Grid, Order, Within, design, open_dataset  # noqa: E402

assert Path(discreet.__file__).is_relative_to(root), discreet.__file__
_KNOWN = inspect.signature(Order.of).parameters
_FRESH: dict[str, Any] = {"fresh": True} if "fresh" in _KNOWN else {}


def opened() -> Any:
    """The table without gaps, so that all versions tell the same groups; some know of no gaps."""
    for name in ("gapless.toml", "survey.toml"):
        try:
            return open_dataset(Path(facts) / name, analyst=f"bench-{os.getpid()}")
        except DiscreetError as refused:
            problem = refused
    raise problem


_survey: Any = opened()


def ask(sql: str) -> None:
    """A question whose plan and counts are in memory: charged, drawn, stored."""
    _survey.sql(sql).ask(epsilon="0.004", **_FRESH)


def designed(size: str) -> None:
    """A design that no cache knows."""
    design(Grid.between(0, int(size)), Within(4), "0.5", cache=None)


WORK: dict[str, Callable[[str], None]] = {"ask": ask, "design": designed}

for line in sys.stdin:
    kind, times, what = line.rstrip("\n").split(" ", 2)
    taken = []
    for _ in range(int(times)):
        start = time.process_time()
        WORK[kind](what)
        taken.append(time.process_time() - start)
    print(json.dumps(taken), flush=True)
