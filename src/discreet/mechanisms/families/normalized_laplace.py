"""The normalized Laplace mechanism (Croft, Sack & Shi 2019; 003 Mechanism 3).

Proof: docs/proofs/normalized-laplace.md. Formula (22) of 003 lacks the minus sign of its second
exponential; nothing here uses it, since dividing a column by its sum says the same.
"""

from discreet.exact import EpsilonLike
from discreet.mechanisms.discretisation import discretised
from discreet.mechanisms.families.laplace import laplace_noise
from discreet.mechanisms.sensitivities import sensitivity
from discreet.model import Mechanism, Neighbours, Space, numbers_of


def normalized_laplace(
    answers: Space, neighbours: Neighbours, epsilon: EpsilonLike, *, outputs: Space | None = None
) -> Mechanism:
    """Laplace of scale 2ΔF/ε, cut to the outputs' categories and scaled up to mass 1, 003 (22).

    Scaling depends on the answer, so the noise must be twice as wide as Laplace's.

    >>> from discreet.model import AllPairs, Grid
    >>> m = normalized_laplace(Grid.between(1, 5), AllPairs(), 1)
    >>> m.probabilities()[:, 0].round(3).tolist()
    [0.247, 0.225, 0.198, 0.175, 0.155]
    """
    width = sensitivity(numbers_of(answers, "the normalized Laplace mechanism"), neighbours)
    return discretised(
        answers,
        neighbours,
        epsilon,
        laplace_noise(2 * width),
        outputs=outputs,
        name="normalized-laplace",
        normalise=True,
    )
