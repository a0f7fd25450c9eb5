"""Aldà & Simon 2017 (002): on the optimality of the exponential mechanism."""

MODULES = (
    "histograms",
    "tight",
    "graphs",
    "lemma_2",
    "theorem_1",
    "infinite_trees",
    "middle",
    "path",
    "sorting",
)
"""In reading order."""
