"""The methods that `design` tries, the quickest first; the plain program takes what is left."""

from discreet.design.methods import Method
from discreet.design.plain import PLAIN

METHODS: tuple[Method, ...] = (PLAIN,)
