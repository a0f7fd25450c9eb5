"""§6, the sorting function: Theorem 3's regimes, with constants, beside what is achieved."""

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from discreet.exact import Epsilon
from discreet.model.neighbours import Relation
from discreet.papers.checking import at_most, statement
from discreet.papers.item import (
    Check,
    Figure,
    Outcome,
    Panel,
    PaperItem,
    PrintedTable,
    Series,
    Step,
)
from discreet.sorting import (
    LAPLACE,
    PARTITIONS,
    LargestCounts,
    largest_counts,
    least_error,
    theorem_3,
    try_methods,
)

DRAWS = 40
TOTALS = (2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 32768, 131072)
LARGEST = (1, 2, 3, 5, 8, 12, 20, 32, 50, 80, 128)
EPSILONS = ("0.005", "0.01", "0.02", "0.03", "0.05", "0.08", "0.125")
SMALL = (5, 10, 20, 40, 80, 120)


def tables(total: int, largest: int) -> dict[str, list[int]]:
    """Counts of a total: in one value, spread evenly, by Zipf's law, and in stairs."""
    shares = 1 / np.arange(1, min(total, 1000) + 1)
    zipf = np.floor(total * shares / shares.sum()).astype(int).tolist()
    zipf[0] += total - sum(zipf)
    wide = min(total, 2 * largest)
    even = [total // wide + (place < total % wide) for place in range(wide)]
    stairs = max(q for q in range(1, largest + 1) if q * (q + 1) // 2 <= total)
    height = total // (stairs * (stairs + 1) // 2)
    steps = [height * (stairs - place) for place in range(stairs)]
    steps[0] += total - sum(steps)
    return {"one value": [total], "even": even, "Zipf": zipf, "stairs": steps}


def measured_error(total: int, largest: int, epsilon: str, draws: int) -> float:
    """The largest mean total error (L₁) over the tables, noise and fit drawn as for a release."""
    released = LargestCounts.of(largest, epsilon)
    worst = 0.0
    for counts in tables(total, largest).values():
        truth = np.array(largest_counts(counts, largest))
        errors = [
            np.abs(np.array([float(entry) for entry in released.draw(counts).fitted]) - truth).sum()
            for _ in range(draws)
        ]
        worst = max(worst, float(np.mean(errors)))
    return worst


def lower_bound(total: int, largest: int, epsilon: str) -> float:
    """A bound below the minimax risk for counts of a total up to N (002 Theorem 3, constants)."""
    return least_error(total, largest, epsilon, Relation.ADD_OR_REMOVE)


def _line(total: int, largest: int, epsilon: str) -> tuple[float, ...]:
    laplace = LargestCounts.of(largest, epsilon)
    return (
        float(epsilon),
        total,
        largest,
        lower_bound(total, largest, epsilon),
        measured_error(total, largest, epsilon, DRAWS),
        laplace.expected_noise,
    )


def _sorting(step: Step) -> Outcome:
    sweeps: dict[str, list[tuple[float, ...]]] = {"N": [], "r": [], "ε": []}
    for place, total in enumerate(TOTALS):
        step(0.3 * place / len(TOTALS), f"N = {total:,}")
        sweeps["N"].append(_line(total, 10, "0.1"))
    for place, largest in enumerate(LARGEST):
        step(0.3 + 0.4 * place / len(LARGEST), f"r = {largest}")
        sweeps["r"].append(_line(10_000, largest, "0.1"))
    for place, epsilon in enumerate(EPSILONS):
        step(0.7 + 0.2 * place / len(EPSILONS), f"ε = {epsilon}")
        sweeps["ε"].append(_line(10_000, 10, epsilon))
    step(0.9, "partitions")
    whole = _whole_lists()
    lines = [line for sweep in sweeps.values() for line in sweep]
    return Outcome(
        tables=(
            PrintedTable(
                "errors",
                ("ε", "N", "r", "lower bound", "measured", "noise r·2α/(1 − α²)"),
                tuple(lines),
                "total error (L₁) of the r largest counts: the worst of four kinds "
                f"of table, {DRAWS} draws each, Laplace noise of scale 2/ε and isotonic fit",
            ),
            whole,
        ),
        figures=(
            Figure(
                "errors",
                "The error follows Theorem 3: N while N is below 1/ε, then √(N/ε), "
                "then r/ε whatever N is.",
                _panels(sweeps),
            ),
            _whole_figure(whole),
        ),
        checks=(*_constants(), *_achieved(lines), *_printed()),
        notes=(
            "Theorem 3 states no constants; the bound here has them, by Assouad's lemma, for "
            "every ε (docs/proofs/sorting.md).",
        ),
    )


def _panels(sweeps: dict[str, list[tuple[float, ...]]]) -> tuple[Panel, ...]:
    panels = []
    titles = {"N": "r = 10, ε = 0.1", "r": "N = 10,000, ε = 0.1", "ε": "N = 10,000, r = 10"}
    for name, column in (("N", 1), ("r", 2), ("ε", 0)):
        lines = sweeps[name]
        at = tuple(float(line[column]) for line in lines)
        rates = [_rate(line) for line in lines]
        panels.append(
            Panel(
                title=titles[name],
                x_label=name,
                y_label="total error (L₁)",
                series=(
                    Series("rate of Theorem 3, without its constant", at, tuple(rates), "paper"),
                    Series("lower bound", at, tuple(line[3] for line in lines), "bound"),
                    Series("noise of scale 2/ε", at, tuple(line[5] for line in lines)),
                    Series("measured, after the fit", at, tuple(line[4] for line in lines), "ours"),
                ),
                log_x=True,
                log_y=True,
            )
        )
    return tuple(panels)


def _rate(line: Sequence[float]) -> float:
    """N, √(N/ε) or r/ε, by regime; between the first two, the smaller of both."""
    eps, total, largest = line[0], int(line[1]), int(line[2])
    for regime in theorem_3(total, largest, Epsilon.of(repr(eps))):
        if regime.holds:
            return regime.value
    return min(float(total), math.sqrt(total / eps), largest / eps)


def _constants() -> list[Check]:
    """The least of bound ÷ rate in each regime, over many N, r and ε."""
    least: dict[int, tuple[float, str]] = {}
    for epsilon in EPSILONS:
        for total in (1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 377, 987, 2584, 6765, 10**5, 10**6):
            for largest in (1, 2, 3, 5, 10, 30, 100):
                for regime in theorem_3(total, largest, epsilon):
                    share = lower_bound(total, largest, epsilon) / regime.value
                    if regime.holds and share < least.get(regime.number, (math.inf, ""))[0]:
                        where = f"N = {total:,}, r = {largest}, ε = {epsilon}"
                        least[regime.number] = share, where
    names = {1: "Ω(N)", 2: "Ω(√(N/ε))", 3: "Ω(r/ε)"}
    return [
        at_most(
            f"regime {number}: every private mechanism errs {names[number]}; bound ÷ rate, at "
            "least",
            floor,
            least[number][0],
            printed=names[number],
            note=f"least at {least[number][1]}",
        )
        for number, floor in ((1, 0.4), (2, 0.1), (3, 0.1))
    ]


def _achieved(lines: Sequence[tuple[float, ...]]) -> list[Check]:
    noise = max(
        LargestCounts.of(r, e).expected_noise * float(e) / r for r in LARGEST for e in EPSILONS
    )
    third = [
        line for line in lines if theorem_3(int(line[1]), int(line[2]), repr(line[0]))[2].holds
    ]
    apart = max(line[5] / line[3] for line in third)
    floor = max(
        line[3] / LargestCounts.of(int(line[2]), repr(line[0])).expected_error_bound
        for line in lines
    )
    rate = LargestCounts.of(10, "0.1").rate
    return [
        statement(
            "exp(ε·u/S) with u = −‖π(v) − s‖₁ is Laplace noise of parameter 2/ε",
            rate == Fraction(1, 20),
            f"rate ε/2 = {rate} at ε = 0.1, on whole numbers",
            printed="2/ε",
        ),
        at_most(
            "its error is O(r/ε): expected noise ÷ (r/ε), at most", noise, 2.0, printed="O(r/ε)"
        ),
        at_most(
            "for large N it matches the lower bound: noise ÷ bound in regime 3, at most",
            apart,
            10.0,
            printed="matches",
            note=f"up to this constant, over {len(third)} cases here",
        ),
        at_most(
            "the lower bound lies below what is proved of ours: largest ratio",
            floor,
            1.0,
        ),
    ]


def _printed() -> list[Check]:
    total, largest, epsilon = 10**6, 1, "0.1"
    ours = LargestCounts.of(largest, epsilon).expected_error_bound
    rate = math.sqrt(total / float(epsilon))
    return [
        statement(
            "regime 2 as printed, N ≥ 1/(2ε) without an upper end: R* = Ω(√(N/ε))",
            ours > 0.01 * rate,
            f"N = 10⁶, r = 1, ε = 0.1: √(N/ε) = {rate:,.0f}, but Laplace noise errs by "
            f"{ours:.1f} at most",
            printed="Ω(√(N/ε))",
            note="a slip: the regime must end where the third begins, at r(r + 1)/(4ε) + r; "
            "for a fixed r it would contradict the O(r/ε) of the same section",
        ),
    ]


def _whole_lists() -> PrintedTable:
    lines = []
    for total in SMALL:
        errors = {
            one.method: one for one in try_methods(LargestCounts.of(total, "0.1"), total, trials=40)
        }
        lines.append(
            (
                total,
                lower_bound(total, total, "0.1"),
                errors[LAPLACE].error,
                errors[LAPLACE].standard_error,
                errors[PARTITIONS].error,
                errors[PARTITIONS].standard_error,
                math.sqrt(total / 0.1),
            )
        )
    return PrintedTable(
        "whole-lists",
        (
            "N = r",
            "lower bound",
            "Laplace and fit",
            "± one deviation",
            "partitions",
            "± one deviation there",
            "√(N/ε)",
        ),
        tuple(lines),
        "all counts released (r = N), ε = 0.1: mean error, random sorted lists",
    )


def _whole_figure(whole: PrintedTable) -> Figure:
    columns = [
        tuple(float(cell or 0) for cell in column) for column in zip(*whole.rows, strict=True)
    ]
    panel = Panel(
        title="r = N, ε = 0.1",
        x_label="N",
        y_label="total error (L₁)",
        series=(
            Series("√(N/ε)", columns[0], columns[6], "paper"),
            Series("lower bound", columns[0], columns[1], "bound"),
            Series("Laplace and fit", columns[0], columns[2], "ours"),
            Series("exponential mechanism over partitions", columns[0], columns[4], "ours"),
        ),
        log_x=True,
        log_y=True,
    )
    return Figure(
        "whole-lists",
        "Where all counts are released, the exponential mechanism over partitions errs less than "
        "noise "
        "with a fit.",
        (panel,),
    )


ITEMS: tuple[PaperItem, ...] = (
    PaperItem(
        id="002/sorting",
        title="The sorting function: error against n, r and ε",
        paper="002",
        claim="Every private release of the r largest counts errs Ω(N), Ω(√(N/ε)) or Ω(r/ε), by "
        "regime; "
        "the exponential mechanism errs O(r/ε), which is optimal for large N.",
        run=_sorting,
        seconds=2,
    ),
)
