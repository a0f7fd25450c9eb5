"""Mechanisms that look at a whole group of households: smooth sensitivity, and path length."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations_with_replacement

import numpy as np
import numpy.typing as npt

from discreet.mechanisms import SmoothSensitivityMechanism
from discreet.mechanisms.path_length import PathLength, PathLengthMechanism
from discreet.model import Loss
from discreet.papers.p003.households import GROUP, HIGHEST, LOWEST, SIZES, Group, Groups
from discreet.papers.p003.lineup import OURS, PAPER, LineupLosses

SMOOTH = "smooth sensitivity"
PATH = "path length"

Floats = npt.NDArray[np.float64]
Law = Callable[[Group], Floats]
"""How likely each size is to be reported for a group."""


@dataclass(frozen=True)
class Seeing:
    """A mechanism whose law depends on the whole group, for one order statistic of ten."""

    label: str
    style: str
    law_at: Callable[[str], Law]
    place: int
    """Which of the ten in order, from 0, is the answer."""

    def losses(self, epsilon: str, data: Groups) -> LineupLosses:
        """The mean over groups.

        A Bayesian reader believes answers equally likely, and groups with the same answer too.
        """
        law = lru_cache(maxsize=None)(self.law_at(epsilon))
        chances = np.stack([law(group) for group in data.shares])
        truths = np.array([self._truth(group) for group in data.shares])
        shares = np.array(list(data.shares.values()))
        places, replies = np.arange(len(SIZES)), self._replies(law)

        def errors(outputs: npt.NDArray[np.int64]) -> Floats:
            return np.asarray(np.abs(outputs[None, :] - truths[:, None]), dtype=np.float64)

        def total(costs: Floats) -> float:
            return float(shares @ (chances * costs).sum(axis=1))

        return LineupLosses(
            absolute=total(errors(places)),
            bayes_absolute=total(errors(replies["absolute"])),
            squared=total(errors(places) ** 2),
            bayes_squared=total(errors(replies["squared"]) ** 2),
            worst=float((chances * errors(places)).sum(axis=1).max()),
        )

    def _truth(self, group: Group) -> int:
        return group[self.place] - LOWEST

    def _replies(self, law: Law) -> Mapping[str, npt.NDArray[np.int64]]:
        """The best reply to each output, when groups with one answer are equally likely."""
        known: dict[int, list[Floats]] = {place: [] for place in range(len(SIZES))}
        for group in every_group():
            known[self._truth(group)].append(law(group))
        shares = np.stack([np.mean(laws, axis=0) for laws in known.values()], axis=1)
        costs = {
            name: Loss.of(name).matrix(SIZES, SIZES) @ shares.T for name in ("absolute", "squared")
        }
        return {name: cost.argmin(axis=0) for name, cost in costs.items()}


@lru_cache(maxsize=1)
def every_group() -> tuple[Group, ...]:
    """All groups of ten sizes, in order."""
    return tuple(combinations_with_replacement(range(LOWEST, HIGHEST + 1), GROUP))


def _smooth(statistic: str) -> Callable[[str], Law]:
    def at(epsilon: str) -> Law:
        mechanism = SmoothSensitivityMechanism.of(SIZES, epsilon, statistic)
        return mechanism.probabilities

    return at


def _path(statistic: PathLength) -> Callable[[str], Law]:
    def at(epsilon: str) -> Law:
        mechanism = PathLengthMechanism.of(statistic, epsilon)
        known: dict[bytes, Floats] = {}

        def law(group: Group) -> Floats:
            histogram = np.bincount(np.array(group) - LOWEST, minlength=len(SIZES))
            lengths = statistic.lengths(histogram).tobytes()
            if lengths not in known:  # the law depends on the lengths alone
                known[lengths] = mechanism.probabilities(histogram)
            return known[lengths]

        return law

    return at


@dataclass(frozen=True)
class OrderStatistic:
    """An order statistic of a group: how it is called and which of the ten it is."""

    name: str
    place: int
    path: PathLength
    shares: Callable[[Groups], Mapping[int, float]]

    def seeing(self) -> tuple[Seeing, ...]:
        """The mechanisms that look at the whole group."""
        return (
            Seeing(SMOOTH, PAPER, _smooth(self.name), self.place),
            Seeing(PATH, OURS, _path(self.path), self.place),
        )


ORDERS = (
    OrderStatistic("max", GROUP - 1, PathLength.maximum(), Groups.by_largest),
    OrderStatistic("min", 0, PathLength.minimum(), Groups.by_smallest),
    OrderStatistic("median", (GROUP + 1) // 2 - 1, PathLength.median(), Groups.by_median),
)
