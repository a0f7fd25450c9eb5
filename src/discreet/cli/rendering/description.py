"""Facts of a mechanism or a design by answer, as JSON values and lines for people; files for --save
and --plot."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from discreet.certifier import Certified, TightEpsilon, tight_epsilon
from discreet.cli.parsing.families import MOST_CELLS
from discreet.cli.parsing.files import save as save_file
from discreet.designer import Design, Request
from discreet.designer.situations import losses_of
from discreet.errors import InvalidInput
from discreet.measures import properties
from discreet.model import (
    AllPairs,
    Goal,
    Mechanism,
    Neighbours,
    Prior,
    Space,
    Within,
    Yardstick,
    mechanism_to_dict,
)
from discreet.plots import heat_map, save_picture, suffix_of
from discreet.requests import DesignRequest
from discreet.text import label

if TYPE_CHECKING:
    from rich.table import Table

SMALL = 2_500
"""Cells of a matrix that is printed in full in a JSON document."""


def space_line(space: Space) -> str:
    """A space in a few words."""
    first, last = label(space.value(0)), label(space.value(len(space) - 1))
    if len(space) <= 3:
        return ", ".join(label(value) for value in space.values())
    return f"{first} … {last} ({len(space):,})"


def neighbours_line(neighbours: Neighbours) -> str:
    """A neighbouring relation in a few words."""
    if isinstance(neighbours, AllPairs):
        return "any two answers"
    if isinstance(neighbours, Within):
        return f"answers within {neighbours.steps} step{'s' if neighbours.steps > 1 else ''}"
    if not neighbours.edges:
        return "none, so every mechanism is private"
    return f"{len(neighbours.edges)} listed pair{'s' if len(neighbours.edges) > 1 else ''}"


def mechanism_facts(mechanism: Mechanism) -> dict[str, Any]:
    """Everything but the weights."""
    facts = mechanism_to_dict(mechanism)
    kept = ("name", "answers", "outputs", "neighbours", "total", "digest")
    return {key: facts[key] for key in kept}


def certificate_facts(certified: Certified) -> dict[str, Any]:
    """A certificate with its digest."""
    return {**certified.certificate.to_dict(), "digest": certified.certificate.digest}


def can_be_written_out(mechanism: Mechanism) -> bool:
    """Whether the matrix is small enough to look at every cell; the largest are kept as rays."""
    return mechanism.shape[0] * mechanism.shape[1] <= MOST_CELLS


def tight_of(mechanism: Mechanism) -> TightEpsilon | None:
    """The smallest ε the matrix keeps; None where it is too large to look at every cell."""
    return tight_epsilon(mechanism) if can_be_written_out(mechanism) else None


def tight_facts(mechanism: Mechanism, tight: TightEpsilon | None) -> dict[str, Any] | None:
    """The smallest ε the matrix keeps, and the cells that need it."""
    if tight is None:
        return None
    return {
        "value": float(tight),
        "low": None if tight.low is None else float(tight.low),
        "high": None if tight.high is None else float(tight.high),
        "witness": witness_facts(mechanism, tight),
    }


def witness_facts(mechanism: Mechanism, tight: TightEpsilon) -> dict[str, Any] | None:
    """The output and the two neighbours with the largest ratio; its ratio is null for infinity."""
    witness = tight.witness
    if witness is None:
        return None
    return {
        "output": mechanism.outputs.value(witness.output),
        "likelier_answer": mechanism.answers.value(witness.likelier),
        "rarer_answer": mechanism.answers.value(witness.rarer),
        "ratio": None if witness.ratio is None else ratio_number(witness.ratio),
    }


def ratio_number(ratio: Any) -> float:
    """A ratio as a float, infinite where it is too large for one."""
    try:
        return float(ratio)
    except OverflowError:
        return float("inf")


def witness_line(mechanism: Mechanism, tight: TightEpsilon) -> str:
    """Where the largest ratio is, in words."""
    witness = tight.witness
    if witness is None:
        return "no two answers are neighbours"
    if witness.ratio == 1:
        return "no output distinguishes neighbours"
    output = label(mechanism.outputs.value(witness.output))
    likelier, rarer = (label(mechanism.answers.value(j)) for j in (witness.likelier, witness.rarer))
    if witness.ratio is None:
        return f"output {output} is possible under {likelier} and impossible under {rarer}"
    return (
        f"output {output} is {ratio_number(witness.ratio):.6g} times as likely "
        f"under {likelier} as under {rarer}"
    )


def tight_line(tight: TightEpsilon) -> str:
    """The smallest ε, to nine digits."""
    if not tight.is_finite:
        return "none: no finite ε suffices"
    return f"{float(tight):.9g}"


def aim_line(goal: Goal) -> str:
    """What is made small, in a few words."""
    if goal.situations is not None:
        names = ", ".join(goal.situations.names)
        return f"worst {goal.situations.yardstick} over {names}"
    return "worst case" if goal.worst_case else prior_line(goal.prior)


def situation_facts(request: Request, mechanism: Mechanism) -> list[dict[str, Any]] | None:
    """How a mechanism stands in each situation of its goal."""
    situations = request.goal.situations
    if situations is None:
        return None
    losses = situations.priors(len(request.answers)) @ losses_of(request, mechanism)
    standings = situations.standings(losses)
    return [
        {
            "situation": one.name,
            "loss": float(loss),
            "reference": one.reference,
            str(situations.yardstick): float(standing),
        }
        for one, loss, standing in zip(situations.each, losses, standings, strict=True)
    ]


def situation_rows(request: Request, mechanism: Mechanism) -> list[tuple[str, str]]:
    """The same as lines for people."""
    situations = request.goal.situations
    if situations is None:
        return []
    against = "best simple" if situations.yardstick is Yardstick.RATIO else "least possible"
    return [
        (
            f"  {facts['situation']}",
            f"loss {facts['loss']:.6g}, {against} {facts['reference']:.6g}, "
            f"{situations.yardstick} {facts[str(situations.yardstick)]:.4f}",
        )
        for facts in situation_facts(request, mechanism) or ()
    ]


def prior_line(prior: Prior) -> str:
    """A prior in a few words."""
    return "uniform" if prior.weights is None else f"{len(prior.weights)} probabilities, as given"


def prior_fact(prior: Prior) -> str | list[float]:
    """A prior as a JSON value."""
    return "uniform" if prior.weights is None else list(prior.weights)


def facts_table(rows: list[tuple[str, str]]) -> "Table":
    """Names on the left, facts on the right."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    table.add_column(style="dim", overflow="fold")
    table.add_column(overflow="fold")
    for name, fact in rows:
        table.add_row(Text(name), Text(fact))
    return table


def mechanism_rows(mechanism: Mechanism) -> list[tuple[str, str]]:
    """The facts that open every report on a mechanism."""
    return [
        ("mechanism", label(mechanism.name)),
        ("answers", space_line(mechanism.answers)),
        ("outputs", space_line(mechanism.outputs)),
        ("neighbours", neighbours_line(mechanism.neighbours)),
    ]


def promise_rows(certified: Certified) -> list[tuple[str, str]]:
    """What was proved, and where it is tight."""
    tight = tight_of(certified.mechanism)
    covers = certified.certificate.covers_answers
    return [
        ("certified", f"✓ {certified.guarantee}"),
        (
            "tight ε",
            f"{tight_line(tight)}: {witness_line(certified.mechanism, tight)}"
            if tight is not None
            else "not computed: stored as rays, too large to write out",
        ),
        (
            "covers every answer",
            "yes" if covers else "no: some answers are outside every output's category",
        ),
        ("certificate", certified.certificate.digest),
    ]


@dataclass(frozen=True)
class Written:
    """Where files were written; None for those that nobody asked for."""

    saved: str | None = None
    plot: str | None = None

    def facts(self) -> dict[str, str | None]:
        """The same as JSON values."""
        return {"saved": self.saved, "plot": self.plot}

    def rows(self) -> list[tuple[str, str]]:
        """The same, fact by fact."""
        files = (("saved", self.saved), ("picture", self.plot))
        return [(kind, path) for kind, path in files if path is not None]


def written(
    mechanism: Mechanism, *, save: str | None, plot: str | None, title: str | None = None
) -> Written:
    """Save a mechanism and its heat map, as far as they are wanted."""
    saved = None if save is None else save_file(mechanism, save)
    return Written(saved, None if plot is None else save_heat_map(mechanism, plot, title))


def save_heat_map(mechanism: Mechanism, path: str, title: str | None = None) -> str:
    """Save the matrix as a heat map; the path, for the reply."""
    suffix_of(path)
    if not can_be_written_out(mechanism):
        raise InvalidInput("this mechanism is too large for a picture; use a larger step")
    return str(save_picture(heat_map(mechanism, title=title), path))


@dataclass(frozen=True, kw_only=True)
class ShownDesign:
    """What is told of a design."""

    certified: Certified
    document: dict[str, Any]
    rows: list[tuple[str, str]]
    prints_matrix: bool


def shown_design(request: DesignRequest, design: Design) -> ShownDesign:
    """A design by answer."""
    return ShownDesign(
        certified=design.certified,
        document=_design_document(request, design),
        rows=_design_rows(request, design),
        prints_matrix=can_be_written_out(design.mechanism),
    )


def _design_document(request: DesignRequest, design: Design) -> dict[str, Any]:
    mechanism, wanted = design.mechanism, request.wanted
    small = mechanism.shape[0] * mechanism.shape[1] <= SMALL
    return {
        "statistic": request.title,
        "epsilon": str(wanted.epsilon),
        "delta": str(design.certified.guarantee.delta),
        "loss": wanted.goal.loss.name,
        "prior": prior_fact(wanted.goal.prior),
        "worst_case": wanted.goal.worst_case,
        "situations": situation_facts(design.request, design.mechanism),
        "requirements": list(wanted.requirements.names()),
        "answers": len(wanted.answers),
        "outputs": len(wanted.outputs),
        **design.to_dict(),
        "certified": True,
        "properties": _property_facts(mechanism),
        "matrix": mechanism.probabilities().tolist() if small else None,
    }


def _design_rows(request: DesignRequest, design: Design) -> list[tuple[str, str]]:
    wanted = request.wanted
    aim = aim_line(wanted.goal)
    rows = [
        ("question", request.title),
        ("answers", space_line(wanted.answers)),
        ("neighbours", neighbours_line(wanted.neighbours)),
        ("goal", f"{wanted.goal.loss.name} loss, {aim}"),
        ("required", ", ".join(wanted.requirements.names()) or "nothing more"),
        ("value", f"{design.value:.9g}"),
        ("proven lower bound", f"{design.lower_bound:.9g} (gap {design.gap:.1e})"),
        *situation_rows(design.request, design.mechanism),
    ]
    if design.expected_absolute_error is not None:
        rows.append(("expected absolute error", f"{design.expected_absolute_error:.6f}"))
    facts = _property_facts(design.mechanism)
    if facts is not None:
        rows.append(("properties", ", ".join(n for n, holds in facts.items() if holds) or "none"))
    cached = ", from the cache" if design.from_cache else ""
    return [
        *rows,
        ("method", f"{design.method} ({design.seconds:.3f} s{cached})"),
        ("certified", f"✓ {design.certified.guarantee}"),
        ("certificate", design.certified.certificate.digest),
    ]


def _property_facts(mechanism: Mechanism) -> dict[str, bool] | None:
    if not can_be_written_out(mechanism):
        return None
    return {name: bool(verdict) for name, verdict in properties(mechanism).items()}
