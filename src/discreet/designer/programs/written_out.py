"""The programs of 003 written out in full: the reference that every faster way is tested against.

Variables are the cells of the matrix, row by row, and behind them what a program adds: the lowest
cell of each row when all pairs are neighbours, the worst answer's loss, the slack of (ε, δ).
"""

import math
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

import numpy as np

from discreet.designer.programs.orderings import (
    Comparisons,
    column_order,
    neighbour_columns,
    own_cells,
    row_order,
    turned_cells,
)
from discreet.designer.programs.program import Floats, Indices, Program, ProgramRows
from discreet.designer.request import Request
from discreet.model import Mechanism, Requirement

HONEST = 1 - 1e-6
"""Weak honesty asks for this share of a blind guess: whole numbers can always meet it."""

_HONEST_ROOM = 1 + 1e-7


def plain_program(request: Request) -> Program:
    """Variant 1 of 003 with whatever else the request asks, every inequality written out.

    e^ε is rounded up, so that the program allows every mechanism that is private: its bound is a
    bound for all of them.

    >>> from discreet.model import Grid, Within
    >>> program = plain_program(Request.of(Grid.between(0, 5), Within(1), "0.5"))
    >>> program.shape, list(program.blocks)
    ((66, 36), ['sums', 'ratios'])
    """
    cells = math.prod(request.shape)
    blocks = [_sums(request)]
    extra = 0
    if request.guarantee.delta:
        pairs = neighbour_columns(request.neighbours, len(request.answers))
        blocks += list(_slack(request, pairs, cells))
        extra = len(request.outputs) * len(pairs)
    elif request.all_are_neighbours and len(request.answers) > 2:
        blocks.append(_ratios_to_lowest(request, cells))
        extra = len(request.outputs)
    else:
        blocks.append(_ratios(request))
    blocks += _required(request)
    if request.goal.worst_case:
        blocks.append(_worst_losses(request, cells + extra))
        cost = np.zeros(cells + extra + 1)
        cost[-1] = 1.0
        upper = np.ones(cells + extra + 1)
        upper[-1] = request.loss.max()
    else:
        cost = np.concatenate([(request.loss * request.prior).ravel(), np.zeros(extra)])
        upper = np.ones(cells + extra)
    lower = np.zeros(len(cost))
    if request.requirements.every_output:
        lower[honest_cells(request)] = HONEST / len(request.outputs)
    return Program.of(cost, lower, upper, blocks)


def matrix_of(request: Request, x: Floats) -> Floats:
    """The cells of a solution, as a matrix of outputs by answers."""
    return x[: math.prod(request.shape)].reshape(request.shape)


def honest_cells(request: Request) -> Indices:
    """The cell of each row that weak honesty keeps above a blind guess.

    Cormode, Kulkarni & Srivastava ask of counts that the truth be told at least as often as by
    guessing; for any outputs we ask it where the output costs least.
    """
    rows, columns = request.shape
    best: Indices = request.loss.argmin(axis=1)
    return np.arange(rows) * columns + best


def is_honest(request: Request, mechanism: Mechanism) -> bool:
    """Whether integers meet weak honesty exactly, where it is required."""
    if not request.requirements.every_output:
        return True
    least = Fraction(HONEST / len(request.outputs)) * mechanism.total
    return bool((mechanism.weights.ravel()[honest_cells(request)] >= math.ceil(least)).all())


def with_honest_room(program: Program) -> Program:
    """The same program with honest cells held a hair higher, so that repair has room to round."""
    return replace(program, lower=program.lower * _HONEST_ROOM)


def ratio_above(request: Request) -> float:
    """e^ε as a float, rounded up."""
    exact = request.epsilon.ratio_above
    nearest = float(exact)
    return nearest if nearest >= exact else math.nextafter(nearest, math.inf)


def balanced(request: Request, program: Program) -> Program:
    """The same program with ratios written as e^(−ε/2)·M[i,j] ≤ e^(ε/2)·M[i,k], rounded up.

    For a large ε the solver's tolerance then weighs less on the multipliers, and more on the
    tails: bounds come out sharper, matrices rougher.
    """
    rows = program.blocks["ratios"]
    entries = slice(int(program.starts[rows.start]), int(program.starts[rows.stop]))
    halved = program.values[entries] * math.exp(-float(request.epsilon) / 2)
    values = program.values.copy()
    values[entries] = np.where(halved < 0, np.nextafter(halved, -np.inf), halved)
    return replace(program, values=values)


def _sums(request: Request) -> ProgramRows:
    """(9): the cells under each answer sum to 1."""
    rows, columns = request.shape
    cells = np.arange(rows * columns).reshape(rows, columns).T
    return ProgramRows.equal("sums", cells, np.ones(rows), 1.0)


def _in_every_row(request: Request, pairs: Comparisons) -> tuple[Indices, Indices]:
    rows, columns = request.shape
    starts = np.arange(rows)[:, None] * columns
    return (starts + pairs.smaller).ravel(), (starts + pairs.larger).ravel()


def _ratios(request: Request) -> ProgramRows:
    """(4): M[i,j] ≤ e^ε·M[i,k] for neighbours j, k."""
    pairs = neighbour_columns(request.neighbours, len(request.answers))
    one, other = _in_every_row(request, pairs)
    return ProgramRows.at_most(
        "ratios", np.stack([one, other], axis=1), np.array([1.0, -ratio_above(request)])
    )


def _ratios_to_lowest(request: Request, first: int) -> ProgramRows:
    """(4) when all answers are neighbours: each row lies between its lowest cell and e^ε times it.

    Exactly as much is asked as by comparing all pairs, in 2·F rows for an output and not F².
    """
    rows, columns = request.shape
    cells = np.arange(rows * columns)
    lowest = np.repeat(first + np.arange(rows), columns)
    above = np.stack([cells, lowest], axis=1)
    below = np.stack([lowest, cells], axis=1)
    values = np.repeat([[1.0, -ratio_above(request)], [1.0, -1.0]], len(cells), axis=0)
    return ProgramRows.at_most("ratios", np.concatenate([above, below]), values)


def _slack(request: Request, pairs: Comparisons, first: int) -> Iterator[ProgramRows]:
    """(ε, δ): M[i,j] ≤ e^ε·M[i,k] + s, and for each pair j, k the slacks s sum to at most δ.

    Slacks are kept as shares of δ, so that a small δ is not lost in the solver's tolerance.
    """
    rows = len(request.outputs)
    delta = _float_above(request)
    one, other = _in_every_row(request, pairs)
    slack = first + np.arange(rows * len(pairs))
    yield ProgramRows.at_most(
        "ratios",
        np.stack([one, other, slack], axis=1),
        np.array([1.0, -ratio_above(request), -delta]),
    )
    yield ProgramRows.at_most("escape", slack.reshape(rows, len(pairs)).T, np.ones(rows), 1.0)


def _float_above(request: Request) -> float:
    delta = request.guarantee.delta
    nearest = float(delta)
    return nearest if nearest >= delta else math.nextafter(nearest, math.inf)


def _required(request: Request) -> list[ProgramRows]:
    asked, outputs, answers = request.requirements, request.outputs, request.answers
    blocks = []
    if asked.column_monotone:
        blocks.append(_ordered(Requirement.COLUMN_MONOTONE, column_order(outputs, answers)))
    if asked.row_monotone:
        blocks.append(_ordered(Requirement.ROW_MONOTONE, row_order(outputs, answers)))
    if asked.symmetric:
        turned = turned_cells(*request.shape)
        blocks.append(_equal(Requirement.SYMMETRIC, turned.smaller, turned.larger))
    if asked.fair:
        own = own_cells(outputs, answers)
        blocks.append(_equal(Requirement.FAIR, own[:-1], own[1:]))
    return [block for block in blocks if len(block)]


def _ordered(name: str, order: Comparisons) -> ProgramRows:
    return ProgramRows.at_most(
        name, np.stack([order.smaller, order.larger], axis=1), np.array([1.0, -1.0])
    )


def _equal(name: str, one: Indices, other: Indices) -> ProgramRows:
    return ProgramRows.equal(name, np.stack([one, other], axis=1), np.array([1.0, -1.0]))


def _worst_losses(request: Request, worst: int) -> ProgramRows:
    """Minimax: the expected loss of each answer is at most the variable `worst`."""
    rows, columns = request.shape
    cells = np.arange(rows * columns).reshape(rows, columns).T
    with_worst = np.concatenate([cells, np.full((columns, 1), worst)], axis=1)
    values = np.concatenate([request.loss.T, np.full((columns, 1), -1.0)], axis=1)
    return ProgramRows.at_most("worst-case", with_worst, values)
