"""The sorting function of paper 002 §6: the r largest counts, privately."""

from discreet.sorting.isotonic import decreasing_fit, sorted_counts_fit, whole_counts
from discreet.sorting.largest import LargestCounts, Released, largest_counts, sorted_sensitivity
from discreet.sorting.lower_bounds import Regime, least_error, theorem_3

__all__ = [
    "LargestCounts",
    "Regime",
    "Released",
    "decreasing_fit",
    "largest_counts",
    "least_error",
    "sorted_counts_fit",
    "sorted_sensitivity",
    "theorem_3",
    "whole_counts",
]
