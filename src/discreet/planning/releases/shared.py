"""One draw for several answers, made with the first of them."""

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

_Part = TypeVar("_Part")


class Shared(Generic[_Part]):
    """Parts of one draw, for answers that are told one after another."""

    def __init__(self, draw: Callable[[], Sequence[_Part]]) -> None:
        self._draw = draw
        self._drawn: Sequence[_Part] | None = None

    def part(self, place: int) -> _Part:
        """One part; the first that is asked for draws all of them."""
        if self._drawn is None:
            self._drawn = self._draw()
        return self._drawn[place]
