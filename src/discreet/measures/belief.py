"""ε as a risk: how sure an answer can make somebody (docs/proofs/belief.md)."""

import math
from fractions import Fraction

from discreet.errors import InvalidInput
from discreet.exact import Epsilon
from discreet.exact.numbers import exp_upper
from discreet.model import Relation
from discreet.text import percent

HALF = Fraction(1, 2)
_TENTHS = 1000


def most_sure(epsilon: Epsilon, before: Fraction = HALF) -> Fraction:
    """A bound on how sure an answer can make somebody who was so sure before, rounded up.

    Args:
        epsilon: What the answer costs.
        before: How sure they were, between 0 and 1.

    Returns:
        A rational just above p·e^ε / (1 - p + p·e^ε).

    >>> float(most_sure(Epsilon.of("0.5")))
    0.6224593312018546
    """
    if not 0 < before < 1:
        raise InvalidInput(f"a belief must lie between 0 and 1, got {before}")
    ratio = exp_upper(epsilon.value) if epsilon.log_of is None else epsilon.log_of
    return before * ratio / (1 - before + before * ratio)


def sure_text(epsilon: Epsilon) -> str:
    """The same for somebody who tosses a coin, in per cent, rounded up to a tenth.

    >>> sure_text(Epsilon.of("0.5")), sure_text(Epsilon.of("log 3"))
    ('62.3', '75')
    """
    return percent(Fraction(math.ceil(_TENTHS * most_sure(epsilon)), _TENTHS))


def risk_sentence(epsilon: Epsilon, relation: Relation, by: str = "this answer") -> str:
    """What ε risks, for one person, in a sentence.

    >>> print(risk_sentence(Epsilon.of("0.5"), Relation.CHANGE)[:87])
    Someone who is 50 % sure of something about one person could become at most 62.3 % sure
    """
    of = "that one person is in this table"
    if relation == Relation.CHANGE:
        of = "of something about one person"
    return (
        f"Someone who is 50 % sure {of} could become at most {sure_text(epsilon)} % sure by {by}, "
        "even if they know everybody else’s record."
    )
