"""The uniform mechanism: every output is as likely as every other, whatever the data says.

Proof: docs/proofs/uniform.md. It is the yardstick of 003 §4.3.2: at small ε it beats snapping.
"""

import numpy as np

from discreet.exact import Epsilon, EpsilonLike
from discreet.model import Mechanism, Neighbours, Space


def uniform(
    answers: Space, neighbours: Neighbours, epsilon: EpsilonLike, *, outputs: Space | None = None
) -> Mechanism:
    """Weight 1 everywhere; private at every ε, and so at this one.

    >>> from discreet.model import AllPairs, Labels
    >>> uniform(Labels.of(["a", "b"]), AllPairs(), 1).weights
    array([[1, 1],
           [1, 1]])
    """
    Epsilon.of(epsilon)
    rows = outputs or answers
    weights = np.ones((len(rows), len(answers)), dtype=np.int64)
    return Mechanism.of(answers, rows, neighbours, weights, name="uniform")
