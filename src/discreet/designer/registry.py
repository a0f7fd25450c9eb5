"""The methods that `design` tries, the quickest first; the plain program takes what is left."""

from discreet.designer.all_pairs import ALL_PAIRS
from discreet.designer.counts import COUNTS
from discreet.designer.methods import Method
from discreet.designer.plain import PLAIN
from discreet.designer.rays import RAYS, TURNPIKE
from discreet.designer.variant2 import LEAN, VARIANT2

METHODS: tuple[Method, ...] = (COUNTS, ALL_PAIRS, RAYS, TURNPIKE, VARIANT2, LEAN, PLAIN)
