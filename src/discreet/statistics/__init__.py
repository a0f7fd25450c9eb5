"""Statistics: one class for each, the one home of its names, its answers and its values."""

from discreet.statistics.adding import Adding
from discreet.statistics.answers import (
    HOLDS,
    Added,
    Chances,
    Counts,
    Form,
    Linear,
    Placed,
    Ratio,
    Rows,
    Tables,
    Values,
)
from discreet.statistics.count import Count, CountFrom
from discreet.statistics.counted import Counted, Moments, Tally
from discreet.statistics.mean import Mean
from discreet.statistics.mode import Mode
from discreet.statistics.range import Range
from discreet.statistics.rank import MAXIMUM, MEDIAN, MINIMUM, Rank, share_of
from discreet.statistics.registry import FUNCTIONS, NAMES, STATISTICS, check_column
from discreet.statistics.share import Share
from discreet.statistics.statistic import Parameter, Placing, Statistic, Takes, Words
from discreet.statistics.sum import Sum
from discreet.statistics.top import Top

__all__ = [
    "FUNCTIONS",
    "HOLDS",
    "MAXIMUM",
    "MEDIAN",
    "MINIMUM",
    "NAMES",
    "STATISTICS",
    "Added",
    "Adding",
    "Chances",
    "Count",
    "CountFrom",
    "Counted",
    "Counts",
    "Form",
    "Linear",
    "Mean",
    "Mode",
    "Moments",
    "Parameter",
    "Placed",
    "Placing",
    "Range",
    "Rank",
    "Ratio",
    "Rows",
    "Share",
    "Statistic",
    "Sum",
    "Tables",
    "Takes",
    "Tally",
    "Top",
    "Values",
    "Words",
    "check_column",
    "share_of",
]
