"""`discreet demo`: a Likert question from beginning to end."""

from typing import TYPE_CHECKING

from discreet.cli import options
from discreet.cli.app import app

if TYPE_CHECKING:
    from discreet.certify import Certified
    from discreet.design import Design
    from discreet.measures import Measures

_EPSILON = "1"
_TRUE_MEDIAN = "4"
_DRAWS = 10
_FAMILIES = (
    "laplace",
    "staircase",
    "normalized-laplace",
    "explicit-fair",
)
_DESIGNED, _WITH_PROPERTIES = "designed", "designed, fair"


@app.command(epilog=options.examples("discreet demo", "discreet demo --json"))
def demo(json: options.Json = False) -> None:
    """Answer a Likert question privately: design, compare, certify, measure, draw."""
    from discreet.cli import describe
    from discreet.cli.contest import contest
    from discreet.cli.drawing import drawn
    from discreet.cli.families import Setting
    from discreet.cli.terminal import say_json
    from discreet.design import design
    from discreet.exact import Epsilon
    from discreet.measures import measure
    from discreet.model import AllPairs, Grid

    likert = Grid.between(1, 5)
    setting = Setting(likert, likert, AllPairs(), Epsilon.of(_EPSILON), {})
    best = design(likert, AllPairs(), setting.epsilon, cache=None)
    proper = design(likert, AllPairs(), setting.epsilon, requirements="all", cache=None)
    certified = {
        **contest(_FAMILIES, setting).entries,
        _WITH_PROPERTIES: proper.certified,
        _DESIGNED: best.certified,
    }
    found = {name: measure(entry.mechanism) for name, entry in certified.items()}
    if not json:
        _tell(best, certified, found)
        return
    say_json({
        "question": "the median of replies from 1 to 5",
        "epsilon": _EPSILON,
        "measures": {name: entry.to_dict() for name, entry in found.items()},
        "lower_bound": best.lower_bound,
        "mechanism": describe.mechanism_facts(best.mechanism),
        "certificate": describe.certificate_facts(best.certified),
        "draws": drawn(best.certified, _TRUE_MEDIAN, _DRAWS).to_dict(),
    })  # fmt: skip


def _tell(best: "Design", certified: dict[str, "Certified"], found: dict[str, "Measures"]) -> None:
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
    optimal = (
        f"expected absolute error {best.value:.4f}; nobody's is below {best.lower_bound:.4f} "
        f"(proved, gap {best.gap:.1e})"
    )
    facts = [("optimal", optimal), *describe.promise_rows(best.certified)]
    draws = [label(value) for value in drawn(best.certified, _TRUE_MEDIAN, _DRAWS).values()]
    screen = console()
    say(
        screen,
        heading(f"How satisfied are you, 1 to 5? The median reply, at ε = {_EPSILON}"),
        Text("One person may move the median from any answer to any other, so no output may be\n"
             "more than e^ε times as likely under one true median as under another. The classic\n"
             "mechanisms keep this promise, and so do two designed for this very question, one of\n"
             "them monotone, symmetric and fair besides:"),
        "",
        *bars(names, panels["absolute"], "expected absolute error"), "",
        losses_beside(names, panels), "",
        properties_beside(names, measures), "",
        heading("The designed mechanism, in exact integers"),
        *matrix(best.mechanism, screen), "",
        describe.facts_table(facts + quantile_rows(found[_DESIGNED])), "",
        heading(f"Ten private answers when the true median is {_TRUE_MEDIAN}"),
        Text("  " + "  ".join(draws), style="bold"),
        Text("Each is drawn from random bits of the operating system, and each spends ε again.",
             style="dim"),
    )  # fmt: skip
