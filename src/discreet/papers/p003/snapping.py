"""Theorems 1 and 2: what boundary-snapping keeps and what it loses (§3.3), decided in integers."""

from collections.abc import Iterable
from itertools import product

from discreet.certifier import certify
from discreet.designer import Query, count, mean, median
from discreet.errors import NotCertified
from discreet.measures import Properties, properties
from discreet.mechanisms import build
from discreet.model import Mechanism, Requirement
from discreet.papers.item import Check, Outcome, PaperItem, PrintedTable, Step

FAMILIES = ("laplace", "staircase", "geometric")
QUERIES = (median(1, 5), median(0, 9), count(5), count(20), mean(5, 0, 4), mean(10, 0, 4))
EPSILONS = ("0.1", "0.5", "1", "2")
KEPT = (Requirement.ROW_MONOTONE, Requirement.SYMMETRIC)
LOST = (Requirement.COLUMN_MONOTONE, Requirement.FAIR)


def run(step: Step) -> Outcome:
    """Snap three mechanisms to six ranges at four ε, certify each and look at its properties."""
    matrices: list[tuple[str, Query, str, bool, Properties]] = []
    cases = list(product(FAMILIES, QUERIES, EPSILONS))
    for place, (family, query, epsilon) in enumerate(cases):
        step(place / len(cases), f"{family}, {query.name}, ε = {epsilon}")
        mechanism = build(family, query.answers, query.neighbours, epsilon)
        matrices.append(
            (family, query, epsilon, _is_private(mechanism, epsilon), properties(mechanism))
        )
    certified = sum(private for *_, private, _ in matrices)
    rows = tuple(
        (
            family,
            f"{query.name}, {len(query.answers)} answers",
            epsilon,
            _word(private),
            *(_word(dict(known.items())[name].holds) for name in (*KEPT, *LOST)),
        )
        for family, query, epsilon, private, known in matrices
    )
    return Outcome(
        tables=(
            PrintedTable(
                "snapping",
                ("mechanism", "question", "ε", "certified", *KEPT, *LOST),
                rows,
                "Snapped mechanisms and their properties, decided in integers.",
            ),
        ),
        checks=(
            Check(
                claim="Theorem 1: snapping satisfies the requirements of a private, range-adherent "
                "mechanism",
                printed=None,
                ours=f"{certified} of {len(matrices)} certified in exact integers",
                difference=None,
                holds=certified == len(matrices),
            ),
            *(_kept(name, [known for *_, known in matrices]) for name in KEPT),
            *(_lost(name, [known for *_, known in matrices]) for name in LOST),
        ),
    )


def _is_private(mechanism: Mechanism, epsilon: str) -> bool:
    try:
        certify(mechanism, epsilon)
    except NotCertified:
        return False
    return True


def _count(name: str, all_known: Iterable[Properties]) -> tuple[int, int]:
    verdicts = [dict(known.items())[name].holds for known in all_known]
    return sum(verdicts), len(verdicts)


def _kept(name: str, all_known: Iterable[Properties]) -> Check:
    kept, total = _count(name, all_known)
    return Check(
        claim=f"Theorem 2: snapping a symmetric, monotonic density preserves the property {name}",
        printed=None,
        ours=f"{kept} of {total}",
        difference=None,
        holds=kept == total,
    )


def _lost(name: str, all_known: Iterable[Properties]) -> Check:
    kept, total = _count(name, all_known)
    return Check(
        claim=f"the property {name} is not guaranteed to be preserved",
        printed=None,
        ours=f"lost in {total - kept} of {total}",
        difference=None,
        holds=kept < total,
    )


def _word(holds: bool) -> str:
    return "yes" if holds else "no"


ITEMS = (
    PaperItem(
        id="003/theorems-1-2",
        title="Boundary-snapping: what it keeps and what it loses",
        paper="003",
        claim="Snapping stays private, row-monotone and symmetric; not column-monotone, not fair.",
        run=run,
        seconds=3,
    ),
)
