"""Single values of a request: ε, δ, whole numbers, losses, priors."""

from fractions import Fraction
from typing import Any, TypeAlias

from discreet.errors import GoalError, InvalidInput, SpaceError, about, named
from discreet.exact import Epsilon, EpsilonLike, RationalLike, rational, show
from discreet.model import Loss, Prior, PriorLike

LossGiven: TypeAlias = Loss | str | list[list[Any]]
"""The name of a loss, or a table with a row for each output."""

_MOST_DIGITS = 9


def read_epsilon(given: "EpsilonLike | None") -> Epsilon:
    """ε, which is never assumed."""
    if given is None:
        raise InvalidInput(f"{named('epsilon')} is required, for example {named('epsilon', 1)}")
    return Epsilon.of(given)


def read_delta(given: RationalLike) -> Fraction:
    """δ, at least 0 and below 1."""
    delta = rational(given, named("delta"))
    if not 0 <= delta < 1:
        raise InvalidInput(f"{named('delta')} must be at least 0 and below 1, got {show(given)}")
    return delta


def read_whole(given: str | int, field: str, *, error: type[InvalidInput] = SpaceError) -> int:
    """A whole number that is not negative.

    >>> read_whole(" 1_000 ", "n"), read_whole(12, "n")
    (1000, 12)
    """
    word = str(given).strip().replace("_", "")
    if isinstance(given, bool) or not (
        word.isascii() and word.isdigit() and len(word) <= _MOST_DIGITS
    ):
        raise error(f"{named(field)} must be a whole number, got {show(given)}")
    return int(word)


def read_loss(given: LossGiven) -> Loss:
    """A loss by its name, or from a table."""
    with about("loss"):
        if isinstance(given, str):
            return Loss.of(given)
        return given if isinstance(given, Loss) else Loss.of_table(given)


def read_prior(given: "PriorLike") -> Prior:
    """`uniform`, or a probability for each answer: as a list, or as text such as 0.2,0.8.

    >>> read_prior("0.2,0.8")
    Prior([0.2, 0.8])
    """
    if not isinstance(given, str) or given.strip().lower() == "uniform":
        with about("prior"):
            return Prior.of(given)
    if "," not in given:
        raise GoalError(
            f"{named('prior')} must be uniform or a probability for each answer, such as 0.2,0.8, "
            f"got {show(given)}"
        )
    with about("prior"):
        return Prior.of(given.split(","))  # type: ignore[arg-type]
