"""Means of an unknown number of rows: a noisy sum over a noisy count (docs/proofs/ratio-mean.md).

The sum is taken of distances from the middle of the range, so that one row moves it by half of the
range at most; noise goes to the sum and to the count, at rates that share ε.
"""

import math
import time
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache

import numpy as np

from discreet.exact import spendable
from discreet.planning.candidates.candidate import (
    Candidate,
    Figures,
    Maker,
    Task,
    loss_name,
)
from discreet.planning.reasons import BIASED, PROPERTIES_UNKNOWN, Unsuitable
from discreet.planning.releases.ratio import MeanRelease, RatioRelease
from discreet.planning.releases.release import Value, judged
from discreet.planning.subjects.priors import Floats, drawn_sizes
from discreet.planning.subjects.subject import Subject
from discreet.planning.wishes import DATABASES, Wishes
from discreet.statistics import Ratio

_TABLES = 4_000
_SHARES = tuple(Fraction(k, 20) for k in (1, 2, 3, 4, 5, 6, 7, 8, 10, 12))
_FINER = 50
_ANY = Fraction(1)
"""A resolution that no figure depends on."""


def rates(subject: Subject, epsilon: Fraction, share: Fraction) -> tuple[Fraction, Fraction]:
    """Rates for the sum and for the count that together keep ε, the count's share given.

    A row that enters or leaves moves the sum by T − 1 half steps and the count by 1; one that
    changes its value moves the sum by 2(T − 1) and the count not at all. So (T − 1)·a + b ≤ ε and,
    under changes, 2(T − 1)·a ≤ ε, for each row of a person.
    """
    for_row = epsilon / subject.rows_per_unit
    far = max(1, subject.size - 1)
    count_rate = for_row * share
    sum_rate = (for_row - count_rate) / far
    if subject.change_one:
        sum_rate = min(sum_rate, for_row / (2 * far))
    return sum_rate, count_rate


def why_no_ratio(task: Task) -> Unsuitable | None:
    """Why a noisy sum over a noisy count does not suit."""
    if task.wishes.unbiased:
        return BIASED
    return PROPERTIES_UNKNOWN if task.wishes.requirements else None


def _make(task: Task) -> Candidate:
    started = time.perf_counter()
    subject = task.subject
    epsilon = spendable(task.epsilon)
    tried = []
    for share in _SHARES if not subject.change_one else (*_SHARES, Fraction(1, 2)):
        at = rates(subject, epsilon, share)
        figures = figures_of_mean(RatioRelease(subject, *at, _ANY), task.wishes)
        tried.append((figures.loss, share, at, figures))
    _, share, at, figures = min(tried, key=lambda one: (one[0], one[1]))
    release = RatioRelease(subject, *at, resolution_of(figures))
    figures = without_gaps(release, task.wishes, figures)
    return Candidate(
        name="sum over count",
        title=f"noisy sum over noisy count, {int(share * 100)} % of ε for the count",
        citation="001 Props. 3 and 5; docs/proofs/ratio-mean.md",
        epsilon=task.epsilon,
        figures=figures,
        properties=(),
        seconds=time.perf_counter() - started,
        release=release,
        proof="docs/proofs/ratio-mean.md",
    )


def without_gaps(release: MeanRelease, wishes: Wishes, figures: Figures) -> Figures:
    """The figures with what holds however rows are spread, if gaps alone leave rows out."""
    subject = release.subject
    if not subject.all_but_gaps or wishes.worst_case:
        return figures
    within = float(release.reach(subject.most_rows, wishes.confidence))
    return replace(figures, within=within, supposed=False, gapless=True)


def resolution_of(figures: Figures) -> Fraction:
    """The power of ten below a fiftieth of the expected error: finer digits would tell nothing."""
    return Fraction(10) ** math.floor(math.log10(max(figures.expected or 0.0, 1e-12) / _FINER))


def _width(subject: Subject) -> float:
    return float(subject.last - subject.start)


@lru_cache(maxsize=64)
def _tables(subject: Subject, prior: str | tuple[float, ...]) -> tuple[Floats, Floats]:
    """Simulated tables: numbers of selected rows, and their sums of half steps from the middle.

    Under "databases" rows are uniform; otherwise every table has a mean drawn uniformly first. The
    seed is fixed, for nothing here is private and a plan must not change from day to day.
    """
    dice = np.random.default_rng(20_170_612)
    rows = _numbers_of_rows(subject, prior, dice)
    far = subject.size - 1
    if prior == DATABASES:
        spread = np.sqrt(((2 * np.arange(far + 1) - far) ** 2).mean())
        halves = np.rint(dice.normal(0.0, 1.0, _TABLES) * spread * np.sqrt(rows))
    else:
        halves = np.rint(dice.uniform(-far, far, _TABLES) * rows)
    return rows, np.clip(halves, -far * rows, far * rows)


def _numbers_of_rows(
    subject: Subject, prior: str | tuple[float, ...], dice: np.random.Generator
) -> Floats:
    """Any number is as likely as any other; where gaps alone leave rows out, there are none.

    A plan says so beside the number, and the interval that is told counts the rows there are.
    """
    if subject.all_but_gaps:
        return np.full(_TABLES, float(subject.most_rows))
    if prior == DATABASES:
        numbers = drawn_sizes(subject, dice, _TABLES, maybe_none=True)
    else:
        numbers = dice.integers(0, subject.most_rows + 1, _TABLES)
    return np.asarray(numbers, dtype=np.float64)


def figures_of_mean(release: MeanRelease, wishes: Wishes) -> Figures:
    """The errors of a mean on simulated tables."""
    subject = release.subject
    rows, halves = _tables(subject, wishes.supposed)
    of_halves, of_rows = release.trials(np.random.default_rng(20_200_217), len(rows))
    noisy_sum, noisy_rows = halves + of_halves, np.maximum(1.0, rows + of_rows)
    half = _width(subject) / 2
    unit = float(subject.unit) / 2
    means = np.clip(unit * noisy_sum / noisy_rows, -half, half)
    true = np.where(rows > 0, unit * halves / np.maximum(rows, 1.0), 0.0)
    return _summary(subject, wishes, np.abs(means - true))


def constant_figures(subject: Subject, wishes: Wishes) -> tuple[Value, Figures]:
    """The middle of the range, on the same simulated tables."""
    rows, halves = _tables(subject, wishes.supposed)
    unit = float(subject.unit) / 2
    errors = np.abs(np.where(rows > 0, unit * halves / np.maximum(rows, 1.0), 0.0))
    return (subject.start + subject.last) / 2, _summary(
        subject, wishes, errors, _width(subject) / 2
    )


def _summary(
    subject: Subject, wishes: Wishes, errors: Floats, worst: float | None = None
) -> Figures:
    """What simulated errors say; at worst there are no rows, and any answer may come out."""
    name = loss_name(subject, wishes)
    losses = judged(name, errors)
    furthest = _width(subject) if worst is None else worst
    surely = worst is not None or wishes.worst_case
    return Figures(
        loss=furthest if wishes.worst_case else float(losses.mean()),
        expected=float(errors.mean()),
        worst=furthest,
        within=furthest if surely else _at(errors, wishes.confidence),
        supposed=not surely,
        standard_error=float(losses.std() / math.sqrt(len(losses))),
    )


def _at(errors: Floats, confidence: Fraction) -> float:
    """The error at the confidence, beyond the noise of simulation: two standard errors more."""
    share = float(confidence)
    share += 2 * math.sqrt(share * (1 - share) / len(errors))
    return float(np.quantile(errors, min(share, 1.0), method="higher"))


RATIO_MAKER = Maker("sum over count", Ratio, why_no_ratio, _make, plain=True)
