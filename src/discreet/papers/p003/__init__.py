"""Croft, Sack & Shi 2020 (003): range constraints and the design of private mechanisms."""

MODULES = (
    "order",
    "tables",
    "snapping",
    "sizes",
    "discretisation",
    "epsilons",
    "ranges",
    "real_data",
    "counts",
    "by_database",
)
"""In reading order."""
