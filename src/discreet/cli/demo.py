"""`discreet demo`: a Likert question from beginning to end."""

from typing import TYPE_CHECKING

from discreet.cli import options
from discreet.cli.app import app

if TYPE_CHECKING:
    from discreet.certify import Certified
    from discreet.measures import Measures

_EPSILON = "1"
_TRUE_MEDIAN = "4"
_DRAWS = 10
_FAMILIES = (
    "laplace",
    "staircase",
    "normalized-laplace",
    "randomized-response",
    "explicit-fair",
)


@app.command(epilog=options.examples("discreet demo", "discreet demo --json"))
def demo(json: options.Json = False) -> None:
    """Answer a Likert question privately: compare, certify, measure, draw."""
    from discreet.cli import describe
    from discreet.cli.drawing import drawn
    from discreet.cli.families import Setting, contenders
    from discreet.cli.terminal import say_json
    from discreet.exact import Epsilon
    from discreet.measures import measure
    from discreet.model import AllPairs, Grid

    likert = Grid.between(1, 5)
    setting = Setting(likert, likert, AllPairs(), Epsilon.of(_EPSILON), {})
    certified = contenders(_FAMILIES, setting)
    found = {name: measure(entry.mechanism) for name, entry in certified.items()}
    best = min(found, key=lambda name: found[name].losses["absolute"].expected)
    if not json:
        _tell(certified, found, best)
        return
    say_json({
        "question": "the median of replies from 1 to 5",
        "epsilon": _EPSILON,
        "measures": {name: entry.to_dict() for name, entry in found.items()},
        "best": best,
        "mechanism": describe.mechanism_facts(certified[best].mechanism),
        "certificate": describe.certificate_facts(certified[best]),
        "draws": drawn(certified[best], _TRUE_MEDIAN, _DRAWS).to_dict(),
    })  # fmt: skip


def _tell(certified: dict[str, "Certified"], found: dict[str, "Measures"], best: str) -> None:
    from rich.text import Text

    from discreet.cli import describe
    from discreet.cli.drawing import drawn
    from discreet.cli.matrix import matrix
    from discreet.cli.scores import quantile_rows
    from discreet.cli.terminal import console, heading, say
    from discreet.cli.versus import bars, losses_beside, panels_of, properties_beside
    from discreet.plots import label

    names, measures = list(found), list(found.values())
    panels = panels_of(measures)
    chosen = certified[best]
    draws = "  ".join(label(value) for value in drawn(chosen, _TRUE_MEDIAN, _DRAWS).values())
    screen = console()
    say(
        screen,
        heading(f"How satisfied are you, 1 to 5? The median reply, at ε = {_EPSILON}"),
        Text("One person may move the median from any answer to any other, so every output may be\n"
             "at most e^ε times as likely under one true median as under another."),
        "",
        losses_beside(names, panels), "",
        properties_beside(names, measures), "",
        *bars(names, panels["absolute"], "expected absolute error"), "",
        heading(f"The best of these: {best}"),
        *matrix(chosen.mechanism, screen), "",
        describe.facts_table(describe.promise_rows(chosen) + quantile_rows(found[best])), "",
        heading(f"Ten private answers when the true median is {_TRUE_MEDIAN}"),
        Text(f"  {draws}", style="bold"),
        Text("Each is drawn from random bits of the operating system, and each spends ε again.",
             style="dim"),
    )  # fmt: skip
