"""The command line: `discreet --help` tells the rest.

A command is a function in a file of its own; importing the file adds it to the app, in the order
of the help page.
"""

from discreet.cli.app import app, main

__all__ = ["app", "main"]

# isort: off
from discreet.cli import demo, init, check, plan, ask, ledger  # noqa: F401
from discreet.cli import serve, token  # noqa: F401
from discreet.cli import catalogue, mechanism, compare, design, curve, graph, sorted  # noqa: F401
from discreet.cli import show, certify, measure, draw, reproduce  # noqa: F401
# isort: on
