"""One of several candidates, the better the likelier: noisy max with noise in whole steps.

Each score gets 0, 1, 2, … steps of geometric noise, and the largest is taken; of equal ones each as
often as the other. Two scores that lie half a step apart are told from one another as well as any
private choice can, which permute-and-flip does only for scores whole steps apart
(docs/proofs/stepped.md). Draws are exact (docs/proofs/exact-draws.md).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from discreet.sampling.choices import pick_one
from discreet.sampling.laplace import NoiseTables, noise_tables, sizes
from discreet.sampling.tables import Indices

_FARTHEST = 1 << 61
"""So many steps are never made up for: noise has fewer."""


@dataclass(frozen=True, eq=False)
class Stepped:
    """Scores as whole steps below the best, what each has beyond these, and the noise."""

    levels: Indices
    """How many whole steps a score lies below the best, rounded up; not above 0."""
    beyond: Indices
    """The order of what each has beyond its level: the more, the better where levels tie."""
    rate: Fraction
    """Steps of noise: P(k) ∝ e^(−rate·k)."""

    @classmethod
    def of(
        cls, scores: Sequence[int] | npt.NDArray[np.int64], step: int, rate: Fraction
    ) -> "Stepped":
        """Cut whole scores into steps; a step of noise is e^(−rate) as likely as none.

        >>> cut = Stepped.of([0, -3, -4, -5], 4, Fraction(1))
        >>> cut.levels.tolist(), cut.beyond.tolist()
        ([0, -1, -1, -2], [0, 1, 0, 2])
        """
        if isinstance(scores, np.ndarray):
            gaps = (scores.max() - scores).view(np.uint64)
            whole, over = np.divmod(gaps, np.uint64(step))
            down = np.minimum(whole + (over > 0), np.uint64(_FARTHEST)).astype(np.int64)
            left = np.where(over > 0, np.uint64(step) - over, np.uint64(0))
        else:
            best = max(scores)
            steps = [-((score - best) // step) for score in scores]
            down = np.array([min(one, _FARTHEST) for one in steps], dtype=np.int64)
            rest = [(score - best) % step for score in scores]
            order = {value: place for place, value in enumerate(sorted(set(rest)))}
            left = np.array([order[value] for value in rest], dtype=np.uint64)
        return cls(-down, np.unique(left, return_inverse=True)[1].astype(np.int64), rate)

    def draw(self) -> int:
        """The index that is chosen; as many steps whatever the scores are."""
        noisy = self.levels + sizes(self._noise.draw_many(len(self.levels)))
        ahead = np.where(noisy == noisy.max(), self.beyond, -1)
        return pick_one(ahead == ahead.max())

    @property
    def _noise(self) -> NoiseTables:
        return noise_tables(self.rate)
