"""From real numbers to integers that keep every ratio, by construction.

Floats may propose a matrix; what leaves this room is integers. They still have to be certified.
"""

from discreet.repair.envelope import envelope_integers, filled_integers
from discreet.repair.rounding import BITS, close_rows, integer_mechanism

__all__ = [
    "BITS",
    "close_rows",
    "envelope_integers",
    "filled_integers",
    "integer_mechanism",
]
