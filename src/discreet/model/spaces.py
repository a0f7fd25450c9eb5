"""Where answers live: evenly spaced numbers, listed numbers, or labels (F and R in 003)."""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from discreet.errors import SpaceError
from discreet.exact import RationalLike, rational, show

MOST = 2_000_000
"""The largest space we handle."""

FARTHEST = 10**100
"""The largest size of a number: its square is still far from the end of the floats."""


@dataclass(frozen=True)
class Grid:
    """Evenly spaced numbers: start, start + step, … (`size` of them).

    >>> Grid.between(1, 5)
    Grid(1, 5)
    >>> Grid.between(0, 4, step="0.1").size
    41
    """

    start: Fraction
    step: Fraction
    size: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "size", _checked_size(self.size))
        object.__setattr__(self, "start", rational(self.start, "the lowest answer", SpaceError))
        object.__setattr__(self, "step", rational(self.step, "the step", SpaceError))
        if self.step <= 0:
            raise SpaceError(f"the step of a space must be positive, got {show(self.step)}")
        _check_reach(self.start, self.last)

    @classmethod
    def between(cls, low: RationalLike, high: RationalLike, step: RationalLike = 1) -> "Grid":
        """The numbers low, low + step, …, high; high − low must be a whole number of steps.

        Args:
            low: The least number.
            high: The largest number.
            step: How far apart neighbouring numbers are.

        Returns:
            The grid, exact.

        Raises:
            SpaceError: The step is not positive, low lies above high, or the range is no whole
                number of steps.
        """
        first = rational(low, "the lowest answer", SpaceError)
        last = rational(high, "the highest answer", SpaceError)
        stride = rational(step, "the step", SpaceError)
        if stride <= 0:
            raise SpaceError(f"the step of a space must be positive, got {show(step)}")
        if last < first:
            raise SpaceError(
                f"the range is reversed: {show(low)} is above {show(high)}; "
                "write the lower end first"
            )
        steps = (last - first) / stride
        if steps.denominator != 1:
            raise SpaceError(
                f"{show(low)} to {show(high)} is not a whole number of steps of {show(step)}"
            )
        return cls(first, stride, int(steps) + 1)

    @property
    def last(self) -> Fraction:
        """The largest number."""
        return self.start + self.step * (self.size - 1)

    def __len__(self) -> int:
        return self.size

    def value(self, index: int) -> Fraction:
        """The number at an index.

        Args:
            index: Its place, from 0.

        Returns:
            The number, exact.

        Raises:
            IndexError: There is no such place.
        """
        return self.start + self.step * range(self.size)[index]

    def values(self) -> tuple[Fraction, ...]:
        """All the numbers, in order."""
        return tuple(self.start + self.step * i for i in range(self.size))

    def index(self, value: object) -> int:
        """The place of a number in the space.

        Args:
            value: A number, as people write it.

        Returns:
            Its place, from 0.

        Raises:
            SpaceError: The number is not in the grid.
        """
        position = (rational(value, "an answer", SpaceError) - self.start) / self.step
        if position.denominator != 1 or not 0 <= position < self.size:
            apart = "" if self.step == 1 else f" in steps of {show(self.step)}"
            raise SpaceError(
                f"{show(value)} is not one of the numbers from {show(self.start)} to "
                f"{show(self.last)}{apart}"
            )
        return int(position)

    def floats(self) -> npt.NDArray[np.float64]:
        """The numbers as floats, for losses and pictures."""
        return float(self.start) + float(self.step) * np.arange(self.size, dtype=np.float64)

    def __repr__(self) -> str:
        step = "" if self.step == 1 else f", step {self.step}"
        return f"Grid({self.start}, {self.last}{step})"


@dataclass(frozen=True)
class Listed:
    """An explicit list of numbers, strictly increasing.

    >>> Listed.of(["0", "1", "2.5"]).value(2)
    Fraction(5, 2)
    """

    numbers: tuple[Fraction, ...]

    def __post_init__(self) -> None:
        read = (_as_fraction(number) for number in self.numbers)
        object.__setattr__(self, "numbers", tuple(read))
        _checked_size(len(self.numbers))
        _check_reach(self.numbers[0], self.numbers[-1])
        for before, after in pairwise(self.numbers):
            if before >= after:
                raise SpaceError(
                    f"listed numbers must increase, got {show(before)} before {show(after)}; sort "
                    f"them and give each once"
                )

    @classmethod
    def of(cls, numbers: Iterable[RationalLike]) -> "Listed":
        """Read the numbers exactly.

        Args:
            numbers: The values, in rising order.

        Returns:
            The space.

        Raises:
            SpaceError: There is no number, or they do not increase.
        """
        if isinstance(numbers, str) or not isinstance(numbers, Iterable):
            raise SpaceError(f"answers must be a list of numbers, got {show(numbers)}")
        return cls(tuple(_as_fraction(number) for number in numbers))

    def __len__(self) -> int:
        return len(self.numbers)

    def value(self, index: int) -> Fraction:
        """The number at an index.

        Args:
            index: Its place, from 0.

        Returns:
            The number, exact.

        Raises:
            IndexError: There is no such place.
        """
        return self.numbers[index]

    def values(self) -> tuple[Fraction, ...]:
        """All the numbers, in order."""
        return self.numbers

    def index(self, value: object) -> int:
        """The place of a number in the space.

        Args:
            value: A number, as people write it.

        Returns:
            Its place, from 0.

        Raises:
            SpaceError: The number is not in the list.
        """
        number = rational(value, "an answer", SpaceError)
        if number not in self.numbers:
            raise SpaceError(f"{show(value)} is not one of the {len(self)} listed numbers")
        return self.numbers.index(number)

    def floats(self) -> npt.NDArray[np.float64]:
        """The numbers as floats, for losses and pictures."""
        return np.array([float(number) for number in self.numbers])


@dataclass(frozen=True)
class Labels:
    """Names without an order, such as the categories of a column.

    >>> Labels.of(["A", "B"]).index("B")
    1
    """

    names: tuple[str, ...]

    def __post_init__(self) -> None:
        if isinstance(self.names, str) or not isinstance(self.names, Iterable):
            raise SpaceError(f"labels must be a list of words, got {show(self.names)}")
        object.__setattr__(self, "names", tuple(self.names))
        _checked_size(len(self.names))
        for name in self.names:
            if not isinstance(name, str) or not _is_one_line(name):
                raise SpaceError(f"labels must be text on one line, got {show(name)}")
        if len(set(self.names)) != len(self.names):
            twice = next(name for name in self.names if self.names.count(name) > 1)
            raise SpaceError(f"labels must differ, got {show(twice)} twice")

    @classmethod
    def of(cls, names: Iterable[str]) -> "Labels":
        """Take the names as they are.

        Args:
            names: The values, all different.

        Returns:
            The space.

        Raises:
            SpaceError: There is no name, a name is not text, or two are equal.
        """
        if isinstance(names, str) or not isinstance(names, Iterable):
            raise SpaceError(f"labels must be a list of words, got {show(names)}")
        return cls(tuple(names))

    def __len__(self) -> int:
        return len(self.names)

    def value(self, index: int) -> str:
        """The name at an index.

        Args:
            index: Its place, from 0.

        Returns:
            The name.

        Raises:
            IndexError: There is no such place.
        """
        return self.names[index]

    def values(self) -> tuple[str, ...]:
        """All the names, in order."""
        return self.names

    def index(self, value: object) -> int:
        """The place of a name in the space.

        Args:
            value: A name.

        Returns:
            Its place, from 0.

        Raises:
            SpaceError: The name is not among the labels.
        """
        if value not in self.names:
            raise SpaceError(f"{show(value)} is not one of the {len(self)} labels")
        return self.names.index(str(value))


Space: TypeAlias = Grid | Listed | Labels
"""Any space of answers or outputs."""

Numbers: TypeAlias = Grid | Listed
"""A space whose values are numbers."""


def numbers_of(space: Space, wanted_for: str) -> Numbers:
    """The same space, or a SpaceError when its values are no numbers."""
    if isinstance(space, Labels):
        raise SpaceError(f"{wanted_for} needs numbers, got {len(space)} labels")
    return space


def _as_fraction(number: object) -> Fraction:
    return number if type(number) is Fraction else rational(number, "an answer", SpaceError)


def _checked_size(size: int) -> int:
    if isinstance(size, bool) or not isinstance(size, int | np.integer):
        raise SpaceError(f"the size of a space must be a whole number, got {show(size)}")
    if size < 1:
        raise SpaceError("a space needs at least one answer, got none")
    if size > MOST:
        raise SpaceError(
            f"a space can have at most {MOST:,} answers, got {show(size)}; use a larger step"
        )
    return int(size)


def _check_reach(first: Fraction, last: Fraction) -> None:
    for end in (first, last):
        if abs(end) > FARTHEST:
            raise SpaceError(f"answers must lie between -1e100 and 1e100, got {show(end)}")


def _is_one_line(name: str) -> bool:
    """Whether a name can be shown and stored: some letters, no line breaks, no half letters."""
    return name.splitlines() == [name] and name.encode(errors="ignore").decode() == name


def space_to_dict(space: Space) -> dict[str, Any]:
    """A space as plain JSON values (see docs/reference/mechanism-file.md)."""
    if isinstance(space, Grid):
        return {
            "kind": "grid",
            "start": str(space.start),
            "step": str(space.step),
            "size": space.size,
        }
    if isinstance(space, Listed):
        return {"kind": "listed", "numbers": [str(number) for number in space.numbers]}
    return {"kind": "labels", "names": list(space.names)}


def space_from_dict(data: object) -> Space:
    """Read back what `space_to_dict` wrote."""
    if not isinstance(data, dict):
        raise SpaceError(f"a space must be an object with a kind, got {show(data)}")
    match data:
        case {"kind": "grid", "start": start, "step": step, "size": int(size)}:
            return Grid(
                rational(start, "start", SpaceError), rational(step, "step", SpaceError), size
            )
        case {"kind": "listed", "numbers": list(numbers)}:
            return Listed.of(numbers)
        case {"kind": "labels", "names": list(names)}:
            return Labels.of(names)
    raise SpaceError(
        "a space must be a grid (start, step, size), listed (numbers) or labels (names), "
        f"got {show(data)}"
    )
