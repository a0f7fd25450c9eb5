"""Why a candidate does not suit, and what a plan warns of: as values.

They are put into words by `planning.showing`, for whoever shows them.
"""

from dataclasses import KW_ONLY, dataclass
from datetime import date
from enum import Enum, auto

from discreet.exact import Epsilon
from discreet.planning.releases.release import Value


class Misfit(Enum):
    """Why a candidate does not suit a task."""

    OTHER_STATISTIC = auto()
    """It is for statistics of another form; nobody would have expected it."""
    BIASED = auto()
    MAY_LEAVE_RANGE = auto()
    TOO_MANY_ANSWERS = auto()
    TOO_MANY_VALUES = auto()
    TOO_MANY_HISTOGRAMS = auto()
    NEEDS_NUMBERS = auto()
    NEEDS_PRIOR = auto()
    NEEDS_PUBLIC_SIZE = auto()
    NEEDS_KNOWN_ROWS = auto()
    ONLY_WITHOUT_PRIOR = auto()
    PLAIN_IS_BEST = auto()
    PROPERTIES_UNKNOWN = auto()
    LACKS_PROPERTIES = auto()
    NO_REMAP = auto()
    NOT_NEEDED = auto()
    NO_WORST_CASE = auto()
    NOISE_TOO_WIDE = auto()
    ERRS_MORE = auto()
    """On some public shape it errs much more than the plain candidate `names` names."""
    FAILED = auto()
    """Its construction was refused; `problem` says why."""


@dataclass(frozen=True)
class Unsuitable:
    """Why one candidate is left out; the fields that belong to the kind are set."""

    kind: Misfit
    _: KW_ONLY
    size: int | None = None
    most: int | None = None
    names: tuple[str, ...] = ()
    problem: str | None = None
    ratio: float | None = None
    """How many times as much it errs."""

    @property
    def expected(self) -> bool:
        """Whether nobody would have looked for this candidate here, so that nobody need be told."""
        return self.kind is Misfit.OTHER_STATISTIC


OTHER_STATISTIC = Unsuitable(Misfit.OTHER_STATISTIC)
BIASED = Unsuitable(Misfit.BIASED)
PROPERTIES_UNKNOWN = Unsuitable(Misfit.PROPERTIES_UNKNOWN)


class Best(Enum):
    """In which sense a choice is best."""

    SAFE = auto()
    """The least average over public shapes, and much worse than a plain candidate on none."""
    STATED_PRIOR = auto()
    WORST_CASE = auto()
    ASKED_FOR = auto()
    """It was asked for by name."""
    WORKLOAD = auto()
    """The least squared error over all that is told."""


@dataclass(frozen=True)
class Sense:
    """In which sense a choice is best; the fields that belong to the kind are set."""

    kind: Best
    _: KW_ONLY
    shapes: int | None = None
    plain: str | None = None
    """The name of the plain candidate that the others were held against."""


class Caution(Enum):
    """What a plan warns of."""

    FREE = auto()
    """A constant comes as close as was wished: nothing is spent."""
    CONSTANT_AS_GOOD = auto()
    CONSTANT_BETTER = auto()
    PRIOR_MATTERS = auto()
    """Were rows spread evenly, a constant would err less."""
    VAGUE = auto()
    """Many intervals would be all that was declared, and tell nothing."""
    IMPUTED = auto()
    """Gaps count as a value that the custodian declared."""


@dataclass(frozen=True)
class Imputed:
    """A column whose gaps count as a value that the custodian declared."""

    column: str
    value: str
    """As people write it."""


@dataclass(frozen=True, kw_only=True)
class Note:
    """One warning of a plan; the fields that belong to the kind are set."""

    kind: Caution
    statistic: str
    always: Value | date | None = None
    """What the constant tells."""
    imputed: "Imputed | None" = None
    epsilon: Epsilon | None = None
    error: float | None = None
    """How far off the constant is, at most or on average."""
    ours: float | None = None
    """How far off the chosen candidate is on average."""
    share: float | None = None
    """How many intervals are all that was declared, on tables of the public shapes."""
