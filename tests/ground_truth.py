"""Slow and obvious answers, and random mechanisms, for tests to compare with."""

import itertools
from fractions import Fraction

from hypothesis import strategies as st

from discreet.model import AllPairs, Graph, Grid, Labels, Listed, Mechanism, Within

small_fractions = st.fractions(min_value=-20, max_value=20, max_denominator=12)


@st.composite
def grids(draw, max_size=6):
    step = draw(st.fractions(min_value=Fraction(1, 12), max_value=4, max_denominator=12))
    return Grid(draw(small_fractions), step, draw(st.integers(1, max_size)))


@st.composite
def listed(draw, max_size=6):
    return Listed(tuple(sorted(draw(st.sets(small_fractions, min_size=1, max_size=max_size)))))


@st.composite
def labels(draw, max_size=6):
    return Labels(tuple("abcdefghijkl"[: draw(st.integers(1, max_size))]))


def number_spaces(max_size=6):
    return grids(max_size) | listed(max_size)


def relations(size):
    """Within, all pairs, or an explicit graph on `size` answers."""
    pairs = list(itertools.combinations(range(size), 2))
    graphs = st.sets(st.sampled_from(pairs), max_size=2 * size) if pairs else st.just(set())
    return (
        st.builds(Within, st.integers(1, size + 1))
        | st.just(AllPairs())
        | graphs.map(lambda edges: Graph.of(size, edges))
    )


@st.composite
def matrices(draw, rows, columns, largest=12, least=0):
    """Whole numbers whose columns have one positive sum."""
    cells = _many(draw, st.integers(least, largest), rows * columns)
    matrix = [cells[i * columns : (i + 1) * columns] for i in range(rows)]
    sums = [sum(column) for column in zip(*matrix, strict=True)]
    total = max([*sums, 1])
    fillers = _many(draw, st.integers(0, rows - 1), columns)
    for j, (column_sum, filler) in enumerate(zip(sums, fillers, strict=True)):
        matrix[filler][j] += total - column_sum
    return matrix


def _many(draw, values, count):
    return draw(st.lists(values, min_size=count, max_size=count))


@st.composite
def mechanisms(draw, spaces=None, max_size=6, scales=(1, 2**40, 2**70), least=0):
    """Any small mechanism; large scales make the cells leave the machine word."""
    space = spaces if spaces is not None else number_spaces(max_size)
    answers = draw(space)
    outputs = draw(st.just(answers) | space)
    matrix = draw(matrices(len(outputs), len(answers), least=least))
    scale = draw(st.sampled_from(scales))
    weights = [[cell * scale for cell in row] for row in matrix]
    return Mechanism.of(answers, outputs, draw(relations(len(answers))), weights)


@st.composite
def priors(draw, size):
    """A list of probabilities, some of them zero."""
    parts = draw(st.lists(st.integers(0, 9), min_size=size, max_size=size).filter(any))
    return [Fraction(part, sum(parts)) for part in parts]


def naive_pairs(relation, size):
    """Every neighbouring pair of indices, both ways round."""
    if isinstance(relation, Within):
        near = {(j, k) for j in range(size) for k in range(size) if abs(j - k) <= relation.steps}
    elif isinstance(relation, AllPairs):
        near = {(j, k) for j in range(size) for k in range(size)}
    else:
        near = {pair for j, k in relation.edges for pair in ((j, k), (k, j))}
    return sorted((j, k) for j, k in near if j != k)


def cell(mechanism, i, j):
    return int(mechanism.weights[i, j])


def naive_worst_ratio(mechanism):
    """The largest ratio of neighbours; None for infinity, 1 where there is nothing to compare."""
    worst = Fraction(1)
    for j, k in naive_pairs(mechanism.neighbours, len(mechanism.answers)):
        for i in range(len(mechanism.outputs)):
            top, bottom = cell(mechanism, i, j), cell(mechanism, i, k)
            if top and not bottom:
                return None
            if top:
                worst = max(worst, Fraction(top, bottom))
    return worst


def naive_delta(mechanism, ratio):
    """max over neighbours of Σ_i max(0, M[i,j] − ratio·M[i,k])."""
    found = Fraction(0)
    for j, k in naive_pairs(mechanism.neighbours, len(mechanism.answers)):
        escaped = sum(
            max(Fraction(0), cell(mechanism, i, j) - ratio * cell(mechanism, i, k))
            for i in range(len(mechanism.outputs))
        )
        found = max(found, escaped / mechanism.total)
    return found


def probability(mechanism, i, j):
    return Fraction(cell(mechanism, i, j), mechanism.total)
