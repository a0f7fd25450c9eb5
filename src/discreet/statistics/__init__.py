"""Statistics: one class for each, the one home of its names, its answers and its values."""

from discreet.statistics.answers import (
    HOLDS,
    Added,
    Chances,
    Counts,
    Form,
    FromSums,
    Linear,
    Placed,
    Ratio,
    Rows,
    Tables,
    Values,
)
from discreet.statistics.count import Count, CountFrom
from discreet.statistics.counted import Counted, Moments, Products, Tally, ThinTally
from discreet.statistics.covariance import Correlation, Covariance, Intercept, Slope
from discreet.statistics.distinct import Distinct, People
from discreet.statistics.mean import Mean
from discreet.statistics.mode import Mode
from discreet.statistics.quartile_range import QuartileRange
from discreet.statistics.range import Range
from discreet.statistics.rank import MAXIMUM, MEDIAN, MINIMUM, MOST_RANKED, Rank, share_of
from discreet.statistics.registry import FUNCTIONS, NAMES, STATISTICS, check_column, check_dates
from discreet.statistics.several import EXAMPLES, SEVERAL, Several
from discreet.statistics.share import Share
from discreet.statistics.sharp_box import BOX_SHARE, SharpBox
from discreet.statistics.statistic import (
    Adding,
    OfDates,
    Parameter,
    Placing,
    Statistic,
    Takes,
    Words,
)
from discreet.statistics.sum import Sum
from discreet.statistics.sums import OfSums, Slot, SumBox, Summed
from discreet.statistics.top import Top
from discreet.statistics.variance import Deviation, ReadAs, Variance, read_from

__all__ = [
    "BOX_SHARE",
    "EXAMPLES",
    "FUNCTIONS",
    "HOLDS",
    "MAXIMUM",
    "MEDIAN",
    "MINIMUM",
    "MOST_RANKED",
    "NAMES",
    "SEVERAL",
    "STATISTICS",
    "Added",
    "Adding",
    "Chances",
    "Correlation",
    "Count",
    "CountFrom",
    "Counted",
    "Counts",
    "Covariance",
    "Deviation",
    "Distinct",
    "Form",
    "FromSums",
    "Intercept",
    "Linear",
    "Mean",
    "Mode",
    "Moments",
    "OfDates",
    "OfSums",
    "Parameter",
    "People",
    "Placed",
    "Placing",
    "Products",
    "QuartileRange",
    "Range",
    "Rank",
    "Ratio",
    "ReadAs",
    "Rows",
    "Several",
    "Share",
    "SharpBox",
    "Slope",
    "Slot",
    "Statistic",
    "Sum",
    "SumBox",
    "Summed",
    "Tables",
    "Takes",
    "Tally",
    "ThinTally",
    "Top",
    "Values",
    "Variance",
    "Words",
    "check_column",
    "check_dates",
    "read_from",
    "share_of",
]
