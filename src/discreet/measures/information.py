"""How much an output tells about the true answer, in bits."""

import math

import numpy as np
import numpy.typing as npt

from discreet.model import Mechanism, Prior, PriorLike


def mutual_information(mechanism: Mechanism, prior: PriorLike = "uniform") -> float:
    """The bits that an output tells about an answer from the prior, on average (Shannon).

    >>> from discreet.model import AllPairs, Labels
    >>> coins = Labels.of(["no", "yes"])
    >>> mutual_information(Mechanism.of(coins, coins, AllPairs(), [[1, 0], [0, 1]]))
    1.0
    """
    joint, shares = _joint(mechanism, prior)
    independent = joint.sum(axis=1, keepdims=True) * shares
    met = joint > 0
    return max(0.0, float((joint[met] * np.log2(joint[met] / independent[met])).sum()))


def min_entropy_leakage(mechanism: Mechanism, prior: PriorLike = "uniform") -> float:
    """How many bits an output adds to the chance of guessing the answer in one try.

    log2 of Σ_r max_f Pr(f)·Pr(r|f) over max_f Pr(f): the vulnerability after and before.
    """
    joint, shares = _joint(mechanism, prior)
    return max(0.0, math.log2(float(joint.max(axis=1).sum()) / float(shares.max())))


def _joint(
    mechanism: Mechanism, prior: PriorLike
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    shares = Prior.of(prior).probabilities(len(mechanism.answers))
    return mechanism.probabilities() * shares, shares
