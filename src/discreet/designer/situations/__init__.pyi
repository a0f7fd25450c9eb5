"""What the room offers, for type checkers: the names are in `__init__.py`."""

from discreet.designer.situations.method import (
    NAME,
    losses_of,
    over_situations,
    simple_losses,
    with_references,
)
from discreet.designer.situations.search import ForPrior, Mixed, least_worst

__all__ = [
    "NAME",
    "ForPrior",
    "Mixed",
    "least_worst",
    "losses_of",
    "over_situations",
    "simple_losses",
    "with_references",
]
