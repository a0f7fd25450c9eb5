"""Faces of rooms whose names are fetched when they are first used.

A room that is opened for one name need not load all its files: a command line that asks one
question uses a fifth of the program. What the names are is written twice, here for Python and in
the room's `__init__.pyi` for whoever reads types; a test holds the two together.
"""

import importlib
import sys
from collections.abc import Callable, Mapping
from typing import Any


def face(
    room: str, homes: Mapping[str, str]
) -> tuple[list[str], Callable[[str], Any], Callable[[], list[str]]]:
    """What a room's `__init__` needs: `__all__`, `__getattr__` and `__dir__`.

    Args:
        room: The name of the package.
        homes: The names that its files offer, by file.

    Returns:
        All names, what fetches one from its file, and what lists them.

    >>> names, fetch, _ = face("json", {"decoder": "JSONDecodeError JSONDecoder"})
    >>> names, fetch("JSONDecodeError").__name__
    (['JSONDecodeError', 'JSONDecoder'], 'JSONDecodeError')
    """
    home = {name: file for file, names in homes.items() for name in names.split()}
    kept = vars(sys.modules[room])

    def fetch(name: str) -> Any:
        if name not in home:
            raise AttributeError(f"module {room!r} has no attribute {name!r}")
        kept[name] = getattr(importlib.import_module(f"{room}.{home[name]}"), name)
        return kept[name]

    return sorted(home), fetch, lambda: sorted({*kept, *home})
