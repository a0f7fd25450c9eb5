"""The sorting function of paper 002 §6: the r largest counts, privately."""

from discreet.sorting.choosing import LAPLACE, PARTITIONS, SimulatedError, try_methods
from discreet.sorting.isotonic import decreasing_fit, sorted_counts_fit, whole_counts
from discreet.sorting.largest import LargestCounts, Released, largest_counts, sorted_sensitivity
from discreet.sorting.lower_bounds import Regime, least_error, theorem_3
from discreet.sorting.partitions import PartitionMechanism

__all__ = [
    "LAPLACE",
    "PARTITIONS",
    "LargestCounts",
    "PartitionMechanism",
    "Regime",
    "Released",
    "SimulatedError",
    "decreasing_fit",
    "largest_counts",
    "least_error",
    "sorted_counts_fit",
    "sorted_sensitivity",
    "theorem_3",
    "try_methods",
    "whole_counts",
]
