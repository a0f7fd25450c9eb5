"""What `discreet sorted` does once its words are understood."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from discreet.cli.parsing.counts import counts_in, listed_counts, whole_of
from discreet.cli.rendering import description as describe
from discreet.cli.rendering.scores import plain_table
from discreet.cli.rendering.terminal import console, say, say_json
from discreet.errors import InvalidInput
from discreet.exact import Epsilon, show
from discreet.model import ONE_RECORD, Relation
from discreet.sorting import (
    LAPLACE,
    PARTITIONS,
    LargestCounts,
    PartitionMechanism,
    Trial,
    least_error,
    theorem_3,
    try_methods,
)

if TYPE_CHECKING:
    from rich.table import Table

_METHODS = ("auto", LAPLACE, PARTITIONS)
_LARGE = 10**12


@dataclass(frozen=True)
class Asked:
    """The counts, and how they are to be released."""

    counts: Sequence[int]
    laplace: LargestCounts
    method: str

    @property
    def records(self) -> int | None:
        """The total, where it is public."""
        return sum(self.counts) if self.laplace.public_total else None

    def partitions(self) -> PartitionMechanism:
        """The other method; InvalidInput where the total does not allow it."""
        laplace = self.laplace
        return PartitionMechanism.of(self.records or 0, laplace.epsilon, laplace.values)


def asked_of(
    file: str | None,
    counts: str | None,
    *,
    top: str | None,
    neighbours: str,
    values: str | None,
    method: str,
    epsilon: Epsilon,
) -> Asked:
    """Read every word; InvalidInput names the one that cannot be used."""
    if (file is None) == (counts is None):
        raise InvalidInput("say the counts one way: a FILE, or --counts 40,30,7")
    if top is None:
        raise InvalidInput("say how many counts to tell, for example --top 3")
    relation = Relation.of(neighbours, ONE_RECORD)
    word = method.strip().lower()
    if word not in _METHODS:
        raise InvalidInput(f"--method is {', '.join(_METHODS)}, got {show(method)}")
    if word == PARTITIONS and relation != Relation.CHANGE:
        raise InvalidInput(
            "partitions need a public sum: use --neighbours change or --method laplace"
        )
    told = None if values is None else whole_of(values, "--values")
    laplace = LargestCounts.of(whole_of(top, "--top"), epsilon, relation, told)
    given = counts_in(file) if file is not None else listed_counts(counts or "")
    asked = Asked(given, laplace, word)
    if word == PARTITIONS:
        asked.partitions()
    return asked


def release_and_say(asked: Asked, *, dry_run: bool, as_json: bool) -> None:
    """Say what to expect, then release."""
    trials = _trials(asked)
    method = trials[0].method if asked.method == "auto" and trials else asked.method
    method = LAPLACE if method == "auto" else method
    facts = _facts(asked, method, trials)
    screen = console()
    if not as_json:
        say(screen, describe.facts_table(_rows(facts)))
    released = None if dry_run else _released(asked, method)
    if as_json:
        say_json(facts | {"released": released})
    elif released is not None:
        say(screen, "", _table(released))


def _trials(asked: Asked) -> tuple[Trial, ...]:
    if asked.records is None or asked.method == LAPLACE:
        return ()
    return try_methods(asked.laplace, asked.records)


def _released(asked: Asked, method: str) -> dict[str, Any]:
    largest = asked.laplace.largest
    if method == LAPLACE:
        found = asked.laplace.draw(asked.counts)
        return {
            "noisy": list(found.noisy),
            "fitted": [float(entry) for entry in found.fitted],
            "counts": list(found.whole),
        }
    counts = [*asked.partitions().draw(asked.counts), *[0] * largest][:largest]
    return {"noisy": None, "fitted": None, "counts": counts}


def _facts(asked: Asked, method: str, trials: Sequence[Trial]) -> dict[str, Any]:
    """All of it from public facts: the total is among them only where it is public."""
    laplace, records = asked.laplace, asked.records
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


def _rows(facts: dict[str, Any]) -> list[tuple[str, str]]:
    known = "private" if facts["total"] is None else f"{facts['total']:,}, public"
    rows = [
        (
            "told",
            "the largest count" if facts["top"] == 1 else f"the {facts['top']:,} largest counts",
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
        (f"002 Theorem 3.{regime['number']}",
         f"grows like {regime['rate']} = {regime['value']:.4g}, as {regime['condition']}")
        for regime in facts["regimes"]
        if regime["holds"]
    ]  # fmt: skip
    return rows


def _table(released: dict[str, Any]) -> "Table":
    table = plain_table("rank", "count", *(["fitted", "noisy"] if released["noisy"] else []))
    for place, count in enumerate(released["counts"]):
        more = []
        if released["noisy"]:
            more = [f"{released['fitted'][place]:.3f}", f"{released['noisy'][place]:,}"]
        table.add_row(str(place + 1), f"{count:,}", *more)
    return table
