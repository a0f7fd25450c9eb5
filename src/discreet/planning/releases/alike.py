"""Neighbouring outputs that are scored alike, put together: for figures, where outputs are many.

A table of few rows scores thousands of values by a few ranks, so a law need know only how many
values have each score.
"""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from discreet.planning.releases.choice import flipped_quickly
from discreet.planning.releases.stepping import stepped_quickly
from discreet.planning.subjects.priors import Floats

Whole = npt.NDArray[np.int64]
_MANY = 512
"""Fewer outputs are looked at one by one."""
_WORTH = 2
"""So many times fewer they must come to."""


def likely_quickly(scores: Floats, step: float | None, ways: Whole | None = None) -> Floats:
    """How likely each output is, to five digits; a score may stand for so many outputs.

    By noise in whole steps, or by permute-and-flip where there is no step.
    """

    def law(these: Floats, many: Whole | None) -> Floats:
        if step is None:
            return flipped_quickly(these, many)
        return stepped_quickly(these, step, many)

    return put_together(law, scores, ways)


def put_together(
    law: Callable[[Floats, Whole | None], Floats], scores: Floats, ways: Whole | None
) -> Floats:
    """How likely each output is, table by table, by a law of scores that stand for so many ways.

    >>> def exponential(scores, ways):
    ...     weights = np.exp(scores) * (1 if ways is None else ways)
    ...     return weights / weights.sum(axis=1, keepdims=True)
    >>> scores = np.log(np.repeat([[1.0, 2.0]], 600, axis=1))
    >>> chances = put_together(exponential, scores, None)
    >>> chances.shape, bool(np.allclose(chances, exponential(scores, None)))
    ((1, 1200), True)
    """
    tables, outputs = scores.shape
    if outputs < _MANY:
        return law(scores, ways)
    new = np.ones(scores.shape, dtype=np.bool_)
    new[:, 1:] = scores[:, 1:] != scores[:, :-1]
    run = new.cumsum(axis=1) - 1
    kept = int(run[:, -1].max()) + 1
    if kept * _WORTH > outputs:
        return law(scores, ways)
    held = np.ones(outputs, dtype=np.int64) if ways is None else ways
    cells = run + kept * np.arange(tables)[:, None]
    many = np.bincount(cells.ravel(), np.tile(held, tables), minlength=tables * kept)
    best = np.full(tables * kept, scores.min())
    best[cells[new]] = scores[new]
    alike = many.reshape(tables, kept)
    chances = law(best.reshape(tables, kept), alike.astype(np.int64))
    each = np.take_along_axis(chances / np.maximum(alike, 1), run, axis=1)
    return np.asarray(each * held)
