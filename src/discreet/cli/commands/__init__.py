"""The commands, one file each, imported in the order of the help page.

A command is a function in a file of its own; importing the file adds it to the app.
"""

# ruff: noqa: F401, I001
from discreet.cli.commands import demo, init, check, budget, plan, ask, synthesize, ledger, report
from discreet.cli.commands import attack, serve, token, doctor
from discreet.cli.commands import mechanisms, mechanism, compare, design, curve, graph, sorted
from discreet.cli.commands import show, certify, measure, draw, reproduce
