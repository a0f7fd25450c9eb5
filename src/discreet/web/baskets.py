"""Where an analyst left off: the basket that was looked at last, so that one more can be added.

A basket is its address: it may be kept, shared and opened again. This memory is a convenience that
a restart forgets; nothing that is paid for depends on it.
"""

import threading
from collections import OrderedDict

_MOST_KEPT = 2_000
Fields = list[tuple[str, str]]


class Baskets:
    """The last basket of each account and dataset; safe for many threads.

    >>> baskets = Baskets()
    >>> baskets.keep("ana", "survey", [("q", "SELECT COUNT(*)")])
    >>> baskets.kept("ana", "survey"), baskets.kept("ben", "survey")
    ([('q', 'SELECT COUNT(*)')], [])
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: OrderedDict[tuple[str, str], Fields] = OrderedDict()

    def keep(self, account: str, dataset: str, fields: Fields) -> None:
        """Remember a basket in place of the one before; an empty one is forgotten."""
        with self._lock:
            self._kept.pop((account, dataset), None)
            if fields:
                self._kept[account, dataset] = fields
            if len(self._kept) > _MOST_KEPT:
                self._kept.popitem(last=False)

    def kept(self, account: str, dataset: str) -> Fields:
        """The fields of the last one; none where there is none."""
        with self._lock:
            return list(self._kept.get((account, dataset), []))

    def many(self, account: str, dataset: str) -> int:
        """How many questions are in it."""
        return sum(name == "q" for name, _ in self.kept(account, dataset))
