"""The methods that `design` tries, the quickest first; the plain program takes what is left."""

from discreet.design.all_pairs import ALL_PAIRS
from discreet.design.counts import COUNTS
from discreet.design.lean import LEAN
from discreet.design.methods import Method
from discreet.design.plain import PLAIN
from discreet.design.rays import RAYS
from discreet.design.turnpike import TURNPIKE
from discreet.design.variant2 import VARIANT2

METHODS: tuple[Method, ...] = (COUNTS, ALL_PAIRS, RAYS, TURNPIKE, VARIANT2, LEAN, PLAIN)
