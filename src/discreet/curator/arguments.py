"""Arguments that do not fit a method, told in one line like every other mistake."""

import inspect
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from discreet.errors import QuestionError
from discreet.planning import Wishes

_Given = ParamSpec("_Given")
_Made = TypeVar("_Made")


def fitting(method: Callable[_Given, _Made]) -> Callable[_Given, _Made]:
    """A method that raises QuestionError, and names what it takes, for arguments it does not take.

    Where the method takes `**wishes`, those of `Wishes.of` fit and no others. Arguments that fit
    are hardly looked at: only what has failed is.
    """
    signature = inspect.signature(method)
    taken = list(signature.parameters.values())
    if taken and taken[-1].kind is inspect.Parameter.VAR_KEYWORD:
        taken[-1:] = inspect.signature(Wishes.of).parameters.values()
    known = inspect.Signature(taken)
    names = ", ".join(name for name in known.parameters if name not in {"self", "cls"})

    @wraps(method)
    def called(*given: _Given.args, **named: _Given.kwargs) -> _Made:
        problem = None
        if named.keys() <= known.parameters.keys():
            try:
                return method(*given, **named)
            except TypeError as raised:
                problem = raised
        try:
            known.bind(*given, **named)
        except TypeError as wrong:
            raise QuestionError(
                f"{method.__qualname__}() cannot be called like this: {wrong}; it takes {names}"
            ) from None
        assert problem is not None
        raise problem

    return called
