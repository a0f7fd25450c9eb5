"""What the room offers, for type checkers: the names are in `__init__.py`."""

from discreet.databases.entry import DatabaseDesign, design_by_database
from discreet.databases.goal import DatabaseGoal
from discreet.databases.listing import Databases
from discreet.databases.statistics import (
    CountAbove,
    Custom,
    PossibleTruths,
    Statistic,
    Together,
    maximum,
    median,
    minimum,
    quantile,
    truth_of,
)
from discreet.statistics import Mean, Mode, Range, Rank, Sum

__all__ = [
    "CountAbove",
    "Custom",
    "DatabaseDesign",
    "DatabaseGoal",
    "Databases",
    "Mean",
    "Mode",
    "PossibleTruths",
    "Range",
    "Rank",
    "Statistic",
    "Sum",
    "Together",
    "design_by_database",
    "maximum",
    "median",
    "minimum",
    "quantile",
    "truth_of",
]
