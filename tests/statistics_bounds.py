"""Statistical checks of samplers whose false-alarm rate is proved, not hoped for.

Every check is a union of events with known probabilities. For n independent draws the number that
fall into an event of probability p is binomial, and Chernoff's bound in its Kullback–Leibler form,

    P(X ≥ qn) ≤ exp(−n·KL(q‖p)) for q ≥ p, and the same below for q ≤ p,

holds for every n. An event alarms when this bound is under its share of `alarm`, so a right sampler
is accused with a probability of at most `alarm`, whatever its law.
"""

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction

import numpy as np
import numpy.typing as npt

ALARM = 1e-9
"""Of one check: a thousand of them together stay below 1e-6."""

Probability = float | Fraction


def tail_bound(successes: int, trials: int, probability: Probability) -> float:
    """An upper bound on the chance of so many successes, or of so few, whichever is odd."""
    p = float(probability)
    q = successes / trials
    if p <= 0 or p >= 1:
        return 1.0 if q == p else 0.0
    divergence = 0.0
    if q > 0:
        divergence += q * math.log(q / p)
    if q < 1:
        divergence += (1 - q) * math.log((1 - q) / (1 - p))
    return math.exp(-trials * max(divergence, 0.0))


def misfits(
    outcomes: npt.NDArray[np.int64] | Sequence[int],
    law: Sequence[Probability],
    alarm: float = ALARM,
) -> list[str]:
    """What is odd about outcomes 0, 1, … that should follow this law: single ones and prefixes."""
    assert abs(math.fsum(float(p) for p in law) - 1) < 1e-9, "the law must sum to 1"
    drawn = np.asarray(outcomes)
    counts = np.bincount(drawn, minlength=len(law))
    assert len(counts) == len(law), f"outcome {len(counts) - 1} is not in the law"
    events = [(f"outcome {i}", int(counts[i]), law[i]) for i in range(len(law))]
    seen = np.cumsum(counts)
    expected = np.minimum(np.cumsum([float(p) for p in law]), 1.0)
    events += [(f"outcomes 0 to {i}", int(seen[i]), expected[i]) for i in range(len(law) - 1)]
    return _alarms(events, len(drawn), alarm)


def assert_follows(
    outcomes: npt.NDArray[np.int64] | Sequence[int],
    law: Sequence[Probability],
    alarm: float = ALARM,
) -> None:
    """Outcomes 0, 1, … follow the law, and those drawn one after the other are independent."""
    assert misfits(outcomes, law, alarm / 2) == []
    assert dependencies(outcomes, law, alarm / 2) == []


def dependencies(
    outcomes: npt.NDArray[np.int64] | Sequence[int],
    law: Sequence[Probability],
    alarm: float = ALARM,
    likeliest: int = 6,
) -> list[str]:
    """What is odd about disjoint pairs of successive draws: joint outcomes of the likeliest few."""
    drawn = np.asarray(outcomes)
    trials = len(drawn) // 2
    if trials == 0:
        return []
    first, second = drawn[: 2 * trials : 2], drawn[1 : 2 * trials : 2]
    chosen = sorted(range(len(law)), key=lambda i: -float(law[i]))[:likeliest]
    events = [
        (f"outcomes {i} and {j}", int(((first == i) & (second == j)).sum()),
         float(law[i]) * float(law[j]))
        for i in chosen
        for j in chosen
    ]  # fmt: skip
    events.append(("equal outcomes", int((first == second).sum()),
                   math.fsum(float(p) ** 2 for p in law)))  # fmt: skip
    return _alarms(events, trials, alarm)


def folded(values: Iterable[int], reach: int) -> npt.NDArray[np.int64]:
    """Integers as outcomes 0 … 2·reach: those beyond ±reach are counted at the ends."""
    drawn = np.fromiter((int(v) for v in values), dtype=np.int64)
    return np.clip(drawn, -reach, reach) + reach


def _alarms(events: list[tuple[str, int, Probability]], trials: int, alarm: float) -> list[str]:
    share = alarm / (2 * len(events))
    return [
        f"{name}: {count} of {trials}, expected {float(p) * trials:.1f}"
        for name, count, p in events
        if tail_bound(count, trials, p) < share
    ]
