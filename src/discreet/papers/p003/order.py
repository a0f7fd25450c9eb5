"""Definitions 5 to 8, Theorem 3, Corollary 1, and the axiom of sufficiency of §3.1, decided."""

from itertools import permutations

import numpy as np

from discreet.designer import design
from discreet.designer.queries import count
from discreet.designer.sufficiency import simulation, smaller
from discreet.mechanisms import build
from discreet.model import Loss, Mechanism
from discreet.papers.checking import statement
from discreet.papers.item import Outcome, PaperItem, PrintedTable, Step

NAMES = ("geometric", "laplace", "staircase", "randomized-response", "uniform")
BEST = "the optimum"
EPSILON = "1"
RECORDS = 6


def _mechanisms() -> dict[str, Mechanism]:
    asked = count(RECORDS)
    others: dict[str, Mechanism] = {
        name: build(name, asked.answers, asked.neighbours, EPSILON) for name in NAMES
    }
    best = design(asked.answers, asked.neighbours, EPSILON, cache=None)
    return {BEST: best.mechanism, **others}


def _costs(mechanism: Mechanism, steps: tuple[int, ...]) -> np.ndarray:
    """The expected loss of every answer, for the loss that grows by these steps."""
    heights = np.concatenate([[0], np.cumsum(steps)]).tolist()
    grows = Loss.of(lambda output, answer: heights[int(abs(output - answer))])
    losses = grows.matrix(mechanism.outputs, mechanism.answers)
    return np.asarray((mechanism.probabilities() * losses).sum(axis=0))


def _run(step: Step) -> Outcome:
    made = _mechanisms()
    losses = {
        "absolute": (1,) * RECORDS,
        "squared": tuple(2 * k + 1 for k in range(RECORDS)),
        "zero-one": (1,) + (0,) * (RECORDS - 1),
        "beyond 2": (0, 0, 1) + (0,) * (RECORDS - 3),
        "constant": (0,) * RECORDS,
    }
    lines, ordered, kept = [], 0, True
    for place, (one, other) in enumerate(permutations(made, 2)):
        step(place / 30, f"{one} and {other}")
        nearer = smaller(made[one], made[other])
        can = simulation(made[one], made[other])
        lines.append(
            (
                one,
                other,
                "yes" if nearer else "no",
                "yes" if can.simulates else "no",
                float(can.least),
                float(can.most),
                nearer.counterexample or "",
            )
        )
        if nearer:
            ordered += 1
            kept &= all(
                bool((_costs(made[one], grow) <= _costs(made[other], grow) + 1e-12).all())
                for grow in losses.values()
            )
    by_pair = {(line[0], line[1]): line for line in lines}
    never = [other for other in made if other != BEST and by_pair[other, BEST][2] == "yes"]
    flat = losses["constant"]
    same = all(np.array_equal(_costs(one, flat), _costs(made[BEST], flat)) for one in made.values())
    below = [one for one in made if one != "uniform" and by_pair[one, "uniform"][2] == "yes"]
    return Outcome(
        tables=(
            PrintedTable(
                "order",
                (
                    "one",
                    "other",
                    "nearer to the truth",
                    "simulates it",
                    "off at least",
                    "off at most",
                    "counterexample",
                ),
                tuple(lines),
                f"a count of {RECORDS}, ε = {EPSILON}: Definition 7 and §3.1 for every pair",
            ),
        ),
        checks=(
            statement(
                "Theorem 3: what is smaller in the order of Definition 7 has no larger expected "
                "loss, for any non-decreasing loss",
                kept and ordered > 0,
                f"for {ordered} ordered pairs, {len(losses)} losses and every answer",
                printed="subsumed",
            ),
            statement(
                "Corollary 1: what minimises a non-decreasing loss is minimal in that order",
                not (same and bool(below)),
                f"under a constant loss all minimise, yet {len(below)} are below the uniform one",
                printed="optimal if it minimizes expected loss",
                note="A slip: the loss must be strictly increasing (docs/proofs/sufficiency.md).",
            ),
            statement(
                "with a strictly increasing loss it is: none of the others is below the optimum",
                not never,
                f"of {len(made) - 1} others",
            ),
            statement(
                "the axiom of sufficiency: what simulates another reveals no less",
                by_pair["geometric", "laplace"][3] == "yes"
                and by_pair["laplace", "geometric"][3] == "no",
                "geometric noise can be turned into snapped Laplace noise, and not conversely",
            ),
        ),
    )


ITEMS: tuple[PaperItem, ...] = (
    PaperItem(
        id="003/order",
        title="Which mechanism is smaller, and which can simulate which",
        paper="003",
        claim="Definitions 5 to 8 order mechanisms by how near their mass is to the truth; every "
        "non-decreasing loss respects that order, and its minimisers are minimal.",
        run=_run,
        seconds=3,
    ),
)
