"""Rays of any shape become an integer matrix, written out (docs/proofs/ray-integers.md)."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from discreet.designer.programs.program import Indices
from discreet.designer.rays.integers import BITS, ladders_of, settled, tops_of
from discreet.designer.rays.pool import Rays
from discreet.designer.request import Request
from discreet.model import Mechanism


@dataclass(frozen=True, eq=False)
class _Matrix:
    """Rows of integers, and what their columns lack of 2^62."""

    weights: Indices

    @cached_property
    def spare(self) -> Indices:
        spare: Indices = (1 << BITS) - self.weights.sum(axis=0)
        return spare


def integer_matrix(request: Request, rays: Rays, spare_output: int, name: str) -> Mechanism:
    """A mechanism whose rows are the rays that are told as their output, and a spare row."""
    ratio = request.epsilon.ratio_below
    levels = rays.levels - rays.levels.min(axis=1, keepdims=True)

    def tried(spare: int) -> _Matrix | None:
        tops = tops_of(rays.weight, spare)
        distinct, which = np.unique(tops, return_inverse=True)
        ladders = ladders_of(distinct, ratio, int(levels.max(initial=0)) + 1)
        rungs = np.minimum(levels, ladders.shape[1] - 1)
        weights = np.zeros(request.shape, dtype=np.int64)
        np.add.at(weights, rays.output, ladders[which[:, None], rungs])
        if weights.astype(float).sum(axis=0).max() > 2.0**BITS * 1.000001:
            return None
        made = _Matrix(weights)
        return None if (made.spare < 0).any() else made

    made = settled(tried, ratio, len(rays.output))
    weights = made.weights.copy()
    weights[spare_output] += made.spare
    return Mechanism.of(request.answers, request.outputs, request.neighbours, weights, name=name)
