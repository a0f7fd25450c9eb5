"""Pauwels & Gerchinovitz 2016 (001): an introduction to differential privacy."""

MODULES = (
    "definition",
    "testing",
    "composition",
    "laplace",
    "noisy_max",
    "choosing",
    "linkage",
    "membership",
    "reconstruction",
)
"""In reading order."""
