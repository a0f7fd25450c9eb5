"""What "best" means (a loss, and a prior, situations or the worst case), what is promised, what is
required."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction

from discreet.errors import GoalError, InvalidInput
from discreet.exact import Epsilon, EpsilonLike, RationalLike, rational
from discreet.model.losses import Loss, LossLike, LossName, Prior, PriorLike
from discreet.model.situations import Situations
from discreet.text import Word, show


@dataclass(frozen=True)
class Guarantee:
    """(ε, δ)-differential privacy (001 Def. 1); pure when δ = 0.

    >>> print(Guarantee.of("0.5"), "|", Guarantee.of(1, "1e-6"))
    ε = 0.5 | ε = 1, δ = 1/1000000
    """

    epsilon: Epsilon
    delta: Fraction = Fraction(0)

    def __post_init__(self) -> None:
        if not 0 <= self.delta < 1:
            raise InvalidInput(f"delta must be at least 0 and below 1, got {show(self.delta)}")

    @classmethod
    def of(cls, epsilon: EpsilonLike, delta: RationalLike = 0) -> "Guarantee":
        """Read ε and δ exactly.

        Args:
            epsilon: ε, such as `1`, `"0.5"` or `"log 3"`.
            delta: δ; 0 is pure ε.

        Returns:
            The promise.

        Raises:
            EpsilonError: ε is not a positive, finite number.
            InvalidInput: δ does not lie from 0 to below 1.
        """
        return cls(Epsilon.of(epsilon), rational(delta, "delta"))

    def __str__(self) -> str:
        return f"ε = {self.epsilon}" + (f", δ = {self.delta}" if self.delta else "")


class Requirement(Word):
    """What may be asked of a matrix, each by its name."""

    COLUMN_MONOTONE = "column-monotone"
    ROW_MONOTONE = "row-monotone"
    SYMMETRIC = "symmetric"
    FAIR = "fair"
    EVERY_OUTPUT = "every-output"

    @property
    def field(self) -> str:
        """What it is called in Python."""
        return self.value.replace("-", "_")


VARIANT_2 = frozenset(Requirement) - {Requirement.EVERY_OUTPUT}
"""What `all` stands for: Variant 2 of 003."""


@dataclass(frozen=True, kw_only=True)
class Requirements:
    """Properties asked of a matrix; Variant 1 of 003 asks none, Variant 2 the first four.

    >>> Requirements.of("fair, symmetric")
    Requirements(fair, symmetric)
    >>> Requirements.of("all").fair
    True
    """

    column_monotone: bool = False
    row_monotone: bool = False
    symmetric: bool = False
    fair: bool = False
    every_output: bool = False
    """Weak honesty: no output of the space is left without weight."""

    @classmethod
    def of(cls, wanted: "Requirements | str | Iterable[str]") -> "Requirements":
        """Read names: column-monotone, row-monotone, symmetric, fair, every-output, all, none.

        Args:
            wanted: Names with commas between them, or one by one.

        Returns:
            What is required.

        Raises:
            GoalError: There is no requirement of this name.
        """
        if isinstance(wanted, Requirements):
            return wanted
        if not isinstance(wanted, Iterable):
            raise GoalError(f"requirements must be given by name, got {show(wanted)}")
        words = wanted.split(",") if isinstance(wanted, str) else list(wanted)
        if not all(isinstance(word, str) for word in words):
            raise GoalError(f"requirements must be given by name, got {show(words)}")
        names = {word.strip().lower().replace("_", "-") for word in words} - {"", "none"}
        if "all" in names:
            names = (names - {"all"}) | VARIANT_2
        if unknown := sorted(names - set(Requirement)):
            raise GoalError(
                f"unknown requirement {show(unknown[0])}; requirements: "
                f"{', '.join(sorted(Requirement))}, all and none"
            )
        return cls(**{Requirement(name).field: True for name in names})

    def names(self) -> tuple[Requirement, ...]:
        """The names of what is asked, in alphabetical order."""
        return tuple(sorted(one for one in Requirement if getattr(self, one.field)))

    def __bool__(self) -> bool:
        return bool(self.names())

    def __repr__(self) -> str:
        return f"Requirements({', '.join(self.names()) or 'none'})"


@dataclass(frozen=True)
class Goal:
    """Minimise the expected loss under a prior, or the loss of the worst true answer, or the
    ratio or regret in the worst of several situations.

    >>> Goal.of("squared")
    Goal(loss=Loss('squared'), prior=Prior(uniform))
    """

    loss: Loss = field(default_factory=lambda: Loss(LossName.ABSOLUTE))
    prior: Prior = field(default_factory=Prior)
    worst_case: bool = False
    situations: Situations | None = None

    @classmethod
    def of(
        cls,
        loss: LossLike = LossName.ABSOLUTE,
        prior: PriorLike = "uniform",
        *,
        worst_case: bool = False,
        situations: Situations | None = None,
    ) -> "Goal":
        """Read a goal from names, numbers and functions.

        Args:
            loss: A name (`"absolute"`, `"squared"`, `"zero-one"`), a `Loss`, or a function of
                (output, answer).
            prior: `"uniform"`, a `Prior`, or a probability for each answer.
            worst_case: Whether the largest expected loss over all answers counts instead of the
                mean.
            situations: Several priors; the one under which the mechanism does worst counts.

        Returns:
            The goal.

        Raises:
            GoalError: The loss or the prior makes no sense, or more than one of a prior,
                situations and the worst case is given.
        """
        known = Prior.of(prior)
        check_one_aim(
            prior=not known.is_uniform, worst_case=worst_case, situations=situations is not None
        )
        return cls(Loss.of(loss), known, worst_case, situations)

    def __repr__(self) -> str:
        aim = "worst_case" if self.worst_case else f"prior={self.prior!r}"
        if self.situations is not None:
            aim = f"{self.situations.yardstick} over {', '.join(self.situations.names)}"
        return f"Goal(loss={self.loss!r}, {aim})"


def check_one_aim(*, prior: bool, worst_case: bool, situations: bool = False) -> None:
    """Refuse a goal that names more than one of a prior, the worst case and situations."""
    if prior + worst_case + situations < 2:
        return
    if situations:
        raise GoalError("a goal takes a prior, situations or the worst case; give one of them")
    raise GoalError("a goal takes a prior or the worst case, not both; leave the prior out")
