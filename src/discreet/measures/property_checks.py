"""What a matrix looks like (003 §3.2, formulas 10–15), decided in integers."""

from collections.abc import Iterator
from dataclasses import dataclass, fields

import numpy as np
import numpy.typing as npt

from discreet.errors import SpaceError
from discreet.model import Labels, Mechanism, Requirements, category_of, edges

Where = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class PropertyVerdict:
    """Whether a property holds, and the first place where it does not."""

    holds: bool
    counterexample: str | None = None

    def __bool__(self) -> bool:
        return self.holds


@dataclass(frozen=True, kw_only=True)
class Properties:
    """The properties that `Requirements` can ask for, each with its verdict."""

    column_monotone: PropertyVerdict
    row_monotone: PropertyVerdict
    symmetric: PropertyVerdict
    fair: PropertyVerdict
    every_output: PropertyVerdict

    def items(self) -> Iterator[tuple[str, PropertyVerdict]]:
        """Each property's name, as `Requirements` spells it, with its verdict."""
        for entry in fields(self):
            yield entry.name.replace("_", "-"), getattr(self, entry.name)

    def missing(self, wanted: Requirements) -> tuple[str, ...]:
        """The names of what was asked for and does not hold."""
        asked = set(wanted.names())
        return tuple(name for name, verdict in self.items() if name in asked and not verdict)


def properties(mechanism: Mechanism) -> Properties:
    """Column and row monotone, symmetric, fair, every output used: yes, or a counterexample.

    Labels have no order: there, all outputs but an answer's own are equally far from it.

    Args:
        mechanism: The matrix.

    Returns:
        A verdict for each property, with a counterexample where it does not hold.

    >>> from discreet.model import Grid, Within
    >>> space = Grid.between(0, 2)
    >>> spiked = Mechanism.of(space, space, Within(1), [[4, 3, 2], [1, 1, 1], [2, 3, 4]])
    >>> verdicts = properties(spiked)
    >>> verdicts.symmetric.holds, verdicts.column_monotone.holds
    (True, False)
    >>> print(verdicts.column_monotone.counterexample)
    answer 0: output 2 (weight 2) is likelier than output 1 (weight 1), though it is no nearer
    """
    return Properties(
        column_monotone=_column_monotone(mechanism),
        row_monotone=_row_monotone(mechanism),
        symmetric=_symmetric(mechanism),
        fair=_fair(mechanism),
        every_output=_every_output(mechanism),
    )


def _column_monotone(mechanism: Mechanism) -> PropertyVerdict:
    """(10), (11): away from the category that holds the answer, weights do not grow."""
    home, weights = _homes(mechanism), mechanism.weights
    if isinstance(home, PropertyVerdict):
        return home
    if _unordered(mechanism):
        at = _first((weights > weights[home, np.arange(len(home))]).T)
        return _HOLDS if at is None else _grows_in_column(mechanism, at[0], at[1], home[at[0]])
    rows = np.arange(len(weights) - 1)[:, None]
    broken = np.where(rows < home, weights[:-1] > weights[1:], weights[1:] > weights[:-1])
    at = _first(broken.T)
    if at is None:
        return _HOLDS
    answer, output = at
    pair = (output, output + 1) if output < home[answer] else (output + 1, output)
    return _grows_in_column(mechanism, answer, *pair)


def _row_monotone(mechanism: Mechanism) -> PropertyVerdict:
    """(12), (13): away from the output's category, weights do not grow; within it, they agree."""
    weights, answers, outputs = mechanism.weights, mechanism.answers, mechanism.outputs
    if isinstance(answers, Labels) or isinstance(outputs, Labels):
        return _row_monotone_labels(mechanism)
    bounds, values = np.array(edges(outputs)), np.array(answers.values())
    first_inside = np.searchsorted(values, bounds[:-1], side="left")[:, None]
    first_above = np.searchsorted(values, bounds[1:], side="right")[:, None]
    places = np.arange(len(answers) - 1)
    falls, rises = weights[:, :-1] > weights[:, 1:], weights[:, 1:] > weights[:, :-1]
    at = _first((falls & (places + 1 < first_above)) | (rises & (places >= first_inside)))
    if at is None:
        return _HOLDS
    output, answer = at
    return _grows_in_row(
        mechanism, output, *sorted((answer, answer + 1), key=lambda j: -weights[output, j])
    )


def _row_monotone_labels(mechanism: Mechanism) -> PropertyVerdict:
    home = _homes(mechanism)
    if isinstance(home, PropertyVerdict):
        return home
    rows = mechanism.weights[home]
    at = _first(rows > np.diagonal(rows)[:, None])
    return _HOLDS if at is None else _grows_in_row(mechanism, int(home[at[0]]), at[1], at[0])


def _symmetric(mechanism: Mechanism) -> PropertyVerdict:
    """(14): turning the matrix half round changes nothing."""
    weights = mechanism.weights
    turned = weights[::-1, ::-1]
    at = _first(weights != turned)
    if at is None:
        return _HOLDS
    i, j = at
    rows, columns = mechanism.shape
    return PropertyVerdict(
        False,
        f"{_cell(mechanism, i, j)}, {_cell(mechanism, rows - 1 - i, columns - 1 - j)}: rotated "
        "by half a turn, they should be equal",
    )


def _fair(mechanism: Mechanism) -> PropertyVerdict:
    """(15): every answer's own category is equally likely."""
    home = _homes(mechanism)
    if isinstance(home, PropertyVerdict):
        return home
    own = mechanism.weights[home, np.arange(len(home))]
    unlike = np.flatnonzero(own != own[0])
    if not len(unlike):
        return _HOLDS
    j = int(unlike[0])
    return PropertyVerdict(
        False,
        f"{_cell(mechanism, home[0], 0)}, {_cell(mechanism, home[j], j)}: every true answer "
        "should be equally likely to be released",
    )


def _every_output(mechanism: Mechanism) -> PropertyVerdict:
    """Weak honesty: no output without weight."""
    empty = np.flatnonzero(~(mechanism.weights > 0).any(axis=1))
    if not len(empty):
        return _HOLDS
    return PropertyVerdict(
        False, f"output {mechanism.outputs.value(int(empty[0]))} is never released"
    )


_HOLDS = PropertyVerdict(True)


def _homes(mechanism: Mechanism) -> npt.NDArray[np.int64] | PropertyVerdict:
    """The output that holds each answer, or the verdict that there is none."""
    try:
        return np.array(category_of(mechanism.outputs, mechanism.answers))
    except SpaceError as problem:
        return PropertyVerdict(False, f"no output holds an answer: {problem}")


def _unordered(mechanism: Mechanism) -> bool:
    return isinstance(mechanism.answers, Labels) or isinstance(mechanism.outputs, Labels)


def _first(broken: Where) -> tuple[int, int] | None:
    """The first true cell, row by row."""
    rows = np.flatnonzero(broken.any(axis=1))
    if not len(rows):
        return None
    return int(rows[0]), int(np.flatnonzero(broken[rows[0]])[0])


def _cell(mechanism: Mechanism, output: int, answer: int) -> str:
    return (
        f"output {mechanism.outputs.value(int(output))} under answer "
        f"{mechanism.answers.value(int(answer))} has weight {mechanism.weights[output, answer]}"
    )


def _grows_in_column(
    mechanism: Mechanism, answer: int, likelier: int, nearer: int
) -> PropertyVerdict:
    far, near = (
        f"output {mechanism.outputs.value(int(i))} (weight {mechanism.weights[i, answer]})"
        for i in (likelier, nearer)
    )
    value = mechanism.answers.value(answer)
    return PropertyVerdict(
        False, f"answer {value}: {far} is likelier than {near}, though it is no nearer"
    )


def _grows_in_row(mechanism: Mechanism, output: int, likelier: int, nearer: int) -> PropertyVerdict:
    far, near = (
        f"answer {mechanism.answers.value(int(j))} (weight {mechanism.weights[output, j]})"
        for j in (likelier, nearer)
    )
    value = mechanism.outputs.value(output)
    return PropertyVerdict(
        False, f"output {value}: likelier under {far} than under {near}, though it is no nearer"
    )
