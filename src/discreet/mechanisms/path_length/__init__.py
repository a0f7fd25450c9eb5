"""Path length: how many records must change for a statistic to become y, and selection by it.

The inverse sensitivity mechanism (Asi & Duchi 2020) with the record-exchange metric of 002 §3.
Proofs: docs/proofs/path-length.md.
"""

from discreet.mechanisms.path_length.reading import Histogram, Lengths
from discreet.mechanisms.path_length.selection import (
    ChoiceRule,
    PathLengthMechanism,
    by_path_length,
)
from discreet.mechanisms.path_length.statistic import PathLength

__all__ = [
    "ChoiceRule",
    "Histogram",
    "Lengths",
    "PathLength",
    "PathLengthMechanism",
    "by_path_length",
]
