"""Every item by its id, in the order of the papers; a paper's modules are imported when asked for.

A paper is a package `pNNN` whose modules each export `ITEMS`; the package may name its modules in
reading order as `MODULES`, otherwise they come in the order of the alphabet.
"""

import importlib
import pkgutil
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches

from discreet.errors import InvalidInput
from discreet.exact import show
from discreet.papers.item import PaperItem

_PAPER = "p"


class Registry(Mapping[str, PaperItem]):
    """The items of all papers, read when the first of them is wanted."""

    def __init__(self, package: str) -> None:
        self._package = package
        self._known: dict[str, PaperItem] | None = None

    def __getitem__(self, name: str) -> PaperItem:
        return self._items()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._items())

    def __len__(self) -> int:
        return len(self._items())

    def _items(self) -> dict[str, PaperItem]:
        if self._known is None:
            known: dict[str, PaperItem] = {}
            for item in _read(self._package):
                if item.id in known:
                    raise InvalidInput(f"two items are called {show(item.id)}; rename one")
                known[item.id] = item
            self._known = known
        return self._known


def _read(package: str) -> Iterator[PaperItem]:
    home = importlib.import_module(package)
    for entry in pkgutil.iter_modules(home.__path__):
        if entry.ispkg and entry.name[0] == _PAPER and entry.name[1:].isdigit():
            paper = importlib.import_module(f"{package}.{entry.name}")
            inside = (module.name for module in pkgutil.iter_modules(paper.__path__))
            for name in getattr(paper, "MODULES", tuple(inside)):
                module = importlib.import_module(f"{paper.__name__}.{name}")
                yield from getattr(module, "ITEMS", ())


ITEMS: Mapping[str, PaperItem] = Registry(__package__)
"""Every item by its id."""


def chosen(names: Sequence[str], items: Mapping[str, PaperItem] = ITEMS) -> tuple[PaperItem, ...]:
    """The items that names speak of, in the papers' order: "all", an id, or the start of ids.

    >>> [item.id for item in chosen(["003/table"])]
    ['003/table-1', '003/table-2', '003/table-3', '003/table-4']
    """
    wanted: set[str] = set()
    for name in names or ("all",):
        matches = {known for known in items if name in ("all", known)}
        matches = matches or {known for known in items if known.startswith(name)}
        if not matches or not name:
            near = get_close_matches(name, list(items), n=1)
            hint = f"did you mean {near[0]}?" if near else "see discreet reproduce --list"
            raise InvalidInput(f"no table, figure or example is called {show(name)}; {hint}")
        wanted |= matches
    return tuple(item for name, item in items.items() if name in wanted)
