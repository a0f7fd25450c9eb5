"""The loop of every script here: a JSON document on each line in, and one out."""

import json
import sys
from collections.abc import Callable
from typing import Any


def serve(answer: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    """Answer requests until nobody asks any more; what a library prints goes elsewhere."""
    out, sys.stdout = sys.stdout, sys.stderr
    for line in sys.stdin:
        try:
            reply = answer(json.loads(line))
        except Exception as problem:
            reply = {"error": f"{type(problem).__name__}: {problem}"}
        print(json.dumps(reply), file=out, flush=True)
