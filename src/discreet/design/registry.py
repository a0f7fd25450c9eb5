"""The methods that `design` tries, the quickest first; the plain program takes what is left."""

from discreet.design.lean import LEAN
from discreet.design.methods import Method
from discreet.design.plain import PLAIN
from discreet.design.variant2 import VARIANT2

METHODS: tuple[Method, ...] = (VARIANT2, LEAN, PLAIN)
