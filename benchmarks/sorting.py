"""`python -m benchmarks.sorting`: the largest counts of Zipf tables, the total error by method.

noise: discrete Laplace of scale 2/ε on each count, as it comes. + sorted: the nearest sorted list
without negative counts. + total: of the public total as well. partitions: a draw among all sorted
lists of the total. Means of 30 releases, drawn exactly. least: what nobody can beat (Theorem 3 of
paper 002 with constants); most: the bound that is told before a release.
"""

import time

import numpy as np
from rich.console import Console
from rich.table import Table

from discreet.model.neighbours import Relation
from discreet.sorting import (
    LargestCounts,
    PartitionMechanism,
    largest_counts,
    least_error,
    sorted_counts_fit,
    theorem_3,
)
from discreet.sorting.partitions import MOST_RECORDS

RELEASES = 30
CASES = (
    (60, 5, 5, "0.1"),
    (60, 5, 5, "1"),
    (100, 100, 100, "0.1"),
    (100, 100, 100, "1"),
    (100, 100, 10, "1"),
    (400, 40, 40, "0.1"),
    (400, 40, 10, "1"),
    (10_000, 1_000, 10, "0.1"),
    (10_000, 1_000, 1_000, "0.1"),
    (100_000, 5_000, 5_000, "1"),
)
"""How many records, over how many values, how many counts are told, ε."""


def zipf(records: int, values: int) -> list[int]:
    """Counts in proportion to 1, 1/2, 1/3, …, with the given sum."""
    shares = 1 / np.arange(1, values + 1)
    counts = np.floor(shares / shares.sum() * records).astype(int)
    counts[: records - int(counts.sum())] += 1
    return [int(count) for count in counts]


def errors_of(counts: list[int], top: int, epsilon: str) -> dict[str, float | None]:
    """The mean total error of each method."""
    records, values = sum(counts), len(counts)
    mechanism = LargestCounts.of(top, epsilon, values=values)
    truth = np.array(largest_counts(counts, top))

    def mean_error(lists: list[list[float]]) -> float:
        return float(np.abs(np.array(lists) - truth).sum(axis=1).mean())

    drawn = [mechanism.draw(counts) for _ in range(RELEASES)]
    partitions = None
    if records <= MOST_RECORDS:
        lists = PartitionMechanism.of(records, epsilon, values)
        padded = [[*lists.draw(counts), *[0] * top][:top] for _ in range(RELEASES)]
        partitions = mean_error([[float(count) for count in each] for each in padded])
    plain = [[float(x) for x in sorted_counts_fit(release.noisy)] for release in drawn]
    return {
        "noise": mean_error([[float(x) for x in release.noisy] for release in drawn]),
        "+ sorted": mean_error(plain),
        "+ total": mean_error([[float(x) for x in release.fitted] for release in drawn]),
        "partitions": partitions,
        "least": least_error(records, top, epsilon, Relation.CHANGE),
        "most": min(mechanism.expected_error_bound, 2.0 * records),
    }


def main() -> None:
    """Print the table."""
    started = time.perf_counter()
    table = Table(title="total error of the r largest counts (Zipf)", header_style="dim")
    names = ("noise", "+ sorted", "+ total", "partitions", "least", "most")
    for name in ("n", "T", "r", "ε", *names, "Theorem 3"):
        table.add_column(name, justify="right", no_wrap=True)
    for records, values, top, epsilon in CASES:
        found = errors_of(zipf(records, values), top, epsilon)
        regimes = [f"Ω({regime.rate}) = Ω({regime.value:.4g})"
                   for regime in theorem_3(records, top, epsilon) if regime.holds]  # fmt: skip
        cells = ["" if found[name] is None else f"{found[name]:.1f}" for name in names]
        table.add_row(f"{records:,}", f"{values:,}", f"{top:,}", epsilon, *cells,
                      ", ".join(regimes) or "ε > 1/8")  # fmt: skip
    Console(width=140).print(table)
    print(f"{time.perf_counter() - started:.1f} s")


if __name__ == "__main__":
    main()
