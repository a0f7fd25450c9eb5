"""Was this person in the group? Homer's attack on exact and on private frequencies (001 §1.2).

Published are, for each of many places of the genome, how many people of a group carry a variant.
Whoever knows one person's genome and the frequencies of the population can tell whether that person
is among them: sum up how much the group leans the person's way, place by place.
"""

import math

import numpy as np
import numpy.typing as npt

from discreet.mechanisms import GeometricMechanism
from discreet.papers.checking import at_most, not_more_often, statement
from discreet.papers.item import Outcome, PaperItem, PrintedTable, Step
from discreet.papers.p001.reconstruction import ceiling

PEOPLE, PLACES, TRIALS = 60, 2_000, 200
TOTALS = ("0.5", "2")

Bits = npt.NDArray[np.int64]


def told_rightly(trials: int, private_at: str | None = None) -> int:
    """How often the attacker tells rightly whether a target is in the group; a coin decides that.

    Neighbouring groups differ in one person, who may differ at every place: all counts together
    cost ε.
    """
    random = np.random.default_rng()
    right = 0
    for _ in range(trials):
        common = random.uniform(0.1, 0.9, PLACES)
        people = (random.random((PEOPLE + 1, PLACES)) < common).astype(np.int64)
        inside = bool(random.integers(0, 2))
        group = people[:-1] if inside else people[1:]
        target = people[0]
        counts = group.sum(axis=0)
        if private_at is not None:
            noisy = GeometricMechanism.counting(private_at, sensitivity=PLACES)
            counts = noisy.draw_counts(counts)
        leans = float(((target - common) * (counts / PEOPLE - common)).sum())
        spread = float((common * (1 - common)).sum())
        right += (leans > spread / (2 * PEOPLE)) == inside
    return right


def _membership(step: Step) -> Outcome:
    step(0.0, "exact counts")
    exact = told_rightly(TRIALS)
    lines: list[tuple[str, int, int, float]] = [("exact", exact, TRIALS, 1.0)]
    checks = [
        at_most(
            "aggregate counts give members of a group away: how often an attacker is right, at "
            "least",
            0.9,
            exact / TRIALS,
            printed="possible to identify the contribution of an individual",
            note=f"{PEOPLE} people, {PLACES:,} places: a lean of about "
            f"√({PLACES}/{PEOPLE}) = {math.sqrt(PLACES / PEOPLE):.1f} standard deviations",
        )
    ]
    for place, total in enumerate(TOTALS, start=1):
        step(place / 3, f"ε = {total}")
        right = told_rightly(TRIALS, total)
        lines.append((f"ε = {total} for all counts", right, TRIALS, ceiling(total)))
        checks.append(
            not_more_often(
                f"with ε = {total} for all counts, no attacker is right more often than "
                "e^ε/(1 + e^ε)",
                right,
                TRIALS,
                ceiling(total),
            )
        )
    checks.append(
        statement(
            "private counts leave this attacker less than exact ones",
            all(line[1] < exact for line in lines[1:]),
            "; ".join(f"{name}: {right} of {of}" for name, right, of, _ in lines),
        )
    )
    return Outcome(
        tables=(
            PrintedTable(
                "membership",
                ("counts", "right", "trials", "no attacker is right more often"),
                tuple(lines),
                "was the target in the group? a fair coin decides, the attacker guesses",
            ),
        ),
        checks=tuple(checks),
    )


ITEMS: tuple[PaperItem, ...] = (
    PaperItem(
        id="001/attack-membership",
        title="Who is in the group? Homer's attack",
        paper="001",
        claim="It is possible to identify the contribution of an individual from aggregate counts "
        "(Homer et al. 2008, §1.2).",
        run=_membership,
        seconds=4,
    ),
)
