"""Standard output that says so when it cannot be written: a full disk is no bug of ours."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TextIO, cast


class OutputLost(Exception):  # noqa: N818
    """What was said could not be written; the message says why, and what to do."""


class _Guarded:
    """A text stream whose failures are known for what they are."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        with _losses_told():
            return self._stream.write(text)

    def flush(self) -> None:
        with _losses_told():
            self._stream.flush()


@contextmanager
def _losses_told() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as problem:
        why = problem.strerror or type(problem).__name__
        raise OutputLost(f"the output could not be written: {why}") from None


@contextmanager
def guarded() -> Iterator[None]:
    """Standard output, guarded meanwhile; where it is closed there is nothing to guard."""
    plain = sys.stdout
    if plain is not None:
        sys.stdout = cast("TextIO", _Guarded(plain))
    try:
        yield
        if plain is not None:
            sys.stdout.flush()
    finally:
        sys.stdout = plain


@contextmanager
def or_else(advice: str) -> Iterator[None]:
    """Write out what is said inside, now; if it is lost, the advice is told too."""
    try:
        yield
        if sys.stdout is not None:
            sys.stdout.flush()
    except OutputLost as problem:
        raise OutputLost(f"{problem}; {advice}") from None
