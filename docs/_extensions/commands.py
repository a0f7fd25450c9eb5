"""The directive `{command}`: usage, options, defaults and examples, read from the program itself.

What an option means is written once, in its help text. A page adds what a help page has no room
for, and the keys of the JSON document.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer
from docutils import nodes
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

from discreet.cli import app

ROOT: Any = typer.main.get_command(app)


def commands(group: Any = ROOT, before: str = "") -> Iterator[tuple[str, Any]]:
    """Every command with its full name, groups opened: `ledger show` and not `ledger`."""
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from commands(command, f"{before}{name} ")
        elif not command.hidden:
            yield before + name, command


def options(command: Any) -> list[Any]:
    """The options of a command, in the order of its help page; --help is everyone's."""
    return [
        parameter
        for parameter in command.params
        if parameter.param_type_name == "option" and "--help" not in parameter.opts
    ]


def arguments(command: Any) -> list[Any]:
    """The words that stand without a dash."""
    return [each for each in command.params if each.param_type_name == "argument"]


def examples(command: Any) -> list[str]:
    """The command lines at the end of a help page, without their prompt."""
    lines = (command.epilog or "").splitlines()
    return [line.removeprefix("$ ") for line in lines if line.startswith("$ ")]


def sections(folder: Path) -> dict[str, str]:
    """Where each command is described: `ledger show` at `ledger.md#discreet-ledger-show`."""
    return {
        name: f"{page.name}#discreet-{name.replace(' ', '-')}"
        for page in sorted(folder.glob("*.md"))
        for name in re.findall(r"^```\{command\} (.+)$", page.read_text(encoding="utf-8"), re.M)
    }


def markdown(name: str, command: Any) -> list[str]:
    """A command as Markdown: what it does, how it is called, its options, examples."""
    words = [_metavar(each) for each in arguments(command)]
    usage = " ".join(["discreet", name, *words, *(["[OPTIONS]"] if options(command) else [])])
    told = [(command.help or "").strip().replace("\n", " "), "", "```text", usage, "```", ""]
    rows = [(f"`{_metavar(each)}`", _help(each)) for each in arguments(command)]
    rows += [(_flags(option), _help(option) + _default(option)) for option in options(command)]
    told += ["```{list-table}", ":class: options", ":widths: 30 70", ""]
    for left, right in rows:
        told += [f"* - {left}", f"  - {right}"]
    told += ["```", ""]
    if examples(command):
        told += ["```console", *(f"$ {line}" for line in examples(command)), "```", ""]
    return told


def _metavar(parameter: Any) -> str:
    return parameter.metavar or parameter.name.upper()


def _flags(option: Any) -> str:
    names = [*option.opts, *option.secondary_opts]
    value = "" if option.is_flag else f" {option.metavar or option.type.name.upper()}"
    return ", ".join(f"`{name}{value}`" for name in names)


def _help(parameter: Any) -> str:
    text = (getattr(parameter, "help", None) or "").strip().replace("\n", " ")
    text = text.replace("<", "&lt;").replace("*", "\\*")
    return re.sub(r"(?<![`\w-])(--[a-z][a-z-]*)", r"`\1`", text)


def _default(option: Any) -> str:
    value = option.default
    if option.is_flag or value in (None, "", ()) or callable(value):
        return ""
    return f" *Unless said:* `{value}`."


class CommandDirective(SphinxDirective):
    """`{command} ledger show` writes the generated part of that command's section."""

    required_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        """Parse the generated Markdown where the directive stands."""
        known = dict(commands())
        name = self.arguments[0]
        if name not in known:
            raise self.error(f"there is no command {name!r}; there are {', '.join(known)}")
        holder = nodes.container()
        self.state.nested_parse(StringList(markdown(name, known[name])), 0, holder)
        return holder.children


class SharedDirective(SphinxDirective):
    """`{every-command}` lists all commands with their first sentence, linked to their sections."""

    def run(self) -> list[nodes.Node]:
        """Parse the generated list where the directive stands."""
        places = sections(Path(self.env.doc2path(self.env.docname)).parent)
        lines = ["```{list-table}", ":class: options", ":widths: 30 70", ""]
        for name, command in commands():
            first = (command.help or "").strip().splitlines()[0]
            if name not in places:
                logging.getLogger(__name__).warning("discreet %s has no section here", name)
            link = f"[`discreet {name}`]({places.get(name, 'index.md')})"
            lines += [f"* - {link}", f"  - {first}"]
        holder = nodes.container()
        self.state.nested_parse(StringList([*lines, "```"]), 0, holder)
        return holder.children


def setup(app: Sphinx) -> dict[str, Any]:
    """Tell Sphinx about the directives."""
    app.add_directive("command", CommandDirective)
    app.add_directive("every-command", SharedDirective)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
