"""Handing a table to a process that reads it, and waiting for what it says, not for ever."""

import json
import subprocess
import sys
import threading
from contextlib import suppress
from typing import Any

from discreet.errors import DatasetError

SECONDS = 120
"""Of processor time."""
_PATIENCE = 2 * SECONDS
"""Seconds by the clock."""
_ENDED = (
    "reading this table took more time or memory than set-up allows; use a smaller one, save it "
    "as Parquet, or draft it on the command line: discreet init"
)


class Readers:
    """Processes that read, one for each task; the next one starts while nobody waits for it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._spare: subprocess.Popen[bytes] | None = None
        self._closed = False

    def read(self, task: dict[str, Any]) -> Any:
        """What a process of its own makes of a task.

        Args:
            task: What to do, as plain JSON values.

        Raises:
            DatasetError: One line that says what is wrong with the table, and what to do.
        """
        with self._lock:
            process, self._spare = self._spare or _started(), None
        try:
            output, _ = process.communicate(json.dumps(task).encode(), timeout=_PATIENCE)
            reply = json.loads(output)
        except (subprocess.TimeoutExpired, OSError, ValueError):
            raise DatasetError(_ENDED) from None
        finally:
            _end(process)
            self.warm()
        if "problem" in reply:
            raise DatasetError(reply["problem"])
        return reply["done"]

    def warm(self) -> None:
        """Start the next one."""
        with self._lock:
            if self._spare is None and not self._closed:
                self._spare = _started()

    def close(self) -> None:
        """End the one that waits."""
        with self._lock:
            self._closed, spare, self._spare = True, self._spare, None
        if spare is not None:
            _end(spare)


def _started() -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [sys.executable, "-P", "-c", "from discreet.web.setup.child import main; main()"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def _end(process: "subprocess.Popen[bytes]") -> None:
    process.kill()
    process.wait()
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            with suppress(OSError):
                stream.close()
