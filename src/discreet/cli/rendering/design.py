"""What `discreet design` does once its words are understood."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from discreet.cli.parsing.design_words import Asked, Order
from discreet.cli.parsing.spaces import save as save_file
from discreet.cli.rendering import description as describe
from discreet.cli.rendering.matrix import matrix
from discreet.cli.rendering.pictures import save_heat_map
from discreet.cli.rendering.terminal import console, say, say_json
from discreet.designer import Design, Progress, design
from discreet.errors import InvalidInput
from discreet.measures import properties
from discreet.model import Mechanism
from discreet.plots import suffix_of

if TYPE_CHECKING:
    from collections.abc import Callable

SMALL = 2_500
"""Cells of a matrix that is printed in full in a JSON document."""


@dataclass(frozen=True)
class Wanted:
    """What is to become of a design."""

    save: str | None
    plot: str | None
    cache: bool


def design_and_say(query: Asked, order: Order, wanted: Wanted, *, as_json: bool) -> None:
    """Design with progress, then save, picture and print."""
    if wanted.plot is not None:
        suffix_of(wanted.plot)
    found = designed(query, order, use_cache=wanted.cache)
    mechanism = found.mechanism
    title = f"best {query.name}, {found.certified.guarantee}"
    saved = None if wanted.save is None else save_file(mechanism, wanted.save)
    plot = None
    if wanted.plot is not None:
        plot = save_heat_map(_written_out(mechanism, "a picture"), wanted.plot, title)
    if as_json:
        say_json(document(query, order, found) | {"saved": saved, "plot": plot})
        return
    rows = _rows(query, order, found)
    rows += [(kind, path) for kind, path in (("saved", saved), ("picture", plot)) if path]
    screen = console()
    say(screen, describe.facts_table(rows))
    if describe.can_be_written_out(mechanism):
        say(screen, "", *matrix(mechanism, screen))


def designed(query: Asked, order: Order, *, use_cache: bool) -> Design:
    """The design, with progress on standard error while a person waits."""
    with progress_line(f"designing {query.name}") as report:
        return design(
            query.answers,
            query.neighbours,
            order.epsilon,
            order.goal,
            order.requirements,
            outputs=order.outputs,
            delta=order.delta,
            cache="default" if use_cache else None,
            progress=report,
        )


@contextmanager
def progress_line(title: str) -> "Iterator[Callable[[Progress], None]]":
    """A spinner with the method, the stage and the gap, on a terminal only."""
    from rich.console import Console

    screen = Console(stderr=True, highlight=False)
    if not screen.is_terminal:
        yield lambda _: None
        return
    with screen.status(title) as status:

        def report(progress: Progress) -> None:
            gap = "" if progress.gap is None else f", gap {progress.gap:.1e}"
            status.update(f"{title}: {progress.method}, {progress.stage}{gap}")

        yield report


def _written_out(mechanism: Mechanism, what: str) -> Mechanism:
    if describe.can_be_written_out(mechanism):
        return mechanism
    raise InvalidInput(f"this design is too large for {what}; use a larger step")


def document(query: Asked, order: Order, found: Design) -> dict[str, Any]:
    """The design as one JSON document."""
    mechanism = found.mechanism
    small = mechanism.shape[0] * mechanism.shape[1] <= SMALL
    return {
        "statistic": query.name,
        "epsilon": str(order.epsilon),
        "delta": str(found.certified.guarantee.delta),
        "loss": order.goal.loss.name,
        "prior": describe.prior_fact(order.goal.prior),
        "worst_case": order.goal.worst_case,
        "requirements": list(order.requirements.names()),
        "answers": len(query.answers),
        "outputs": len(order.outputs),
        **found.to_dict(),
        "certified": True,
        "properties": _property_facts(mechanism),
        "matrix": mechanism.probabilities().tolist() if small else None,
    }


def _property_facts(mechanism: Mechanism) -> dict[str, bool] | None:
    if not describe.can_be_written_out(mechanism):
        return None
    return {name: bool(verdict) for name, verdict in properties(mechanism).items()}


def _rows(query: Asked, order: Order, found: Design) -> list[tuple[str, str]]:
    goal = "worst case" if order.goal.worst_case else describe.prior_line(order.goal.prior)
    rows = [
        ("question", query.name),
        ("answers", describe.space_line(query.answers)),
        ("neighbours", describe.neighbours_line(query.neighbours)),
        ("goal", f"{order.goal.loss.name} loss, {goal}"),
        ("required", ", ".join(order.requirements.names()) or "nothing more"),
        ("value", f"{found.value:.9g}"),
        ("nobody can beat", f"{found.lower_bound:.9g} (gap {found.gap:.1e})"),
    ]
    if found.expected_absolute_error is not None:
        rows.append(("expected absolute error", f"{found.expected_absolute_error:.6f}"))
    facts = _property_facts(found.mechanism)
    if facts is not None:
        rows.append(("properties", ", ".join(n for n, holds in facts.items() if holds) or "none"))
    cached = ", from the cache" if found.from_cache else ""
    return [
        *rows,
        ("method", f"{found.method} ({found.seconds:.3f} s{cached})"),
        ("certified", f"✓ {found.certified.guarantee}"),
        ("certificate", found.certified.certificate.digest),
    ]
