"""Exact numbers: ε, rigorous bounds on its exponential, and the operating system's random bits."""

from discreet.exact.numbers import (
    Epsilon,
    EpsilonLike,
    RationalLike,
    enclosed,
    exp_lower,
    exp_lower_scaled,
    exp_upper,
    integer_ends,
    log_lower,
    log_upper,
    rational,
    spendable,
    working_precision,
)
from discreet.exact.randomness import (
    uniform_below,
    uniform_below_each,
    uniform_below_many,
    uniform_bits,
    uniform_words,
)
from discreet.text import show

__all__ = [
    "Epsilon",
    "EpsilonLike",
    "RationalLike",
    "enclosed",
    "exp_lower",
    "exp_lower_scaled",
    "exp_upper",
    "integer_ends",
    "log_lower",
    "log_upper",
    "rational",
    "show",
    "spendable",
    "uniform_below",
    "uniform_below_each",
    "uniform_below_many",
    "uniform_bits",
    "uniform_words",
    "working_precision",
]
