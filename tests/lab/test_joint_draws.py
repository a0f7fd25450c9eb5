"""What is measured for many answers at once is never the truth itself."""

import numpy as np

from discreet.exact import Epsilon
from discreet.joint.strategies import Layer, PlainSums, Strategy
from discreet.model import Relation


def test_what_is_measured_has_its_noise():
    """Of so wide a noise on 60 sums, not all are 0 but once in 10^100 times."""
    matrix = np.eye(60, dtype=np.int64)
    noise = PlainSums.of(matrix, Epsilon.of("0.01"), Relation.ADD_OR_REMOVE)
    (told,) = Strategy("cells", (Layer(matrix, noise),)).measure(np.arange(60))
    assert (told != np.arange(60)).any()
