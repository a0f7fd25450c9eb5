"""What may be answered: the answers themselves, coarser or finer categories, or a wider range.

Paper 003 reports *categories*: disjoint intervals, each known by its midpoint. Here an output is
that midpoint, and its category reaches half way to the midpoints beside it (Def. 2, R.2).
"""

from fractions import Fraction
from itertools import pairwise

from discreet.errors import SpaceError
from discreet.exact import RationalLike, rational, show
from discreet.model.spaces import Grid, Numbers, Space, numbers_of


def scaled(answers: Grid, factor: RationalLike) -> Grid:
    """Categories `factor` times as wide as the step between answers (003 §4.3.2).

    They are centred on the range of the answers, lie within it, and cover every answer.

    Args:
        answers: The range of the true answers.
        factor: How many steps wide a category is.

    Returns:
        The middles of the categories.

    Raises:
        SpaceError: The answers are no grid, or the factor is not positive.

    >>> scaled(Grid.between(0, 40), 5)
    Grid(0, 40, step 5)
    >>> scaled(Grid.between(0, 40), "1/2").size
    81
    """
    _check_grid(answers)
    times = rational(factor, "the scale of the outputs", SpaceError)
    if times <= 0:
        raise SpaceError(f"the scale of the outputs must be positive, got {show(factor)}")
    steps = (answers.size - 1) // times
    start = answers.start + answers.step * (answers.size - 1 - steps * times) / 2
    return Grid(start, answers.step * times, int(steps) + 1)


def extended(answers: Grid, percent: RationalLike = 300) -> Grid:
    """A range of outputs wider than the answers', centred on it (003 §4.3.4).

    Args:
        answers: The range of the true answers.
        percent: The width of the outputs as a share of the width of the answers; 100 or more.

    Returns:
        The wider range, with the same step.

    Raises:
        SpaceError: The answers are no grid, or the share is less than 100 %.

    >>> extended(Grid.between(0, 9), 300)
    Grid(-10, 19)
    """
    _check_grid(answers)
    share = rational(percent, "the width of the outputs in percent", SpaceError)
    if share < 100:
        raise SpaceError(
            f"an extended range is at least 100 % of the answers' range, got {show(percent)}"
        )
    margin = round(answers.size * (share - 100) / 200)
    return Grid(answers.start - margin * answers.step, answers.step, answers.size + 2 * margin)


def _check_grid(answers: object) -> None:
    if not isinstance(answers, Grid):
        raise SpaceError(
            f"only evenly spaced answers can be scaled or extended, got {show(answers)}; "
            "list the outputs instead"
        )


def edges(outputs: Numbers) -> tuple[Fraction, ...]:
    """The bounds between categories, and the outer two: one more than there are outputs."""
    values = outputs.values()
    if len(values) == 1:
        half = outputs.step / 2 if isinstance(outputs, Grid) else Fraction(1, 2)
        return (values[0] - half, values[0] + half)
    middles = [(a + b) / 2 for a, b in pairwise(values)]
    return (2 * values[0] - middles[0], *middles, 2 * values[-1] - middles[-1])


def category_of(outputs: Space, answers: Space) -> tuple[int, ...]:
    """For each answer, the index of the output whose category holds it (i_j in 003).

    An answer on the bound between two categories belongs to the one nearer the middle of the
    outputs, and in the very middle to the lower: so the rule is symmetric wherever it can be.
    An answer outside every category has the nearest one.
    """
    if outputs == answers:
        return tuple(range(len(answers)))
    if not hasattr(outputs, "floats") or not hasattr(answers, "floats"):
        return tuple(outputs.index(value) for value in answers.values())
    points = numbers_of(outputs, "a category").values()
    middle = (points[0] + points[-1]) / 2
    chosen, position = [], 0
    for value in numbers_of(answers, "a category").values():
        while position + 1 < len(points) and _prefers_next(
            value, points[position], points[position + 1], middle
        ):
            position += 1
        chosen.append(position)
    return tuple(chosen)


def _prefers_next(value: Fraction, here: Fraction, there: Fraction, middle: Fraction) -> bool:
    bound = (here + there) / 2
    return value > bound or (value == bound and bound < middle)
