"""How long things live: what was worked out is kept, once or within a limit, and `with` lets go."""

import gc
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import fields
from functools import cache, cached_property
from operator import attrgetter
from typing import Any, Generic, Self, TypeVar

_Key = TypeVar("_Key", bound=Hashable)
_Kept = TypeVar("_Kept")


_USUAL = gc.get_threshold()


def collect_rarely() -> None:
    """Look seldom for what could be let go: for a process that loads, works a little and ends.

    Thousands of things are made at its start and kept: to look through them time and again took a
    sixth of a command.
    """
    gc.set_threshold(400_000, 20, 50)


def collect_as_usual() -> None:
    """For a process that lives on: what there is by now stays, and is not looked through again."""
    gc.freeze()
    gc.set_threshold(*_USUAL)


class Recent(Generic[_Key, _Kept]):
    """The values made last, as long as their weights stay within a limit; safe for many threads.

    What is kept, found and forgotten depends on the keys asked for and the weights alone: where
    those are public, so is the time that a question takes.

    >>> words = Recent[int, str](most=8, weigh=lambda _, word: len(word))
    >>> [words.get(n, lambda: "x" * n) for n in (2, 5, 3)], 2 in words, 5 in words
    (['xx', 'xxxxx', 'xxx'], False, True)
    """

    def __init__(self, most: int, weigh: Callable[[_Key, _Kept], int]) -> None:
        self._most, self._weigh = most, weigh
        self._weight = 0
        self._lock = threading.Lock()
        self._kept: OrderedDict[_Key, tuple[_Kept, int]] = OrderedDict()

    def get(self, key: _Key, make: Callable[[], _Kept]) -> _Kept:
        """The value of a key. Two threads may make it at once; the first one made stays."""
        with self._lock:
            kept = self._kept.get(key)
            if kept is not None:
                self._kept.move_to_end(key)
                return kept[0]
        made = make()
        weight = self._weigh(key, made)
        with self._lock:
            if key in self._kept:
                return self._kept[key][0]
            if weight <= self._most:
                self._kept[key] = (made, weight)
                self._weight += weight
            while self._weight > self._most:
                self._weight -= self._kept.popitem(last=False)[1][1]
        return made

    def peek(self, key: _Key) -> _Kept | None:
        """The value of a key if it is kept; nothing is made."""
        with self._lock:
            kept = self._kept.get(key)
            if kept is None:
                return None
            self._kept.move_to_end(key)
            return kept[0]

    def __contains__(self, key: _Key) -> bool:
        return key in self._kept

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._kept.clear()
            self._weight = 0


class Closing:
    """`with` this, and `close` is called at the end of the block."""

    def close(self) -> None:
        """Let go of everything."""
        raise NotImplementedError

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def holding(kind: type[_Kept], fields: dict[str, Any]) -> _Kept:
    """A frozen dataclass of its fields: one by one, as its own way is, takes three times as long.

    Fields that are left out are as the class says: only such may be that have a default.

    >>> from dataclasses import make_dataclass
    >>> kind = make_dataclass("Told", [("value", int), ("run", int, 0)], frozen=True)
    >>> holding(kind, {"value": 5}) == kind(5)
    True
    """
    made = object.__new__(kind)
    object.__setattr__(made, "__dict__", fields)
    return made


@cache
def _compared(kind: Any) -> "attrgetter[Any]":
    """What reads the fields of a dataclass that are compared."""
    return attrgetter(*(one.name for one in fields(kind) if one.compare))


class HashedOnce:
    """A frozen dataclass whose hash is worked out once: that of many fractions takes long.

    The class says `__hash__ = HashedOnce.__hash__`, or the decorator would write its own.
    """

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        """Of the fields that are compared."""
        kind: Any = type(self)
        return hash(_compared(kind)(self))

    def __getstate__(self) -> dict[str, Any]:
        """All but the hash: another process hashes words in another way."""
        return {name: value for name, value in self.__dict__.items() if name != "_hash"}
