"""The methods that `design` tries, the quickest first; the plain program takes what is left,
and what is too large for it is told with its gap where weights allow."""

from discreet.designer.all_pairs import ALL_PAIRS, WORST_OF_ALL_PAIRS
from discreet.designer.counts import COUNTS
from discreet.designer.methods import Method
from discreet.designer.near import NEAR_DELTA, NEAR_REQUIRED
from discreet.designer.plain import PLAIN
from discreet.designer.rays import RAYS, TURNPIKE, WORST_CASE
from discreet.designer.tight import TIGHT, TIGHT_ANYWAY
from discreet.designer.variant2 import LEAN, VARIANT2

METHODS: tuple[Method, ...] = (
    COUNTS,
    ALL_PAIRS,
    TIGHT,
    RAYS,
    TURNPIKE,
    VARIANT2,
    NEAR_REQUIRED,
    LEAN,
    WORST_CASE,
    WORST_OF_ALL_PAIRS,
    NEAR_DELTA,
    PLAIN,
    TIGHT_ANYWAY,
)
