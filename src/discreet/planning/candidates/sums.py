"""Groups with their subtotals and totals: the strategy that errs least over all that is told."""

import time

from discreet.errors import DesignError, GoalError, named
from discreet.exact import Epsilon, show
from discreet.joint.estimates import Estimates
from discreet.joint.levels import Levels, OneRadius, PrivacyTerms, best_levels
from discreet.joint.strategies import Setting
from discreet.planning.candidates.candidate import Candidate, Figures, Task
from discreet.planning.releases.sums import AskedTotals, SumsRelease
from discreet.planning.wishes import About
from discreet.text import plural

NAME = "totals"
MOST_ESTIMATED = 512
"""Of more cells running totals are added up from the cells alone."""


def totals_together(task: Task) -> Candidate:
    """One release for all groups and their totals."""
    started, asked = time.perf_counter(), task.totals
    assert asked is not None
    _check(task)
    whole = task.whole
    levels = best_sums(asked, whole, task.subject.most_rows)
    release = SumsRelease(task.subject, asked, levels, task.wishes.unbiased)
    if not release.drawable:
        raise DesignError(
            f"ε = {whole} is too small for {plural(asked.totals.cells, 'group')}: the noise would "
            "be too wide to be drawn; spend more"
        )
    mean = sum(release.errors) / len(release.errors)
    return Candidate(
        name=NAME,
        title=f"{'running totals' if asked.totals.running else 'counts that add up'}, from "
        f"{levels.name}",
        citation="Li, Miklau, Hay, McGregor & Rastogi 2015",
        epsilon=whole,
        figures=Figures(
            loss=mean,
            expected=mean,
            worst=max(release.errors),
            typical=(mean, mean),
            worst_shape=mean,
            within=float(max(levels.reaches(task.wishes.confidence))),
        ),
        properties=("unbiased",) if task.wishes.unbiased else ("consistent",),
        seconds=time.perf_counter() - started,
        release=release,
        proof="docs/proofs/workloads.md",
    )


def best_sums(
    asked: AskedTotals, epsilon: Epsilon, most_rows: int
) -> Levels | OneRadius | Estimates:
    """Of all ways to measure the cells, what errs least over all that is told."""
    totals = asked.totals
    charge = PrivacyTerms(
        epsilon=epsilon,
        relation=asked.relation,
        rows_per_unit=asked.rows_per_unit,
        total_is_public=asked.rows is not None,
    )
    plain = best_levels(totals.cells, totals.partitions, totals.members, charge)
    if not totals.running or totals.cells > MOST_ESTIMATED:
        return plain
    setting = Setting(
        cells=totals.cells,
        epsilon=epsilon,
        relation=asked.relation,
        rows_per_unit=asked.rows_per_unit,
        total_is_public=asked.rows is not None,
    )
    strategy = setting.best(totals.workload)
    estimates = Estimates(strategy, totals.workload, most_rows)
    return estimates if estimates.rmse < plain.rmse * (1 - 1e-9) else plain


def _check(task: Task) -> None:
    """Refuse wishes that counts with totals do not know."""
    wishes = task.wishes
    refused = {
        "require": bool(wishes.requirements),
        "remap": wishes.remap is not None,
        "about": wishes.about == About.POPULATION,
    }
    for name, given in refused.items():
        if given:
            raise GoalError(
                f"{named(name)} is not available for counts with totals; leave it out, or use "
                "GROUP BY without ROLLUP, CUBE and GROUPING SETS"
            )
    if wishes.mechanism not in (None, NAME):
        raise GoalError(
            f"mechanism {show(wishes.mechanism)} does not apply to counts with totals; the only "
            f"one is {NAME}"
        )
