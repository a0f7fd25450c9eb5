"""Exact draws: certified matrices and infinite families + random bits → outputs."""

from discreet.sampling.choices import Flips, exponential_choice, permute_and_flip_choice
from discreet.sampling.laplace import NoiseTables, discrete_laplace, geometric, noise_tables
from discreet.sampling.noisy_max import noisy_max_choice
from discreet.sampling.staircase import staircase_noise
from discreet.sampling.stepped import Stepped
from discreet.sampling.tables import (
    LazyTable,
    column_table,
    draw,
    draw_each,
    draw_many,
    real_choice,
)

__all__ = [
    "Flips",
    "LazyTable",
    "NoiseTables",
    "Stepped",
    "column_table",
    "discrete_laplace",
    "draw",
    "draw_each",
    "draw_many",
    "exponential_choice",
    "geometric",
    "noise_tables",
    "noisy_max_choice",
    "permute_and_flip_choice",
    "real_choice",
    "staircase_noise",
]
