"""The command line: `discreet --help` tells the rest.

A command is a function in a file of its own; importing the file adds it to the app.
"""

from discreet.cli.app import app, main

__all__ = ["app", "main"]

from discreet.cli import certify, measure, saved  # noqa: F401
