"""`{public}`, `{public-names}` and `{room}`: the Python reference, read from the docstrings."""

import builtins
import importlib
import inspect
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
    """Every room that says what it offers: internal, and documented for who works on discreet."""
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


class _Autodoc(SphinxDirective):
    """Hands lines of reStructuredText to autodoc."""

    def told(self, lines: list[str]) -> list[nodes.Node]:
        """What autodoc makes of the lines."""
        holder = nodes.container()
        content = StringList(["```{eval-rst}", *lines, "```"])
        self.state.nested_parse(content, 0, holder)
        return holder.children


class PublicDirective(_Autodoc):
    """`{public} Grid Listed` documents names of `discreet.__all__`."""

    required_arguments = 1
    optional_arguments = 99

    def run(self) -> list[nodes.Node]:
        """A class with its members, a function with its arguments, or a value."""
        lines: list[str] = []
        for name in self.arguments:
            if name not in discreet.__all__:
                raise self.error(f"{name!r} is not in discreet.__all__")
            thing = getattr(discreet, name)
            kind = "class" if inspect.isclass(thing) else "function"
            kind = kind if callable(thing) else "data"
            lines += [f".. auto{kind}:: discreet.{name}", ""]
        return self.told(lines)


class RoomDirective(_Autodoc):
    """`{room} budget` documents every name that a room offers to the rooms above it."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Hand the work to autodoc."""
        name = self.arguments[0]
        if name not in rooms():
            raise self.error(f"there is no room {name!r}; there are {', '.join(rooms())}")
        indexed = [] if name == "errors" else ["   :no-index:"]
        return self.told([f".. automodule:: discreet.{name}", "   :members:", *indexed])


class PublicNamesDirective(SphinxDirective):
    """`{public-names}` lists what `import discreet` offers, with a line for each."""

    def run(self) -> list[nodes.Node]:
        """A table with a line for each name."""
        lines = ["```{list-table}", ":class: options", ":widths: 30 70", ""]
        errors = discreet._ROOMS["errors"].split()
        for name in sorted(discreet._NAMES):
            first = (
                summary(getattr(discreet, name))
                if name != "FAMILIES"
                else ("The classic families by name; `discreet mechanisms` prints them.")
            )
            first = first.replace("*", "\\*").replace("|", "\\|")
            home = "errors." if name in errors else ""
            lines += [f"* - {{py:obj}}`{name} <discreet.{home}{name}>`", f"  - {first}"]
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
    app.add_directive("public", PublicDirective)
    app.add_directive("room", RoomDirective)
    app.add_directive("public-names", PublicNamesDirective)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
