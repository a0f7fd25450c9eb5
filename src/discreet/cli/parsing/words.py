"""Words of the command line that are taken as they are typed.

Newer versions of typer read every word through a model of pydantic, which takes longer to load than
many a command takes to run. Nearly all our options are texts, read by our own rules afterwards:
what is already what a command asks for needs no model.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


def taken_as_typed(param: Any) -> None:
    """Let a parameter pass on what is right already; all else goes the way of typer."""
    reader = getattr(param, "get_runtime_param", None)
    if reader is not None and not isinstance(reader, _Reader):
        param.get_runtime_param = _Reader(param, reader)


@dataclass(frozen=True)
class _Reader:
    """Stands where typer asks for what reads a parameter's words."""

    param: Any
    usual: Callable[[], Any]

    def __call__(self) -> "_Reader":
        return self

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        """A text where a text is wanted, nothing where nothing was said; else what typer makes."""
        wanted = self.param.type_descriptor
        several = param.multiple or param.nargs == -1
        if value is None:
            return () if several else None
        plain = wanted.annotation is str and wanted.parameter_info.parser is None
        if plain and isinstance(value, str) and not several:
            return value
        return self.usual().coerce(value, param=param, ctx=ctx)
