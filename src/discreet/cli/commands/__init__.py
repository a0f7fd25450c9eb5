"""The commands, one file each: a function in a file of its own, which adds it to the app."""

import importlib
from collections.abc import Sequence

_NAMES = (
    "demo", "init", "check", "budget", "plan", "ask", "synthesize", "ledger", "report", "attack",
    "serve", "token", "doctor", "mechanisms", "mechanism", "compare", "design", "curve", "graph",
    "sorted", "show", "certify", "measure", "draw", "reproduce",
)  # fmt: skip
"""In the order of the help page."""


def load(words: Sequence[str] = ()) -> None:
    """Import the command that words begin with, or all of them where they begin with none.

    One command is a fifth of all: nobody who asks waits for the others.
    """
    first = words[0] if words else None
    for name in [first] if first in _NAMES else _NAMES:
        importlib.import_module(f"{__name__}.{name}")
