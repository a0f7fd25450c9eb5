"""Proposition 7, Examples 5 and 6, Remark 1: the exponential mechanism and the auction."""

import math
from fractions import Fraction

import numpy as np

from discreet.certifier import certify, tight_epsilon
from discreet.exact import RationalLike
from discreet.mechanisms import (
    ExponentialMechanism,
    LaplaceMechanism,
    databases,
    exponential,
    geometric,
)
from discreet.mechanisms.families.laplace import truncated_geometric
from discreet.model import AllPairs, Grid, Labels, Mechanism, Within
from discreet.papers.checking import as_often, at_most, equal, printed_number, statement
from discreet.papers.item import Figure, Outcome, Panel, PaperItem, PrintedTable, Series, Step

PRICES = ("1", "1.01", "3", "3.01")
BIDS = ("1", "1", "3")
NOISY_AUCTIONS = 20_000
EPSILONS = ("0.1", "0.5", "1", "2", "5", "20")


def revenue(price: RationalLike, bids: tuple[str, ...]) -> Fraction:
    """Everyone who bid at least the price buys at it (001 Example 5).

    >>> [str(revenue(price, BIDS)) for price in PRICES]
    ['3', '101/100', '3', '0']
    """
    return Fraction(price) * sum(Fraction(bid) >= Fraction(price) for bid in bids)


def auction(epsilon: str) -> Mechanism:
    """The exponential mechanism over the four prices, for every table of three bids 0..4."""
    space, neighbours = databases(Grid.between(0, 4), 3)
    return exponential(
        space,
        neighbours,
        epsilon,
        outputs=Labels(PRICES),
        scores=lambda price, bids: revenue(price, tuple(bids.split(","))),
    )


def _proposition_7(step: Step) -> Outcome:
    lines = []
    for epsilon in EPSILONS:
        cases = {
            "auction, bids 0..4": auction(epsilon),
            "rating 1..5, u = −|f − y|": exponential(Grid.between(1, 5), AllPairs(), epsilon),
            "count of 30, u = −|f − y|": exponential(Grid.between(0, 30), Within(1), epsilon),
            "count of 30, at least half?": exponential(
                Grid.between(0, 30),
                Within(1),
                epsilon,
                outputs=Labels(("no", "yes")),
                scores=lambda says, c: (c - 15) * (1 if says == "yes" else -1),
            ),
        }
        for name, mechanism in cases.items():
            certify(mechanism, epsilon)
            lines.append((name, float(epsilon), float(tight_epsilon(mechanism))))
    near = max(lines, key=lambda line: line[2] / line[1])
    return Outcome(
        tables=(
            PrintedTable(
                "exponential",
                ("utility", "ε", "the matrix needs"),
                tuple(lines),
                "weights ∝ exp(ε·u/(2Δu)), as exact integers",
            ),
        ),
        checks=(
            at_most(
                f"weights ∝ exp(ε·u/(2Δu)) are ε-private: {len(lines)} matrices certified",
                near[2] / near[1],
                1.0,
                printed="ε",
                note=f"nearest: {near[0]}, ε = {near[1]}",
            ),
            equal(
                "the 2 is needed for some utilities: all of ε is used",
                near[2] / near[1],
                1.0,
                within=1e-6,
            ),
        ),
    )


TINY = LaplaceMechanism.of("0.01", 1, "0.00001", on_grid=True)
"""Noise of scale 0.01, on a grid a thousandth as fine."""


def chance_to_lose() -> float:
    """With bids 1 + a, 1 + b, 3 + c the utility is lost when c > 0, or both a > 0 and b > 0.

    >>> round(chance_to_lose(), 3)
    0.625
    """
    upward = (1 - math.tanh(float(TINY.rate()) / 2)) / 2
    return 1 - (1 - upward) * (1 - upward**2)


def noisy_bids_lose(auctions: int) -> int:
    """How often the best price for bids with a tiny noise earns less than half of what it could."""
    moved = TINY.draw_many([0] * (3 * auctions))
    worse = 0
    for first in range(0, 3 * auctions, 3):
        noisy = [Fraction(bid) + moved[first + i] for i, bid in enumerate(BIDS)]
        best = max(noisy, key=lambda price: price * sum(bid >= price for bid in noisy))
        worse += 2 * revenue(best, BIDS) < 3
    return worse


def _example_5(step: Step) -> Outcome:
    earned = {price: float(revenue(price, BIDS)) for price in PRICES}
    step(0.1, "auctions with noisy bids")
    worse = noisy_bids_lose(NOISY_AUCTIONS)
    return Outcome(
        tables=(
            PrintedTable("revenue", ("price", "revenue"), tuple(earned.items()), "bids 1, 1 and 3"),
        ),
        checks=(
            printed_number("the revenue at price 1", "3", earned["1"]),
            printed_number("at price 3", "3", earned["3"]),
            printed_number("at price 1.01", "1.01", earned["1.01"]),
            printed_number("at price 3.01", "0", earned["3.01"]),
            as_often(
                "a tiny noise on the bids destroys the utility: 5 times out of 8 the best price "
                "for "
                "noisy bids earns a third, or nothing",
                worse,
                NOISY_AUCTIONS,
                chance_to_lose(),
                note="However small the noise is.",
            ),
        ),
        notes=(
            "“All the bidders who proposed higher price” must mean at least the price: "
            "otherwise the revenue at 1 would be 1, and 0 at 3.",
        ),
    )


def _large_auction(epsilon: str) -> tuple[np.ndarray, np.ndarray]:
    """Chances and revenues of 16 prices for eighty bids of 1 and forty of 3; bids reach 4."""
    prices = [Fraction(k, 4) for k in range(1, 17)]
    earned = [revenue(price, ("1",) * 80 + ("3",) * 40) for price in prices]
    table = exponential(
        Labels(("bids",)),
        AllPairs(),
        epsilon,
        outputs=Labels(tuple(map(str, prices))),
        scores=[[score] for score in earned],
        sensitivity=4,
    )
    return table.probabilities()[:, 0], np.array([float(score) for score in earned])


def _example_6(step: Step) -> Outcome:
    lines, checks = [], []
    worst, tables = 0.0, databases(Grid.between(0, 4), 3)[0]
    for epsilon in EPSILONS:
        mechanism = auction(epsilon)
        width = 2 * 3.01 / float(epsilon)
        for bids, column in zip(tables.names, mechanism.probabilities().T, strict=True):
            scores = np.array([float(revenue(p, tuple(bids.split(",")))) for p in PRICES])
            for t in (0.0, 0.5, 1.0, 2.0, 3.0):
                lost = column[scores <= scores.max() - width * (t + math.log(4))].sum()
                worst = max(worst, float(lost) / math.exp(-t))
    checks.append(
        at_most(
            "Pr[u ≤ max u − (2Δu/ε)(t + log|Y|)] ≤ e^−t for all tables of three bids, all ε "
            "and t here",
            worst,
            1.0,
            printed="exp(−t)",
        )
    )
    panels = []
    for epsilon in ("0.5", "1", "2"):
        chances, scores = _large_auction(epsilon)
        best, width = scores.max(), 8 / float(epsilon)
        at = tuple(np.linspace(0, best, 61).tolist())
        exact = tuple(float(chances[scores <= c].sum()) for c in at)
        first = tuple(
            min(1.0, float((scores <= c).sum()) * math.exp((c - best) / width)) for c in at
        )
        second = tuple(min(1.0, 16 * math.exp((c - best) / width)) for c in at)
        checks.append(
            at_most(
                f"120 bids, ε = {epsilon}: probability over bound, at most",
                max(e / b for e, b in zip(exact, first, strict=True)),
                1.0,
                printed="|{u ≤ c}|·exp(ε(c − max u)/(2Δu))",
            )
        )
        bound = ExponentialMechanism.of(4, epsilon).accuracy("0.95", 16)
        lines.append(
            (
                float(epsilon),
                float(chances @ scores),
                float(best),
                bound,
                float(best - np.min(scores[_within(chances, scores)])),
            )
        )
        panels.append(
            Panel(
                title=f"ε = {epsilon}",
                x_label="c",
                y_label="probability of a revenue of at most c",
                series=(
                    Series("|Y|·exp(ε(c − max u)/(2Δu))", at, second, "bound"),
                    Series("|{u ≤ c}|·exp(…), as printed", at, first, "paper"),
                    Series("exact", at, exact, "ours"),
                ),
            )
        )
    return Outcome(
        tables=(
            PrintedTable(
                "large-auction",
                ("ε", "mean revenue", "best revenue", "95 % bound on the loss", "95 % exact"),
                tuple(lines),
                "eighty bids of 1 and forty of 3, prices 0.25, 0.5, …, 4, Δu = 4",
            ),
        ),
        figures=(
            Figure(
                "example-6",
                "The exponential mechanism earns near the best revenue, and more "
                "surely than the printed bound says.",
                tuple(panels),
            ),
        ),
        checks=tuple(checks),
    )


def _within(chances: np.ndarray, scores: np.ndarray) -> np.ndarray:
    """The outputs of highest revenue that together have a chance of 95 %."""
    order = np.argsort(-scores, kind="stable")
    enough = int(np.searchsorted(np.cumsum(chances[order]), 0.95)) + 1
    return np.asarray(order[:enough])


def _remark_1(step: Step) -> Outcome:
    answers = Grid.between(0, 6)
    lines = []
    for epsilon, moves in (("0.5", 1), ("1", 1), ("1", 3), ("2", 2)):
        reach = math.ceil(25 * 2 * moves / float(epsilon))
        wide = Grid.between(-reach, 6 + reach)
        by_score = exponential(answers, Within(moves), epsilon, outputs=wide)
        doubled = truncated_geometric(len(wide), reach, len(answers), float(epsilon) / (2 * moves))
        apart = float(np.abs(by_score.probabilities()[1:-1] - doubled[1:-1]).max())
        used = float(tight_epsilon(by_score))
        noise = float(tight_epsilon(geometric(answers, Within(moves), epsilon, outputs=wide)))
        lines.append((float(epsilon), moves, 2 * moves / float(epsilon), apart, used, noise))
    widths = [_utility_sensitivity(moves) for moves in (1, 2, 3)]
    return Outcome(
        tables=(
            PrintedTable(
                "remark-1",
                (
                    "ε",
                    "Δ_f",
                    "scale 2Δ/ε",
                    "largest difference of probabilities",
                    "exponential uses",
                    "noise of scale Δ/ε uses",
                ),
                tuple(lines),
                "u = −|f − y| on whole numbers, seven answers, outputs far beyond them",
            ),
        ),
        checks=(
            statement(
                "Δ_u = Δ_f", widths == [1, 2, 3], f"{widths} for Δ_f = 1, 2, 3", printed="Δ_u = Δ_f"
            ),
            at_most(
                "the exponential mechanism is Laplace noise of scale 2Δ_u/ε: probabilities differ "
                "by at most",
                max(line[3] for line in lines),
                1e-9,
                printed="2Δ_u/ε",
            ),
            equal(
                "so it uses half of ε only",
                max(line[4] / line[0] for line in lines),
                0.5,
                within=1e-6,
                printed="a factor of 2",
            ),
            equal(
                "where noise of scale Δ_f/ε uses all of it",
                min(line[5] / line[0] for line in lines),
                1.0,
                within=1e-6,
            ),
        ),
    )


def _utility_sensitivity(moves: int) -> int:
    """sup |u(D, y) − u(D', y)| for u = −|f − y| where f moves by so much (001 Def. 3)."""
    f, y = np.arange(12), np.arange(-20, 32)
    utility = -np.abs(f[:, None] - y[None, :])
    return max(int(np.abs(utility[step:] - utility[:-step]).max()) for step in range(1, moves + 1))


ITEMS: tuple[PaperItem, ...] = (
    PaperItem(
        id="001/example-5",
        title="Auction pricing",
        paper="001",
        claim="With bids 1, 1 and 3 the prices 1 and 3 earn 3, but 1.01 earns 1.01 and 3.01 "
        "nothing; "
        "noise on the bids would destroy the utility.",
        run=_example_5,
        seconds=2,
    ),
    PaperItem(
        id="001/proposition-7",
        title="The exponential mechanism",
        paper="001",
        claim="Choosing y with probability ∝ exp(ε·u(D, y)/(2Δ_u)) is ε-private.",
        run=_proposition_7,
        seconds=1,
    ),
    PaperItem(
        id="001/example-6",
        title="Auction pricing continued",
        paper="001",
        claim="The exponential mechanism loses more than (2Δ_u/ε)(t + log|Y|) of the best utility "
        "with "
        "probability e^−t at most.",
        run=_example_6,
        seconds=1,
    ),
    PaperItem(
        id="001/remark-1",
        title="Laplace noise as an exponential mechanism",
        paper="001",
        claim="With u = −‖f − y‖₁ the exponential mechanism is the Laplace mechanism with scale "
        "2Δ_u/ε instead of Δ_f/ε.",
        run=_remark_1,
        seconds=1,
    ),
)
