"""Made-up tables that are asked like any other: the tour's clinic, and a custodian's rehearsals.

Each belongs to one caller and has a ledger of its own in a folder that goes with it, so whatever is
spent there is spent nowhere else. The rows are packaged or made up of declared facts: nobody's.
"""

import shutil
import tempfile
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from pathlib import Path

from discreet.errors import DiscreetError
from discreet.web.served import ServedDataset

MOST = 64
"""Made-up tables that are kept; the one that was used longest ago goes first."""


Make = Callable[[Path], Path]
"""Writes a table and its dataset file into a folder; where the file is."""


class Scratch:
    """The made-up tables of a server."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open: OrderedDict[tuple[str, str], tuple[ServedDataset, Path]] = OrderedDict()

    def find(self, name: str, owner: str) -> ServedDataset | None:
        """A caller's own, where there is one."""
        with self._lock:
            known = self._open.get((name, owner))
            if known is None:
                return None
            self._open.move_to_end((name, owner))
            return known[0]

    def open(self, name: str, owner: str, make: Make) -> ServedDataset:
        """A new one in place of the caller's last of this name, with its budget unspent."""
        folder = Path(tempfile.mkdtemp(prefix="discreet-made-up-"))
        try:
            served = ServedDataset.open(name, make(folder))
            served.curator.check_ready()
        except DiscreetError:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        with self._lock:
            gone = [self._open.pop((name, owner), None)]
            self._open[name, owner] = served, folder
            while len(self._open) > MOST:
                gone.append(self._open.popitem(last=False)[1])
        _let_go(gone)
        return served

    def close(self) -> None:
        """Let go of all of them."""
        with self._lock:
            gone = list(self._open.values())
            self._open.clear()
        _let_go(gone)


def _let_go(gone: Sequence[tuple[ServedDataset, Path] | None]) -> None:
    for one in gone:
        if one is not None:
            one[0].curator.close()
            shutil.rmtree(one[1], ignore_errors=True)
