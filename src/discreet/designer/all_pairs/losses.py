"""Losses along the outputs of a design for all pairs: constants and arcs, quickly."""

from collections.abc import Callable

import numpy as np

from discreet.designer.all_pairs.location import Places
from discreet.designer.programs.program import Floats, Indices
from discreet.designer.request import Request
from discreet.model import Grid, Labels, LossName

_UNIT = 2.0**-53


def places_on_a_line(request: Request) -> Places:
    """The absolute or squared loss of numbers, by running sums of the prior and its moments."""
    answers, outputs = positions(request)
    squared = request.goal.loss.named == LossName.SQUARED
    mass = _running(request.prior)
    first = _running(request.prior * answers)
    below = _count_below(request, answers)
    total, moment = mass[-1], first[-1]
    width = float(max(np.abs(answers).max(), np.abs(outputs).max()))

    def above(points: Floats) -> tuple[Floats, Floats]:
        """Mass and first moment of the answers beyond each point."""
        count = below(points)
        return total - mass[count], moment - first[count]

    def saves(one: Indices, other: Indices) -> Floats:
        here, there = outputs[one], outputs[other]
        mass_beyond, moment_beyond = above((here + there) / 2)
        gained = (here + there) * mass_beyond - 2 * moment_beyond
        if squared:
            return (there - here) * gained
        mass_past, moment_past = above(there)
        return gained - 2 * (there * mass_past - moment_past)

    if squared:
        second = float(request.prior @ answers**2)
        constant = outputs**2 * total - 2 * outputs * moment + second
    else:
        mass_past, moment_past = above(outputs)
        constant = 2 * (moment_past - outputs * mass_past) + outputs * total - moment
    rounding = (8 + 4 * np.sqrt(len(answers))) * _UNIT
    doubt = 16 * rounding * width ** (2 if squared else 1)
    return Places(np.maximum(constant, 0.0), saves, float(doubt))


def places_in_a_table(request: Request) -> Places | None:
    """Any loss that falls and then rises along the outputs, written out; None for others."""
    loss, prior = request.loss, request.prior
    rises = np.diff(loss, axis=0)
    if ((np.maximum.accumulate(rises, axis=0) > 0) & (rises < 0)).any():
        return None
    pairs = np.array([np.minimum(loss - row, 0.0) @ prior for row in loss])
    doubt = 16 * (len(prior) + 8) * _UNIT * float(loss.max(initial=0.0))
    return Places(loss @ prior, lambda one, other: pairs[one, other], doubt)


def positions(request: Request) -> tuple[Floats, Floats]:
    """Where answers and outputs lie, measured from the middle of the answers."""
    answers, outputs = request.answers, request.outputs
    assert not isinstance(answers, Labels)
    assert not isinstance(outputs, Labels)
    middle = (answers.value(0) + answers.value(len(answers) - 1)) / 2
    if isinstance(answers, Grid) and isinstance(outputs, Grid):
        return tuple(
            float(space.start - middle) + float(space.step) * np.arange(space.size)
            for space in (answers, outputs)
        )  # type: ignore[return-value]
    return tuple(
        np.array([float(value - middle) for value in space.values()])
        for space in (answers, outputs)
    )  # type: ignore[return-value]


def _count_below(request: Request, answers: Floats) -> Callable[[Floats], Indices]:
    """How many answers lie at or below a point; one on a bound counts the same either way."""
    if isinstance(request.answers, Grid):
        start, step, size = float(answers[0]), float(request.answers.step), len(answers)
        return lambda points: np.clip(
            np.floor((points - start) / step).astype(np.int64) + 1, 0, size
        )
    return lambda points: np.searchsorted(answers, points, side="right")


def _running(terms: Floats) -> Floats:
    """Running sums from zero on, in blocks: the error grows with the root of their number."""
    width = max(1, int(np.sqrt(len(terms))))
    padded = np.concatenate([terms, np.zeros(-len(terms) % width)]).reshape(-1, width)
    offsets = np.concatenate([[0.0], np.cumsum(padded.sum(axis=1))[:-1]])
    sums = (np.cumsum(padded, axis=1) + offsets[:, None]).ravel()[: len(terms)]
    return np.concatenate([[0.0], sums])
