"""The papers' tables, figures and claims, computed again beside what the papers print.

An item is one table, figure or example of a paper; it makes numbers, and checks of what the paper
says against them. Pictures are drawn elsewhere.
"""

from discreet.papers.item import (
    Check,
    Figure,
    Outcome,
    Panel,
    PaperItem,
    PrintedTable,
    Series,
    Step,
)
from discreet.papers.registry import ITEMS, chosen
from discreet.papers.running import Ran, Shelf, run_items

__all__ = [
    "ITEMS",
    "Check",
    "Figure",
    "Outcome",
    "Panel",
    "PaperItem",
    "PrintedTable",
    "Ran",
    "Series",
    "Shelf",
    "Step",
    "chosen",
    "run_items",
]
