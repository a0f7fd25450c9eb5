"""Classes of the command line's own making do what `dataclasses.dataclass` makes of them."""

import copy
import dataclasses
import inspect
import json
import pickle
import re
import subprocess
import sys
from dataclasses import KW_ONLY, field
from typing import Any, ClassVar

import pytest

import discreet
from discreet.cli import records

_HOME = "discreet.text"


def _both(body: Any, **options: Any) -> tuple[Any, Any]:
    """The same class made by either."""
    return dataclasses.dataclass(**options)(body()), records.dataclass(**options)(body())


def _told(make: Any) -> Any:
    """What a call gives, or what it says instead; without the names of the classes."""
    try:
        return make()
    except (TypeError, AttributeError) as problem:
        return type(problem), str(problem)


def _body() -> Any:
    class Base:
        __module__ = _HOME
        first: int
        second: float = 0.5
        shared: ClassVar[int] = 3
        _: KW_ONLY
        many: list[int] = field(default_factory=list)
        silent: int = field(default=7, repr=False, compare=False)
        own: int = field(default=9, init=False)

        def __post_init__(self) -> None:
            object.__setattr__(self, "seen", self.first)

    return Base


OPTIONS = [
    {"frozen": True},
    {"frozen": True, "eq": False},
    {"frozen": True, "kw_only": True},
    {"frozen": True, "eq": False, "repr": False, "kw_only": True},
    {},
    {"eq": False},
]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_records_are_made_compared_shown_and_kept_alike(options: dict[str, bool]) -> None:
    theirs, ours = _both(_body, **options)
    assert str(inspect.signature(ours)) == str(inspect.signature(theirs))
    assert ours.__init__.__annotations__ == theirs.__init__.__annotations__
    assert ours.__match_args__ == theirs.__match_args__
    assert (ours.__hash__ is None) == (theirs.__hash__ is None)
    told = []
    for cls in (theirs, ours):
        one = cls(first=1, second=float("nan"), many=[2])
        same, other = copy.copy(one), cls(first=1, many=[3])
        again = cls(first=1, second=one.second, many=one.many, silent=8)
        changed = dataclasses.replace(one, first=4) if "own" not in vars(one) else one
        told.append(
            [
                one == same, one == again, one == other, one != again, one == 1,
                repr(one) if options.get("repr", True) else None, dataclasses.asdict(one),
                one.seen, one.own, changed.first, cls(first=1).many is cls(first=1).many,
                cls.shared, _told(lambda c=cls: c()), _told(lambda c=cls: c(1, 2, 3, 4)),
                _told(lambda c=cls: c(first=1, nothing=2)),
                _told(lambda o=one: setattr(o, "first", 5)),
                _told(lambda o=one: delattr(o, "many")),
                _told(lambda o=one: setattr(o, "else_", 5)), one.first,
            ]
        )  # fmt: skip
    assert [str(x) for x in told[0]] == [str(x) for x in told[1]]


def test_those_that_are_equal_hash_alike_and_what_is_written_is_kept() -> None:
    def body() -> Any:
        class Pair:
            __module__ = _HOME
            left: int
            right: tuple[int, ...] = ()

            def __repr__(self) -> str:
                return "a pair"

        return Pair

    for cls in _both(body, frozen=True):
        assert hash(cls(1, (2,))) == hash(cls(1, (2,)))
        assert len({cls(1), cls(1, ()), cls(2)}) == 2
        assert repr(cls(1)) == "a pair"


def test_a_class_may_have_fields_of_another() -> None:
    def bodies(make: Any) -> Any:
        @make(frozen=True)
        class Base:
            __module__ = _HOME
            one: int
            two: int = 2

        @make(frozen=True)
        class Inner(Base):
            __module__ = _HOME
            two: int = 3
            three: int = 4

        return Inner

    theirs, ours = bodies(dataclasses.dataclass), bodies(records.dataclass)
    assert str(inspect.signature(ours)) == str(inspect.signature(theirs))
    for cls in (theirs, ours):
        made = cls(1)
        assert (made.one, made.two, made.three) == (1, 3, 4)
        assert made != cls.__base__(1, 3)
        for name in ("one", "three", "unknown"):
            with pytest.raises(dataclasses.FrozenInstanceError):
                setattr(made, name, 0)


def test_records_go_from_one_process_to_another() -> None:
    told = subprocess.run(
        [
            sys.executable, "-c",
            "import pickle, sys; from discreet.cli import records; records.install();"
            "from discreet import Grid, Epsilon;"
            "sys.stdout.buffer.write(pickle.dumps((Grid.between(1, 5), Epsilon.of('0.5'))))",
        ],
        capture_output=True, check=True,
    )  # fmt: skip
    assert pickle.loads(told.stdout) == (discreet.Grid.between(1, 5), discreet.Epsilon.of("0.5"))


@pytest.mark.skipif(sys.version_info >= (3, 13), reason="there `dataclass` is quick itself")
def test_all_of_ours_are_as_they_are_written() -> None:
    """Every class of every module, made in two processes."""
    space: dict[str, Any] = {}
    exec(_LISTED, space)
    quick = subprocess.run(
        [sys.executable, "-c", f"{_QUICK}{_LISTED}\nprint(json.dumps(found))"],
        capture_output=True, check=True, text=True,
    )  # fmt: skip
    plain = json.loads(_PLACE.sub("", json.dumps(space["found"])))
    assert len(plain) > 500
    assert json.loads(_PLACE.sub("", quick.stdout)) == plain


_PLACE = re.compile(" at 0x[0-9a-f]+")
_QUICK = "from discreet.cli import records; records.install()\n"
_LISTED = """
import dataclasses, importlib, inspect, json, pkgutil
import discreet
found = {}
for one in pkgutil.walk_packages(discreet.__path__, "discreet."):
    if one.name.endswith("__main__"):
        continue
    try:
        module = importlib.import_module(one.name)
    except ImportError:
        continue
    for cls in vars(module).values():
        if inspect.isclass(cls) and cls.__module__ == one.name and dataclasses.is_dataclass(cls):
            fields = [
                (each.name, str(each.type), each.init, each.repr, each.compare, each.kw_only)
                for each in dataclasses.fields(cls)
            ]
            own = {name: name in vars(cls) for name in vars(object)}
            kept = vars(cls).get("__setattr__")
            found[f"{one.name}.{cls.__qualname__}"] = [
                str(inspect.signature(cls)), fields, own, cls.__hash__ is None,
                list(cls.__match_args__), kept and kept.__name__,
            ]
"""
