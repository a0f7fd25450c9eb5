"""`discreet mechanisms`: the families there are."""

from typing import Any

from discreet.cli.parsing import options
from discreet.cli.program import app


@app.command(
    epilog=options.examples("discreet mechanisms", "discreet mechanisms --json"),
)
def mechanisms(json: options.Json = False) -> None:
    """List the families of mechanisms, with their accuracy, parameters and citations."""
    from rich.table import Table
    from rich.text import Text

    from discreet.cli.parsing.families import family_facts
    from discreet.cli.rendering.terminal import console, say, say_json
    from discreet.mechanisms.catalogue import FAMILIES

    if json:
        say_json({"mechanisms": [family_facts(family) for family in FAMILIES.values()]})
        return
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("name", no_wrap=True)
    table.add_column("what it is", overflow="fold")
    table.add_column("answers", no_wrap=True)
    for family in FAMILIES.values():
        about = Text(f"{family.title}: {family.accuracy}\n")
        about.append(f"{family.citation}; {family.proof}", "dim")
        for entry in family.parameters:
            about.append(f"\n--set {entry.name}=…  {entry.help}{_default(entry.default)}")
        table.add_row(Text(family.name, "bold"), about, Text(family.needs))
    say(console(), table)


def _default(value: Any) -> str:
    if value is None:
        return ""
    return f" (default: {'no' if value is False else value})"
