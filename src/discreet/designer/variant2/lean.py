"""The plain program of a row-monotone mechanism without what it does not need.

Where rows fall away from their category, one ratio per cell implies all 2Δ of them; and cells that
must be equal are one variable (docs/proofs/lean.md). The same optimum, several times faster.
"""

import math
from dataclasses import replace

import numpy as np

from discreet.designer.plain.method import MOST_ENTRIES, MOST_EPSILON, solved
from discreet.designer.programs.cells import (
    Classes,
    between_classes,
    column_sums,
    equal_cells,
    mirror_doubt,
    order_of,
)
from discreet.designer.programs.orderings import Comparisons, held_answers
from discreet.designer.programs.program import NO_BOUND, Floats, Indices, Program, ProgramRows
from discreet.designer.programs.written_out import HONEST, honest_cells, ratio_above
from discreet.designer.request import Finding, Method, Request
from discreet.model import Graph, Labels


def lean_program(request: Request) -> tuple[Program, Classes]:
    """The program over classes of equal cells, and the classes.

    >>> from discreet.model import Grid, Within
    >>> request = Request.of(Grid.between(0, 40), Within(4), 1, requirements="all")
    >>> lean_program(request)[0].shape
    (2347, 821)
    """
    classes = Classes.joined(math.prod(request.shape), equal_cells(request))
    order = between_classes(order_of(request), classes)
    ratios = between_classes(lean_ratios(request), classes)
    blocks = [
        column_sums(request, classes, 1.0),
        _at_most("ratios", ratios.larger, ratio_above(request), ratios.smaller),
        _at_most("order", order.smaller, 1.0, order.larger),
    ]
    cells = (request.loss * request.prior).ravel()
    cost = np.bincount(classes.of, cells, minlength=classes.count).astype(np.float64)
    lower, upper = np.zeros(classes.count), np.ones(classes.count)
    if request.requirements.every_output:
        lower[classes.of[honest_cells(request)]] = HONEST / len(request.outputs)
    if request.goal.worst_case:
        cost, lower = np.zeros(classes.count + 1), np.append(lower, 0.0)
        cost[-1] = 1.0
        upper = np.append(upper, request.loss.max())
        blocks.append(_worst_losses(request, classes))
    return Program.of(cost, lower, upper, blocks), classes


def lean_ratios(request: Request) -> Comparisons:
    """Pairs of cells, the larger at most e^ε times the smaller, that imply all the others.

    Rows must rise up to their category and fall behind it; neighbours are within Δ steps.

    >>> from discreet.model import Grid, Within
    >>> pairs = lean_ratios(Request.of(Grid.between(0, 3), Within(2), 1))
    >>> [(int(i) // 4, int(j) % 4, int(i) % 4) for i, j in zip(pairs.larger, pairs.smaller)][:4]
    [(0, 2, 0), (0, 3, 1), (1, 0, 1), (1, 3, 1)]
    """
    rows, columns = request.shape
    steps = request.steps or 1
    first_inside, first_beyond = held_answers(request.outputs, request.answers)
    starts = columns * np.arange(rows)
    smaller, larger = [], []
    for start, peaks in zip(starts, _peaks(first_inside, first_beyond, columns), strict=True):
        low, high = _chains(peaks, steps, columns)
        smaller.append(start + low)
        larger.append(start + high)
    return Comparisons(np.concatenate(smaller), np.concatenate(larger))


def _peaks(first_inside: Indices, first_beyond: Indices, columns: int) -> list[tuple[int, int]]:
    """For each row the last answer up to which it rises, and the first from which it falls.

    A category that holds answers is level: then both are answers it holds, the falling one first.
    """
    return [
        (min(int(beyond) - 1, columns - 1), min(int(inside), columns - 1))
        for inside, beyond in zip(first_inside, first_beyond, strict=True)
    ]


def _chains(peaks: tuple[int, int], steps: int, columns: int) -> tuple[Indices, Indices]:
    """The comparisons of one row: (smaller, larger) columns."""
    rising_to, falling_from = peaks
    tops = [falling_from] if falling_from <= rising_to else [max(rising_to, 0), falling_from]
    ups = [k for k in {*range(steps, max(tops) + 1), *tops} if k > 0]
    tops = [rising_to] if falling_from <= rising_to else tops
    downs = [k for k in {*range(min(tops), columns - steps), *tops} if k < columns - 1]
    up, down = np.array(ups, dtype=np.int64), np.array(downs, dtype=np.int64)
    low = np.concatenate([np.maximum(up - steps, 0), np.minimum(down + steps, columns - 1)])
    return low, np.concatenate([up, down])


def why_not(request: Request) -> str | None:
    """What speaks against this way; quick, and never an error."""
    spaces = (request.answers, request.outputs)
    entries = 7 * math.prod(request.shape) // (1 + request.requirements.symmetric)
    obstacles = {
        "only for row-monotone mechanisms": not request.requirements.row_monotone,
        "only for pure ε": bool(request.guarantee.delta),
        "only for ordered answers and outputs": any(isinstance(s, Labels) for s in spaces),
        "only for neighbours on a line": isinstance(request.neighbours, Graph),
        f"ε = {request.epsilon} is larger than {MOST_EPSILON}": request.epsilon.value
        > MOST_EPSILON,
        f"its linear program has about {entries:,} entries; the limit is {MOST_ENTRIES:,}": entries
        > MOST_ENTRIES,
    }
    return next((reason for reason, met in obstacles.items() if met), None)


def run(request: Request) -> Finding:
    """Solve the lean program; of symmetric matrices only, where no others can be better."""
    doubt = 0.0 if request.requirements.symmetric else mirror_doubt(request)
    narrowed = request
    if doubt is not None:
        required = replace(request.requirements, symmetric=True)
        narrowed = replace(request, requirements=required)
    program, classes = lean_program(narrowed)

    def read(x: Floats) -> Floats:
        return classes.spread(x[: classes.count]).reshape(request.shape)

    finding = solved(narrowed, program, read, NAME)
    return replace(finding, lower_bound=finding.lower_bound - (doubt or 0.0))


def _at_most(name: str, cells: Indices, times: float, others: Indices) -> ProgramRows:
    """Each cell is at most so many times the other one."""
    return ProgramRows.at_most(name, np.stack([cells, others], axis=1), np.array([1.0, -times]))


def _worst_losses(request: Request, classes: Classes) -> ProgramRows:
    """Minimax: the expected loss of each answer is at most the last variable."""
    rows, columns = request.shape
    column = np.tile(np.arange(columns), rows)
    both, of = np.unique(column * (classes.count + 1) + classes.of, return_inverse=True)
    values = np.bincount(of, request.loss.ravel())
    row = np.concatenate([both // (classes.count + 1), np.arange(columns)])
    variable = np.concatenate([both % (classes.count + 1), np.full(columns, classes.count)])
    entries = np.concatenate([values, -np.ones(columns)])
    order = np.argsort(row, kind="stable")
    return ProgramRows(
        name="worst-case",
        row=row[order],
        column=variable[order],
        value=entries[order],
        lower=np.full(columns, -NO_BOUND),
        upper=np.zeros(columns),
    )


NAME = "lean"

LEAN = Method(
    name=NAME,
    title="the linear program of row-monotone mechanisms, without what is implied",
    citation="Croft, Sack & Shi 2020, Variant 2; docs/proofs/lean.md",
    why_not=why_not,
    run=run,
)
