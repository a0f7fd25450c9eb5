"""Aldà & Simon 2017 (002): on the optimality of the exponential mechanism."""

MODULES = ("histograms", "graphs", "theorem_1", "middle", "path", "sorting")
"""In reading order."""
