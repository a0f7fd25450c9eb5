"""Dataclasses that are made in a quarter of the time, for a program that starts, answers and ends.

Before Python 3.13, `dataclass` writes out each of six methods of a class and compiles it: for our
five hundred classes a quarter of a second, a quarter of what a question took. Here `__init__` alone
is compiled; what compares, hashes, prints and protects is shared by all classes. What a class does
is the same, and a test holds all of ours to that.

This is for the command line, which owns its process. A program that imports discreet has the
classes as they are written.
"""

import dataclasses
import reprlib
import sys
from collections.abc import Callable
from dataclasses import MISSING, FrozenInstanceError, fields
from operator import attrgetter
from typing import Any

_OURS = "discreet."
_KNOWN = {"frozen", "eq", "repr", "kw_only"}
_plain = dataclasses.dataclass


def install() -> None:
    """Make the classes of discreet that are loaded from now on the quick way."""
    if sys.version_info < (3, 13):
        dataclasses.dataclass = dataclass


def dataclass(cls: Any = None, /, **options: Any) -> Any:
    """What `dataclasses.dataclass` does; classes of others, and rare wishes, are left to it."""
    if cls is None:
        return lambda decorated: dataclass(decorated, **options)
    if not cls.__module__.startswith(_OURS) or options.keys() - _KNOWN:
        return _plain(cls, **options)
    return _made(cls, **options)


def _made(
    cls: Any, *, frozen: bool = False, eq: bool = True, repr: bool = True, kw_only: bool = False
) -> Any:
    own, documented = vars(cls), cls.__doc__
    hashes = "__hash__" in own and not (own["__hash__"] is None and "__eq__" in own)
    cls.__doc__ = documented or cls.__name__  # a signature would be worked out for it
    _plain(cls, init=False, repr=False, eq=False, kw_only=kw_only)
    cls.__doc__ = documented
    methods: dict[str, Callable[..., Any]] = {}
    if "__init__" not in own:
        methods["__init__"] = _init(cls, frozen)
    if repr and "__repr__" not in own:
        methods["__repr__"] = _repr(cls)
    if eq:
        state = _state(tuple(one.name for one in fields(cls) if one.compare))
        if "__eq__" not in own:
            methods["__eq__"] = _eq(state)
        if not hashes:
            if frozen:
                methods["__hash__"] = _hash(state)
            else:
                cls.__hash__ = None
    if frozen:
        methods |= _frozen(cls)
    for name, method in methods.items():
        method.__name__, method.__qualname__ = name, f"{cls.__qualname__}.{name}"
        setattr(cls, name, method)
    return cls


class _Factory:
    """What a signature shows where a default is made anew for each record."""

    def __repr__(self) -> str:
        return "<factory>"


_MADE_ANEW = _Factory()


def _init(cls: Any, frozen: bool) -> Callable[..., Any]:
    """The one method that is written out: it takes what the fields are called."""
    known: dict[str, Any] = {"_set": object.__setattr__, "_made_anew": _MADE_ANEW}
    placed, named, body = ["self"], list[str](), list[str]()
    for one in fields(cls):
        name, given = one.name, one.name
        if one.default_factory is not MISSING:
            known[f"_make_{name}"] = one.default_factory
            given = f"_make_{name}() if {name} is _made_anew else {name}"
            word = f"{name}=_made_anew"
            if not one.init:
                given, word = f"_make_{name}()", ""
        elif one.default is not MISSING:
            known[f"_else_{name}"] = one.default
            word = f"{name}=_else_{name}"
        else:
            word = name
        if one.init:
            (named if one.kw_only else placed).append(word)
        elif one.default_factory is MISSING:
            continue  # its class has its value
        body.append(f"_set(self, {name!r}, {given})" if frozen else f"self.{name} = {given}")
    if hasattr(cls, "__post_init__"):
        body.append("self.__post_init__()")
    words = ", ".join([*placed, *(["*", *named] if named else [])])
    text = f"def _making({', '.join(known)}):\n def __init__({words}):\n  " + "\n  ".join(
        body or ["pass"]
    )
    space: dict[str, Any] = {}
    exec(f"{text}\n return __init__", vars(sys.modules[cls.__module__]), space)
    made: Callable[..., Any] = space["_making"](**known)
    taken = [one for one in fields(cls) if one.init]
    made.__annotations__ = {**{one.name: one.type for one in taken}, "return": None}
    return made


def _repr(cls: Any) -> Callable[..., Any]:
    names = [one.name for one in fields(cls) if one.repr]

    @reprlib.recursive_repr()
    def shown(self: Any) -> str:
        told = ", ".join(f"{name}={getattr(self, name)!r}" for name in names)
        return f"{type(self).__qualname__}({told})"

    return shown


def _state(names: tuple[str, ...]) -> Callable[[Any], tuple[Any, ...]]:
    """What of a record is compared, all at once."""
    if len(names) > 1:
        return attrgetter(*names)
    return lambda record: tuple(getattr(record, name) for name in names)


def _eq(state: Callable[[Any], tuple[Any, ...]]) -> Callable[..., Any]:
    def same(self: Any, other: Any) -> Any:
        if other.__class__ is self.__class__:
            return state(self) == state(other)
        return NotImplemented

    return same


def _hash(state: Callable[[Any], tuple[Any, ...]]) -> Callable[..., Any]:
    def hashed(self: Any) -> int:
        return hash(state(self))

    return hashed


def _frozen(cls: Any) -> dict[str, Callable[..., Any]]:
    names = {one.name for one in fields(cls)}

    def assign(self: Any, name: str, value: Any) -> None:
        if type(self) is cls or name in names:
            raise FrozenInstanceError(f"cannot assign to field {name!r}")
        super(cls, self).__setattr__(name, value)

    def delete(self: Any, name: str) -> None:
        if type(self) is cls or name in names:
            raise FrozenInstanceError(f"cannot delete field {name!r}")
        super(cls, self).__delattr__(name)

    return {"__setattr__": assign, "__delattr__": delete}
