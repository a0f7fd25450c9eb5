"""The methods that `design` tries, the quickest first; the plain program takes what is left,
and what is too large for it is told with its gap where weights allow."""

import importlib
from collections.abc import Sequence
from typing import overload

from discreet.designer.methods import Method

_HOMES = (
    "counts.COUNTS",
    "all_pairs.ALL_PAIRS",
    "tight.TIGHT",
    "rays.RAYS",
    "rays.TURNPIKE",
    "variant2.VARIANT2",
    "near.NEAR_REQUIRED",
    "variant2.LEAN",
    "rays.WORST_CASE",
    "all_pairs.WORST_OF_ALL_PAIRS",
    "near.NEAR_DELTA",
    "plain.PLAIN",
    "tight.TIGHT_ANYWAY",
)


class _Methods(Sequence[Method]):
    """Each method is loaded when a search comes to it: the first few suit most requests."""

    @overload
    def __getitem__(self, place: int) -> Method: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Method, ...]: ...
    def __getitem__(self, place: int | slice) -> Method | tuple[Method, ...]:
        if isinstance(place, slice):
            return tuple(map(_loaded, _HOMES[place]))
        return _loaded(_HOMES[place])

    def __len__(self) -> int:
        return len(_HOMES)


def _loaded(home: str) -> Method:
    file, _, name = home.partition(".")
    method: Method = getattr(importlib.import_module(f"discreet.designer.{file}"), name)
    return method


METHODS: Sequence[Method] = _Methods()
