"""Every way to answer several statistics together."""

from discreet.planning.joint.cells import CELLS_OF_COUNTS
from discreet.planning.joint.counts import COUNTS
from discreet.planning.joint.joined import Joiner
from discreet.planning.joint.moments import MOMENTS_TOGETHER
from discreet.planning.joint.nested import NESTED_COUNTS
from discreet.planning.joint.quantiles import QUANTILES, READ_QUANTILES

JOINERS: tuple[Joiner, ...] = (
    COUNTS,
    CELLS_OF_COUNTS,
    NESTED_COUNTS,
    MOMENTS_TOGETHER,
    QUANTILES,
    READ_QUANTILES,
)
"""Of equally good ones the first is taken."""
