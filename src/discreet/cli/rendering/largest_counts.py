"""The largest counts: what to expect of them, and what is released."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from discreet.cli.parsing.counts import CountsRequest
from discreet.cli.rendering import description as describe
from discreet.cli.rendering.scores import plain_table
from discreet.model import Relation
from discreet.sorting import (
    LAPLACE,
    LargestCounts,
    SimulatedError,
    least_error,
    theorem_3,
)

if TYPE_CHECKING:
    from rich.table import Table

_LARGE = 10**12


def document(
    request: CountsRequest, method: str, trials: Sequence[SimulatedError]
) -> dict[str, Any]:
    """All of it from public facts: the total is among them only where it is public."""
    laplace, records = request.laplace, request.records
    by_noise = method == LAPLACE
    regimes = theorem_3(records, laplace.largest, laplace.epsilon) if records else ()
    return {
        "top": laplace.largest,
        "epsilon": str(laplace.epsilon),
        "neighbours": laplace.relation,
        "total": records,
        "values": laplace.values,
        "method": method,
        "sensitivity": laplace.sensitivity,
        "expected_noise": laplace.expected_noise if by_noise else None,
        "expected_error_bound": _error_bound(laplace, records) if by_noise else None,
        "likely_bound": _likely_bound(laplace, records) if by_noise else None,
        "trials": [asdict(trial) for trial in trials],
        "least_error": _least_error(laplace, records),
        "regimes": [asdict(regime) for regime in regimes],
    }


def _error_bound(laplace: LargestCounts, records: int | None) -> float:
    bound = laplace.expected_error_bound
    return bound if records is None else min(bound, 2.0 * records)


def _likely_bound(laplace: LargestCounts, records: int | None) -> int:
    bound = laplace.likely_bound()
    return bound if records is None else min(bound, records)


def _least_error(laplace: LargestCounts, records: int | None) -> float:
    if records == 0:
        return 0.0
    total = _LARGE if records is None else records
    return least_error(total, laplace.largest, laplace.epsilon, laplace.relation)


def expected(facts: dict[str, Any]) -> "Table":
    """What to expect, for people."""
    known = "private" if facts["total"] is None else f"{facts['total']:,}, public"
    rows = [
        (
            "released",
            "the largest count"
            if facts["top"] == 1
            else f"the {facts['top']:,} largest counts, 0 where there are fewer values",
        ),
        ("neighbours", f"{Relation(facts['neighbours']).words} record"),
        ("total", known),
        ("method", f"{facts['method']}, ε = {facts['epsilon']}"),
    ]
    if facts["expected_error_bound"] is not None:
        rows += [
            ("expected error", f"at most {facts['expected_error_bound']:.4g} in all (L₁)"),
            ("95% of the time", f"every count within {facts['likely_bound']:,}, before rounding"),
        ]
    rows += [
        (
            f"simulated, {trial['method']}",
            f"{trial['error']:.4g} ± {trial['standard_error']:.2g} in all, on random tables",
        )
        for trial in facts["trials"]
    ]
    large = "" if facts["total"] is not None else ", if the table is large enough"
    rows.append(("proven lower bound", f"{facts['least_error']:.4g} in all{large}"))
    rows += [
        (
            f"002 Theorem 3.{regime['number']}",
            f"grows like {regime['rate']} = {regime['value']:.4g}, as {regime['condition']}",
        )
        for regime in facts["regimes"]
        if regime["holds"]
    ]
    return describe.facts_table(rows)


def released_table(released: dict[str, Any]) -> "Table":
    """The released counts, the largest first."""
    table = plain_table("rank", "count", *(["fitted", "noisy"] if released["noisy"] else []))
    for place, count in enumerate(released["counts"]):
        more = []
        if released["noisy"]:
            more = [f"{released['fitted'][place]:.3f}", f"{released['noisy'][place]:,}"]
        table.add_row(str(place + 1), f"{count:,}", *more)
    return table
