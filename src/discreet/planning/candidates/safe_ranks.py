"""The rank-based choice that is best on average over public shapes and never far from plain.

Of all rules that err at most CAP times as much as the plain one on every shape, those with the
least geometric mean come first (docs/proofs/safe-rule.md). Everything here is public.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from discreet.planning.candidates.rank_rules import (
    RankSetting,
    bare_rules,
    cuts,
    leaning,
    leanings,
    plain_rule,
    stretched,
)
from discreet.planning.judging import CAP, QUARTER, TABLES_PER_SHAPE
from discreet.planning.judging import MOST_VALUES as MOST_JUDGED
from discreet.planning.releases.ranks import Counts, RankRule, Target
from discreet.planning.subjects.priors import Floats

MOST = 1.15
"""How much more than the plain rule another may err on any imagined table."""
KEPT, KEPT_OF_FINE = 8, 5
"""How many of the best are judged by their own law; of fine grids, whose laws take their time."""
NEARLY = 1.05
"""Who breaks the cap by this much is not judged any further."""
WORTH_TUNING = ((60, 1 - 1e-6), (100, 0.95), (math.inf, 0.7))
"""Up to so many rows, how many times the plain rule's error another may have to be taken: of more
rows, what little is won on public shapes is lost where they are heaped, or where one lies far from
all others."""
_CLOSE = 1.22
"""Who misses that by more, by the law of the exponential mechanism, is not judged any further."""


def worth_tuning(setting: RankSetting) -> float:
    """How many times the plain rule's error another may have at most to be taken."""
    return next(times for rows, times in WORTH_TUNING if setting.rows <= rows)


@lru_cache(maxsize=256)
def safe_rules(setting: RankSetting) -> tuple[RankRule, ...]:
    """The rules that come first by the law of the exponential mechanism, which errs a bit more."""
    trial = Trial.of(setting.judged)
    most = min(0.0, math.log(_CLOSE * worth_tuning(setting)))
    ranked = sorted(
        (one for one in trial.tried() if one.worst <= NEARLY * CAP and one.mean < most),
        key=lambda one: one.mean,
    )
    kept = KEPT if setting.values <= MOST_JUDGED else KEPT_OF_FINE
    best = [leaning(one.rule, one.towards) for one in ranked[:kept]]
    if setting.judged is setting:
        return tuple(best)
    return tuple(stretched(rule, setting.judged.values, setting.values) for rule in best)


@dataclass(frozen=True, eq=False)
class Tried:
    """A rule with what it leans towards: the mean of log ratios to the plain one, and the worst."""

    rule: RankRule
    towards: Floats
    mean: float
    worst: float


@dataclass(frozen=True, eq=False, kw_only=True)
class Trial:
    """Imagined tables, their answers, and the errors of the plain rule on them."""

    setting: RankSetting
    counts: Counts
    answers: Counts
    weights: Floats
    reference: Floats
    """By table, a quarter added."""

    @classmethod
    def of(cls, setting: RankSetting, each: int = TABLES_PER_SHAPE) -> "Trial":
        """So many imagined tables of each shape."""
        family = setting.shapes
        counts = family.tables(setting.rows, each)
        place = Target(share=setting.share).ends(counts.sum(axis=1))[1]
        answers = (np.cumsum(counts, axis=1) >= place[:, None]).argmax(axis=1)
        plain = plain_rule(
            setting.share, setting.values, setting.rate, one_way=False, rows=setting.rows
        )
        penalties = plain.penalties(*plain.away(counts))
        errors = _errors(plain, penalties, np.zeros((setting.values, 1)), answers)
        return cls(
            setting=setting,
            counts=counts,
            answers=answers,
            weights=family.weights,
            reference=errors[:, 0] + QUARTER,
        )

    def tried(self) -> Iterator[Tried]:
        """Every rule that errs much more than the plain one on none of the tables."""
        plain = self.by_shape(self.reference[:, None])
        for starts in cuts(self.setting):
            towards, away = leanings(self.setting, starts), dict[Target, tuple[Counts, Counts]]()
            for rule in bare_rules(self.setting, starts, self.told(starts)):
                if rule.target not in away:  # the same for all rates
                    away[rule.target] = rule.away(self.counts)
                penalties = rule.penalties(*away[rule.target])
                errors = _errors(rule, penalties, towards, self.answers) + QUARTER
                ratios = self.by_shape(errors) / plain
                means, worst = self.weights @ np.log(ratios), ratios.max(axis=0)
                kept = (errors / self.reference[:, None]).max(axis=0) <= MOST
                for place in np.flatnonzero(kept).tolist():
                    yield Tried(rule, towards[:, place], float(means[place]), float(worst[place]))

    def by_shape(self, by_table: Floats) -> Floats:
        """The average over the tables of each shape."""
        return np.asarray(by_table.reshape(len(self.weights), -1, by_table.shape[1]).mean(axis=1))

    def told(self, starts: tuple[int, ...]) -> tuple[int, ...]:
        """For each run the middle one of the imagined answers in it, else its own middle."""
        if len(starts) == self.setting.values:
            return starts
        order = np.argsort(self.answers, kind="stable")
        answers = self.answers[order]
        each = len(answers) // len(self.weights)
        weights = np.repeat(self.weights, each)[order]
        middles = []
        for start, end in zip(starts, (*starts[1:], self.setting.values), strict=True):
            first, last = np.searchsorted(answers, [start, end])
            sums = np.cumsum(weights[first:last])
            middle = (start + end - 1) // 2
            if len(sums):
                middle = int(answers[first + int(np.searchsorted(sums, sums[-1] / 2))])
            middles.append(middle)
        return tuple(middles)


def _errors(rule: RankRule, penalties: Floats, towards: Floats, answers: Counts) -> Floats:
    """By table and by leaning, the expected distance from the answer, in steps.

    The law is that of the exponential mechanism with the same scores, which permute-and-flip never
    falls behind.
    """
    likely = np.exp(penalties.min(axis=1, keepdims=True) - penalties)
    apart = np.abs(np.array(rule.told)[None, :] - answers[:, None])
    favour = np.exp(towards - towards.max(axis=0, keepdims=True))
    return np.asarray(((likely * apart) @ favour) / np.maximum(likely @ favour, 1e-300))
