"""Order statistics and ranges chosen by how many rows must change for a value to be the answer.

That number moves by at most one with every row that changes, comes or goes, whether the size is
public or not; and so it does where it falls below 0, for the answer, to how many rows may change
and leave it so (docs/proofs/ranks.md). Where no prior is stated nothing leans, and of a public
number of rows a second candidate aims better: cut, moved and leaning as public shapes show to be
safe.
"""

import time
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache

import numpy as np

from discreet.exact import spendable
from discreet.model import LossName
from discreet.planning.candidates.candidate import Candidate, Figures, Maker, Task, loss_name
from discreet.planning.candidates.rank_rules import RankSetting, plain_rule
from discreet.planning.candidates.safe_ranks import safe_rules, worth_tuning
from discreet.planning.candidates.selection import Chooser, why_not
from discreet.planning.judging import CAP, from_zero, judging_of
from discreet.planning.reasons import OTHER_STATISTIC, Misfit, Unsuitable
from discreet.planning.releases.choice import Whole
from discreet.planning.releases.ranks import RankRelease, RankRule
from discreet.planning.releases.release import Judged
from discreet.planning.subjects.priors import Floats, beliefs, drawn_sizes
from discreet.planning.subjects.subject import Subject
from discreet.planning.wishes import DATABASES
from discreet.statistics import MOST_RANKED, Mode, Placing, QuartileRange, Range, Rank
from discreet.text import plural

MOST_WIDTHS = 1_001
"""Up to so many widths, of all rows or between quartiles, are simulated in a second or two."""


def rows_away(subject: Subject, counts: Whole) -> Whole:
    """For every table (a line of counts), how many rows away each value is."""
    return _placing(subject).rows_away(counts)


def tables(subject: Subject, prior: str | tuple[float, ...], many: int) -> Whole:
    """Simulated tables, from a fixed seed.

    Under "databases" rows are uniform. Otherwise an answer is drawn from the prior first, and rows
    are such as may well have it.
    """
    dice = np.random.default_rng(20_070_611)
    rows = drawn_sizes(subject, dice, many, maybe_none=False)
    known = beliefs(subject, prior)
    middles = dice.choice(known.places, size=many, p=known.weights / known.weights.sum())
    counts = np.zeros((many, subject.values), dtype=np.int64)
    even, likely = np.full(subject.values, 1 / subject.values), _placing(subject).likely_rows
    for table in range(many):
        many_rows, place = int(rows[table]), int(middles[table])
        law = even if prior == DATABASES else likely(place, subject.values, many_rows)
        counts[table] = dice.multinomial(many_rows, law)
    return counts


def _placing(subject: Subject) -> Placing:
    assert isinstance(subject.statistic, Placing)
    return subject.statistic


RANKS = Chooser(
    name="by rank",
    title="rank-based choice (permute-and-flip)",
    citation="McKenna & Sheldon 2020; 001 Prop. 7; 002 §3",
    proof="docs/proofs/ranks.md",
    distance=rows_away,
    tables=tables,
)

STEPPED_TITLE = "rank-based choice (noise in whole steps)"


def _why_not(task: Task) -> Unsuitable | None:
    subject = task.subject
    match subject.statistic:
        case Range() | QuartileRange() if subject.size > MOST_WIDTHS:
            return Unsuitable(Misfit.TOO_MANY_VALUES, size=subject.size, most=MOST_WIDTHS)
        case Rank() if task.wishes.safe:
            return why_not(task, MOST_RANKED)
        case Placing() as statistic if not isinstance(statistic, Mode):
            return why_not(task)
    return OTHER_STATISTIC


def _make(task: Task) -> Candidate:
    statistic = task.subject.statistic
    if task.wishes.safe and isinstance(statistic, Rank):
        started = time.perf_counter()
        rule = _plain(task, statistic)
        return _candidate(task, rule, RANKS.name, _choosing(rule), started)
    return RANKS.candidate(task, _rate(task) / 2)


def _rate(task: Task) -> Fraction:
    """What the rates of a change may add up to: ε for all rows of a person."""
    return spendable(task.epsilon) / task.subject.rows_per_unit


def _plain(task: Task, rank: Rank) -> RankRule:
    subject = task.subject
    return plain_rule(
        rank.share,
        subject.size,
        _rate(task),
        one_way=not subject.change_one,
        rows=subject.most_rows if subject.fixed_size else None,
    )


def _candidate(task: Task, rule: RankRule, name: str, title: str, started: float) -> Candidate:
    subject, failure = task.subject, 1 - float(task.wishes.confidence)
    trial = RankRelease(subject=subject, rule=rule, within=subject.last - subject.start)
    judging = judging_of(subject)
    law = trial.likely(judging.tables)
    within = subject.unit * judging.steps_within(*law, 1 - failure)
    figures = Figures(
        loss=0.0,
        expected=None,
        worst=float(subject.last - subject.start),
        within=float(within),
        supposed=True,
        rows_off=rule.rows_off(failure, subject.most_rows, maybe_none=not subject.fixed_size),
    )
    return Candidate(
        name=name,
        title=title,
        citation=RANKS.citation,
        epsilon=task.epsilon,
        figures=figures,
        properties=(),
        seconds=time.perf_counter() - started,
        release=replace(trial, within=within, known=Judged.of(subject, judging.tables, *law)),
        proof=RANKS.proof,
    )


def _tuned_why_not(task: Task) -> Unsuitable | None:
    if not task.wishes.safe:
        return Unsuitable(Misfit.ONLY_WITHOUT_PRIOR)
    if not task.subject.fixed_size:
        return Unsuitable(Misfit.NEEDS_KNOWN_ROWS)
    return why_not(task) or (None if _tuned(task) else Unsuitable(Misfit.PLAIN_IS_BEST))


def _tuned(task: Task) -> RankRule | None:
    """The best of the rules that keep the cap by their own law, where it is better than plain."""
    subject, statistic = task.subject, task.subject.statistic
    assert isinstance(statistic, Rank)
    setting = RankSetting(
        values=subject.size,
        from_zero=from_zero(subject),
        rows=subject.most_rows,
        share=statistic.share,
        rate=_rate(task),
    )
    return _best_rule(subject, setting, _plain(task, statistic), loss_name(subject, task.wishes))


@lru_cache(maxsize=256)
def _best_rule(
    subject: Subject, setting: RankSetting, plain: RankRule, name: LossName
) -> RankRule | None:
    judging = judging_of(subject)

    def losses(rule: RankRule) -> Floats:
        """By the law of permute-and-flip, the quicker one; the best is judged by its own later."""
        flips = replace(rule, in_steps=False)
        return judging.losses(RankRelease(subject=subject, rule=flips, within=subject.unit), name)

    reference, best = losses(plain), None
    quarter = judging.quarter(name)
    least = (judging.mean(reference, name) + quarter) * worth_tuning(setting)
    for rule in safe_rules(setting):
        costs = losses(rule)
        mean = judging.mean(costs, name) + quarter
        if mean < least and judging.ratios(costs, reference, name).max() <= CAP:
            least, best = mean, rule
    return best


def _make_tuned(task: Task) -> Candidate:
    started, rule = time.perf_counter(), _tuned(task)
    assert rule is not None
    return _candidate(task, rule, "by rank, tuned", _title(task.subject, rule), started)


def _title(subject: Subject, rule: RankRule) -> str:
    """What was changed, in a few words."""
    changes = []
    if len(rule.starts) < subject.size:
        changes.append(f"{len(rule.starts)} runs of values")
    if rule.target.shift:
        changes.append(f"aimed {_rows(abs(rule.target.shift))} inwards")
    if any(rule.leanings):
        changes.append("leaning to likely values")
    if rule.down != rule.up:
        changes.append(f"{round(100 * rule.down / (rule.down + rule.up))} % for rows below")
    return f"{_choosing(rule)}: {', '.join(changes)}" if changes else _choosing(rule)


def _choosing(rule: RankRule) -> str:
    """The title of a choice by rank, with how it is drawn."""
    return STEPPED_TITLE if rule.in_steps else RANKS.title


def _rows(many: Fraction) -> str:
    return plural(int(many), "row") if many.denominator == 1 else f"{float(many):g} rows"


BY_RANK = Maker("by rank", Placing, _why_not, _make, plain=True)
TUNED_RANK = Maker("by rank, tuned", Rank, _tuned_why_not, _make_tuned)
