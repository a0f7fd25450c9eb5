"""The command line: `discreet --help` tells the rest."""

from discreet.cli import commands  # noqa: F401  importing a command adds it to the app
from discreet.cli.program import app, main

__all__ = ["app", "main"]
