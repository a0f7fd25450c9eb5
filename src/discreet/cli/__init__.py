"""The command line: `discreet --help` tells the rest."""

from typing import Any

from discreet.cli.starting import main

__all__ = ["app", "main"]


def __getattr__(name: str) -> Any:
    """The app with every command."""
    if name != "app":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from discreet.cli.commands import load
    from discreet.cli.program import app

    load()
    return app
