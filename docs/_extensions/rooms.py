"""The directives `{room}` and `{public-names}`: the Python reference, read from the docstrings."""

import builtins
import importlib
import pkgutil
from typing import Any

from docutils import nodes
from docutils.statemachine import StringList
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

import discreet

NOT_FOR_IMPORT = {"cli", "examples"}
"""The command line has a reference of its own, and the examples are data."""


def rooms() -> dict[str, Any]:
    """Every room with public names: what a reader may import."""
    found = {}
    for entry in pkgutil.iter_modules(discreet.__path__):
        if entry.name not in NOT_FOR_IMPORT and not entry.name.startswith("_"):
            room = importlib.import_module(f"discreet.{entry.name}")
            if hasattr(room, "__all__") or entry.name == "errors":
                found[entry.name] = room
    return found


def summary(thing: object) -> str:
    """The first sentence of a docstring."""
    first = (getattr(thing, "__doc__", None) or "").strip().split("\n\n")[0]
    return " ".join(first.split()).split(". ")[0].rstrip(".") + "."


class RoomDirective(SphinxDirective):
    """`{room} budget` documents every public name of a room."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Hand the work to autodoc."""
        name = self.arguments[0]
        if name not in rooms():
            raise self.error(f"there is no room {name!r}; there are {', '.join(rooms())}")
        lines = [
            "```{eval-rst}",
            f".. automodule:: discreet.{name}",
            "   :members:",
            "```",
        ]
        holder = nodes.container()
        self.state.nested_parse(StringList([line for line in lines if line]), 0, holder)
        return holder.children


class PublicNamesDirective(SphinxDirective):
    """`{public-names}` lists what `import discreet` offers, room by room."""

    def run(self) -> list[nodes.Node]:
        """A table with a line for each name."""
        lines = ["```{list-table}", ":class: options", ":widths: 30 70", ""]
        for name, room in sorted(discreet._HOME.items(), key=lambda item: (item[1], item[0])):
            first = (
                summary(getattr(discreet, name))
                if name != "FAMILIES"
                else ("The classic families by name; `discreet mechanisms` prints them.")
            )
            first = first.replace("*", "\\*").replace("|", "\\|")
            lines += [f"* - {{py:obj}}`{name} <discreet.{room}.{name}>`", f"  - {first}"]
        holder = nodes.container()
        self.state.nested_parse(StringList([*lines, "```"]), 0, holder)
        return holder.children


def _unlink_builtins(app: Sphinx, document: nodes.document) -> None:
    """`bytes` in a signature is Python's own, whatever attribute bears the same name."""
    for reference in list(document.findall(addnodes.pending_xref)):
        if reference.get("refdomain") == "py" and hasattr(builtins, reference["reftarget"]):
            reference.replace_self(nodes.Text(reference["reftarget"]))


def setup(app: Sphinx) -> dict[str, Any]:
    """Tell Sphinx about the directives."""
    app.connect("doctree-read", _unlink_builtins)
    app.add_directive("room", RoomDirective)
    app.add_directive("public-names", PublicNamesDirective)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
