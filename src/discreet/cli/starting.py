"""How a command starts and leaves: no more is loaded than it needs, and little is tidied up."""

import atexit
import contextlib
import os
import sys

from discreet.lifetimes import collect_rarely


def main() -> None:
    """Run the command line: the command that is named, and no other, is loaded."""
    collect_rarely()
    # Threads that help with sums of some thousand numbers wait for each other where others work.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from discreet.cli.commands import load
    from discreet.cli.program import app

    leaving = _Leaving()
    atexit.register(leaving)
    load(sys.argv[1:])
    try:
        app()
    except SystemExit as end:
        leaving.code = end.code if isinstance(end.code, int) else None
        raise


class _Leaving:
    """Ends the process when all that has to be done at its end is done.

    Being registered first it is called last. To free a hundred thousand things one by one, as the
    interpreter would go on to do, took another sixth.
    """

    code: int | None = None
    """What the command came to; None where it never said."""

    def __call__(self) -> None:
        if self.code is None:
            return
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(OSError, ValueError, AttributeError):
                stream.flush()
        os._exit(self.code)
