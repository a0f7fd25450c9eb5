"""The least worst standing over situations, from designs for mixtures of their priors.

Mechanisms may be mixed (with a coin of public bias), so the least of the worst is the most that
any mixture of the situations can force: one prior at a time, by whichever method is quickest for
it. Claims and proofs: docs/proofs/situations.md.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from discreet.designer.programs.program import NO_BOUND, Floats, Program, ProgramRows
from discreet.designer.programs.solver import solve
from discreet.designer.request import Progress, out_of_time
from discreet.errors import DesignError
from discreet.model import Mechanism, Prior, Situations

TOLERANCE = 1e-7
"""A gap at which nobody looks further: a share of the worst standing, or of 1 if that is less."""
_MOST_ROUNDS = 400
_ROUNDING = 2.0**-44
"""More than all the roundings of sums of non-negative floats can take away, as a share."""
_OUTSIDE = 0.5
"""How much of the next mixture is what the program asks for; the rest is the best one so far."""


@dataclass(frozen=True, eq=False)
class ForPrior:
    """A mechanism for one prior: its loss under each answer, and no mechanism's is below this."""

    mechanism: Mechanism
    losses: Floats
    lower_bound: float


@dataclass(frozen=True, eq=False)
class Mixed:
    """Mechanisms and how much of each, with a bound on the worst standing of all mechanisms."""

    parts: tuple[tuple[float, Mechanism], ...]
    lower_bound: float

    def probabilities(self) -> Floats:
        """The mixture, written out."""
        return np.asarray(sum(share * part.probabilities() for share, part in self.parts))


def least_worst(
    situations: Situations,
    size: int,
    best: Callable[[Prior], ForPrior],
    report: Callable[[Progress], None],
) -> Mixed:
    """Mix mechanisms until no mixture of the situations forces a worse standing.

    `best` is asked for the best mechanism under one prior, again and again.
    """
    search = _Search(situations, size, best)
    for _ in range(_MOST_ROUNDS):
        shares, asked = search.solved()
        report(Progress("situations", "mixing", search.value, search.bound))
        if search.is_closed or out_of_time():
            break
        # Between what is asked for and the best so far; where that is nothing new, what is asked.
        if not search.try_mixture(_OUTSIDE * asked + (1 - _OUTSIDE) * search.centre):
            search.try_mixture(asked)
    else:
        shares, _ = search.solved()
    kept = [(float(share), one) for share, one in zip(shares, search.found, strict=True)]
    parts = tuple((share, one.mechanism) for share, one in kept if share > 0)
    return Mixed(parts, search.bound)


class _Search:
    """What was found so far: a column of standings for each mechanism."""

    def __init__(
        self, situations: Situations, size: int, best: Callable[[Prior], ForPrior]
    ) -> None:
        self.situations, self.size, self.best = situations, size, best
        self.priors = situations.priors(size)
        self.scales, self.offsets = situations.scales, situations.offsets
        self.found: list[ForPrior] = []
        self.standings: list[Floats] = []
        self.bound, self.value = -math.inf, math.inf
        many = len(self.scales)
        self.centre = np.full(many, 1.0 / many)
        for mixture in (self.centre, *np.eye(many)):
            self.try_mixture(mixture)

    @property
    def is_closed(self) -> bool:
        return self.value - self.bound <= TOLERANCE * max(1.0, abs(self.value))

    def try_mixture(self, mixture: Floats) -> bool:
        """Design for a mixture of situations; whether that raised the bound or lowered a price."""
        rates = np.clip(mixture, 0.0, None)
        rates = rates / rates.sum()
        weights = rates / self.scales
        prior = Prior.mixture(
            [one.prior for one in self.situations.each], weights.tolist(), self.size
        )
        this = self.best(prior)
        forced, off = float(weights.sum() * this.lower_bound), float(rates @ self.offsets)
        # Neither is negative, so what rounding adds is a share of them.
        bound = forced - off - _ROUNDING * (forced + off)
        standing = self.situations.standings(self.priors @ this.losses)
        lowers = self.bound == -math.inf or float(rates @ standing) < self.value - TOLERANCE / 10
        raises = bound > self.bound
        if raises:
            self.bound, self.centre = bound, rates
        self.found.append(this)
        self.standings.append(standing)
        return raises or lowers

    def solved(self) -> tuple[Floats, Floats]:
        """How much of each mechanism, and which mixture of situations is then the worst."""
        table = np.array(self.standings).T
        rows, columns = table.shape
        worst = ProgramRows.at_most(
            "standing",
            np.broadcast_to(np.arange(columns + 1), (rows, columns + 1)),
            np.concatenate([table, np.full((rows, 1), -1.0)], axis=1),
        )
        sums = ProgramRows.equal("shares", np.arange(columns)[None, :], np.ones(columns), 1.0)
        cost = np.append(np.zeros(columns), 1.0)
        lower = np.append(np.zeros(columns), -NO_BOUND)
        upper = np.append(np.ones(columns), NO_BOUND)
        solution = solve(Program.of(cost, lower, upper, [worst, sums]), "simplex")
        shares = np.clip(solution.x[:columns], 0.0, None)
        if not shares.sum() > 0:
            raise DesignError("the program over situations has no solution; use fewer situations")
        shares = shares / shares.sum()
        self.value = float((table @ shares).max())
        return shares, np.abs(solution.duals[:rows])
