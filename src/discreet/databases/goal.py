"""What "best" means by database: a loss, and how likely each database is held to be."""

import math
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import TypeAlias

import numpy as np

from discreet.databases.listing import Databases
from discreet.databases.statistics import PossibleTruths
from discreet.designer.situations.records import RECORDS, read_names
from discreet.errors import GoalError
from discreet.exact import show
from discreet.model import Loss, LossLike, LossName, Prior, Situation, Situations, Yardstick
from discreet.model.goal import check_one_aim
from discreet.model.losses import Floats
from discreet.model.situations import yardstick_of

ANSWERS = "answers"
DATABASES = "databases"
HISTOGRAMS = "histograms"
PRIORS = (ANSWERS, DATABASES, HISTOGRAMS)

DatabasePrior: TypeAlias = "str | Prior"


@dataclass(frozen=True)
class DatabaseGoal:
    """Minimise the expected loss under a prior over databases, or the worst database's loss.

    Priors: `"answers"`, every answer as likely as any other, and every histogram within one;
    `"databases"`, every ordered table as likely as any other of its size (multinomial histograms),
    and every size; `"histograms"`, every histogram; or a probability for each column. The prior
    weighs losses, never privacy.

    >>> DatabaseGoal.of("squared", "databases")
    DatabaseGoal(loss=Loss('squared'), prior='databases', worst_case=False, situations=())
    """

    loss: Loss = field(default_factory=lambda: Loss(LossName.ABSOLUTE))
    prior: DatabasePrior = ANSWERS
    worst_case: bool = False
    situations: tuple[str, ...] = ()
    """Of these the worst counts; names as designs by answer have them."""
    _: KW_ONLY
    yardstick: Yardstick = field(default=Yardstick.REGRET, repr=False)
    """With situations: the largest regret, or the largest ratio to the best simple mechanism."""

    def __post_init__(self) -> None:
        if isinstance(self.prior, str) and self.prior not in PRIORS:
            raise GoalError(
                f"a prior over databases must be {', '.join(PRIORS)} or a probability for each "
                f"histogram, got {show(self.prior)}"
            )
        check_one_aim(
            prior=self.prior != ANSWERS,
            worst_case=self.worst_case,
            situations=bool(self.situations),
        )

    @classmethod
    def of(
        cls,
        loss: LossLike = LossName.ABSOLUTE,
        prior: "DatabasePrior | Sequence[float]" = ANSWERS,
        *,
        worst_case: bool = False,
        situations: str | None = None,
        minimax: str | None = None,
    ) -> "DatabaseGoal":
        """Read a goal from names and numbers; situations are judged by regret unless said."""
        named = () if situations is None else read_names(situations)
        if minimax is not None and not named:
            raise GoalError("ratio and regret need situations; name some")
        judged = Yardstick.REGRET if minimax is None else yardstick_of(minimax)
        known = prior.strip().lower() if isinstance(prior, str) else Prior.of(prior)
        return cls(Loss.of(loss), known, worst_case, named, yardstick=judged)

    def weights(self, databases: Databases, truth: PossibleTruths) -> Floats:
        """The probability of every column."""
        if isinstance(self.prior, Prior):
            return self.prior.probabilities(len(databases))
        if self.prior == DATABASES:
            return multinomial(databases)
        if self.prior == HISTOGRAMS:
            return np.full(len(databases), 1.0 / len(databases))
        return _by_answer(truth)

    def situated(self, databases: Databases, truth: PossibleTruths) -> Situations:
        """The situations as priors over columns, still without what each is measured against."""
        values = len(databases.values)
        laws = {name: RECORDS[name](values) for name in self.situations if name in RECORDS}
        return Situations.of(
            [
                Situation(name, Prior(tuple(weights.tolist())))
                for name in self.situations
                for weights in [
                    multinomial(databases, laws[name]) if name in laws else _by_answer(truth)
                ]
            ],
            self.yardstick,
        )


def _by_answer(truth: PossibleTruths) -> Floats:
    """Every answer as likely as any other, and every histogram within one."""
    alike = np.bincount(truth.of_column, minlength=len(truth.answers))
    possible = np.count_nonzero(alike)
    return np.asarray(1.0 / (possible * alike[truth.of_column]))


def multinomial(databases: Databases, law: Floats | None = None) -> Floats:
    """Every size equally likely, then n!/(h₁!…h_T!)·Π pᵢ^hᵢ; without a law every value is alike.

    >>> multinomial(Databases.of(2, [1, 2])).round(12).tolist()
    [0.25, 0.5, 0.25]
    """
    logs = np.array([math.lgamma(k + 1) for k in range(databases.largest + 1)])
    # Sorted, so that tables which mirror one another have the very same float.
    ways = logs[databases.sizes] - logs[np.sort(databases.counts, axis=1)].sum(axis=1)
    if law is None:
        shares = np.exp(ways - databases.sizes * math.log(len(databases.values)))
    else:
        likely = np.exp(ways + databases.counts @ np.log(np.where(law > 0, law, 1.0)))
        shares = np.where((databases.counts[:, law == 0] > 0).any(axis=1), 0.0, likely)
    sums = np.bincount(databases.sizes, shares)[databases.sizes]
    kinds = databases.largest - databases.smallest + 1
    return np.asarray(shares / sums / kinds)
