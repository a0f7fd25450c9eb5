"""The two-sided geometric mechanism (Ghosh, Roughgarden & Sundararajan 2009) and its truncation.

Proof: docs/proofs/geometric.md. For counts, a Bayes remap of the truncated form is the best
mechanism for every prior and every loss that grows with the distance.
"""

from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from discreet.errors import InvalidInput, SpaceError
from discreet.exact import Epsilon, EpsilonLike, RationalLike, rational, show
from discreet.mechanisms.discretisation import snapped
from discreet.mechanisms.families.laplace import LaplaceMechanism
from discreet.mechanisms.sensitivities import places_apart
from discreet.model import Grid, Mechanism, Neighbours, Space
from discreet.repair import integer_mechanism
from discreet.sampling import discrete_laplace


def geometric(
    answers: Space, neighbours: Neighbours, epsilon: EpsilonLike, *, outputs: Space | None = None
) -> Mechanism:
    """Noise of k steps with probability ∝ e^(−ε|k|/Δ), snapped to the outputs.

    On the answers themselves this is the truncated geometric mechanism; on a wider grid it is the
    two-sided one, as far as the grid reaches.

    >>> from discreet.model import Grid, Within
    >>> geometric(Grid.between(0, 2), Within(1), "log 2").probabilities().round(6).tolist()
    [[0.666667, 0.333333, 0.166667], [0.166667, 0.333333, 0.166667], [0.166667, 0.333333, 0.666667]]
    """
    if not isinstance(answers, Grid):
        raise SpaceError(
            f"the geometric mechanism needs evenly spaced numbers, got {show(answers)}; "
            "use laplace or exponential"
        )
    places = max(places_apart(len(answers), neighbours), 1)
    grid, first = _common_grid(answers, outputs)

    def propose(at: float) -> npt.NDArray[np.float64]:
        return truncated_geometric(len(grid), first, len(answers), at / places)

    mechanism = integer_mechanism(
        answers, grid, neighbours, propose, Epsilon.of(epsilon), name="geometric"
    )
    return mechanism if outputs is None or outputs == grid else snapped(mechanism, outputs)


def truncated_geometric(
    outputs: int, first: int, answers: int, rate: float
) -> npt.NDArray[np.float64]:
    """Pr(output i | answer j) = (1 − α)/(1 + α)·α^|i−j|, and α^|i−j|/(1 + α) at both ends.

    α is e^(−rate), and answer 0 stands at output `first`.
    """
    apart = np.abs(np.arange(outputs)[:, None] - first - np.arange(answers)[None, :])
    masses = np.exp(-rate * apart) / (1.0 + np.exp(-rate))
    masses[1:-1] *= -np.expm1(-rate)
    return masses if outputs > 1 else np.ones_like(masses)


def _common_grid(answers: Grid, outputs: Space | None) -> tuple[Grid, int]:
    """The answers' own grid, stretched to reach the outputs, and where the answers begin in it."""
    if not isinstance(outputs, Grid):
        return answers, 0
    before = max(int(-((outputs.start - answers.start) // answers.step)), 0)
    after = max(int(-((answers.last - outputs.last) // answers.step)), 0)
    size = before + len(answers) + after
    return Grid(answers.start - before * answers.step, answers.step, size), before


@dataclass(frozen=True)
class GeometricMechanism(LaplaceMechanism):
    """Two-sided geometric noise on whole numbers, such as counts: always on the grid.

    >>> GeometricMechanism.counting(1).rate()
    Fraction(1, 1)
    """

    on_grid: bool = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.granularity != 1:
            raise InvalidInput(
                f"geometric noise comes in steps of 1, got a granularity of "
                f"{show(self.granularity)}; use LaplaceMechanism"
            )

    @classmethod
    def counting(cls, epsilon: EpsilonLike, sensitivity: RationalLike = 1) -> "GeometricMechanism":
        """For counts that one record moves by `sensitivity` in all."""
        return cls(rational(sensitivity, "the sensitivity"), Epsilon.of(epsilon))

    def draw_counts(self, counts: npt.NDArray[np.integer[Any]]) -> npt.NDArray[np.int64]:
        """A whole array of counts, each with its own noise."""
        whole = np.asarray(counts)
        if whole.dtype.kind not in "iu":
            raise SpaceError(f"counts must be whole numbers, got an array of {whole.dtype}")
        noise = discrete_laplace(self.rate(), whole.size)
        return cast("npt.NDArray[np.int64]", whole.astype(np.int64) + noise.reshape(whole.shape))
