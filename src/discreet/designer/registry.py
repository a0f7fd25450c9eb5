"""The methods that `design` tries, the quickest first; the plain program takes what is left."""

from discreet.designer.all_pairs.method import ALL_PAIRS
from discreet.designer.counts.method import COUNTS
from discreet.designer.methods import Method
from discreet.designer.programs.method import PLAIN
from discreet.designer.rays.method import RAYS
from discreet.designer.rays.turnpike import TURNPIKE
from discreet.designer.variant2.lean import LEAN
from discreet.designer.variant2.method import VARIANT2

METHODS: tuple[Method, ...] = (COUNTS, ALL_PAIRS, RAYS, TURNPIKE, VARIANT2, LEAN, PLAIN)
