"""Croft, Sack & Shi 2020 (003): range constraints and the design of private mechanisms."""

MODULES = ("tables", "sizes", "epsilons")
"""In reading order."""
