"""All candidates for one statistic, the chosen one among them, and what that costs over all groups.

Choices are kept for a while, so that asking again takes no time.
"""

from dataclasses import replace

from discreet.errors import DesignError, DiscreetError, GoalError
from discreet.exact import show
from discreet.lifetimes import Recent
from discreet.planning.candidates.baselines import CLAMPED, TOPS, UNBIASED, constant
from discreet.planning.candidates.bounds import with_bounds, without_bounds
from discreet.planning.candidates.by_answer import (
    BY_ANSWER,
    CLASSICS,
    COARSE,
    REMAPPED,
    candidate_of,
    remapped,
)
from discreet.planning.candidates.by_database import BY_DATABASE
from discreet.planning.candidates.by_frequency import BY_FREQUENCY
from discreet.planning.candidates.by_rank import BY_RANK, TUNED_RANK
from discreet.planning.candidates.candidate import Candidate, Maker, Task
from discreet.planning.candidates.cells import CELLS, SPREAD
from discreet.planning.candidates.clamping import clamped_mean
from discreet.planning.candidates.curves import CURVES
from discreet.planning.candidates.moments import MOMENTS
from discreet.planning.candidates.population import about_population, of_table
from discreet.planning.candidates.ratio import RATIO_MAKER
from discreet.planning.candidates.small_tables import REMAPPED_TABLES, WHOLE_TABLES
from discreet.planning.candidates.spread_sums import SPREAD_SUMS
from discreet.planning.candidates.sums import totals_together
from discreet.planning.judging import (
    errs_more,
    hopeless_by_answer,
    reference_of,
    sense_of,
    verdict,
)
from discreet.planning.parts import Choice
from discreet.planning.reasons import Best, Misfit, Sense, Unsuitable
from discreet.planning.releases.choice import ChoiceRelease
from discreet.planning.releases.matrix import MatrixRelease
from discreet.planning.wishes import About
from discreet.planning.words import reason_text, refusal_text

MAKERS: tuple[Maker, ...] = (
    WHOLE_TABLES,
    REMAPPED_TABLES,
    CELLS,
    SPREAD,
    SPREAD_SUMS,
    BY_ANSWER,
    BY_DATABASE,
    TUNED_RANK,
    BY_RANK,
    BY_FREQUENCY,
    REMAPPED,
    *CLASSICS,
    CLAMPED,
    COARSE,
    UNBIASED,
    RATIO_MAKER,
    MOMENTS,
    CURVES,
    TOPS,
)
"""Every kind of candidate; of equally good ones the first is taken."""

_PLAIN = {maker.name for maker in MAKERS if maker.plain}

MOST_BYTES = 256 << 20
"""How much memory the choices made last may take."""


def choose(task: Task) -> Choice:
    """Make and compare every candidate that suits the task."""
    by_groups = (task.sharing, task.cells, task.spread, task.totals)
    room = (task.quick, task.among)
    key = (task.subject, task.wishes, task.epsilon, str(task.cache), room, by_groups)
    return _RECENT.get(key, lambda: _told_as_wished(task))


def _told_as_wished(task: Task) -> Choice:
    """The choice; where other intervals are wished, that of the same mechanisms, wrapped."""
    if task.subject.size == 1:
        return _choose(task)
    if task.totals is not None:
        return _totals_choice(task)
    if task.wishes.clamp:
        return _clamped_choice(task)
    if task.wants_bounds:
        choice = choose(without_bounds(task))
        return replace(choice, candidates=with_bounds(task, choice.candidates))
    if task.wishes.about == About.POPULATION:
        choice = choose(of_table(task))
        return replace(choice, candidates=about_population(task, choice.candidates))
    return _choose(task)


def _clamped_choice(task: Task) -> Choice:
    """The clamped mean, which was asked for."""
    baseline, clamped = constant(task.subject, task.wishes), clamped_mean(task)
    lacks = _lacks(task, clamped)
    if lacks is not None:
        left_out = [(clamped.name, lacks)]
        raise DesignError(refusal_text(task.subject, task.wishes, task.epsilon, left_out))
    return Choice((clamped,), verdict(task, baseline).candidate, (), Sense(Best.ASKED_FOR))


def _totals_choice(task: Task) -> Choice:
    """The sums of groups that were asked for, by the strategy that errs least over all of them."""
    baseline, sums = constant(task.subject, task.wishes), totals_together(task)
    return Choice((sums,), verdict(task, baseline).candidate, (), Sense(Best.WORKLOAD))


def _choose(task: Task) -> Choice:
    baseline = constant(task.subject, task.wishes)
    if task.subject.size == 1:
        return Choice((baseline,), baseline, ())
    outcomes = _found(task)
    made = [one for one in outcomes.values() if isinstance(one, Candidate)]
    left_out = [(name, one) for name, one in outcomes.items() if isinstance(one, Unsuitable)]
    if not made and task.wishes.mechanism is not None:
        raise GoalError(_not_that_one(task, left_out))
    if not made:
        raise DesignError(refusal_text(task.subject, task.wishes, task.epsilon, left_out))
    if task.wishes.safe:
        return _safe_choice(task, made, baseline, left_out)
    made.sort(key=lambda candidate: candidate.figures.loss * (1 + 1e-9))
    return Choice(tuple(_stable(made)), baseline, tuple(left_out), sense_of(task))


def _found(task: Task) -> dict[str, Candidate | Unsuitable]:
    """A candidate of every maker, or why there is none; what cannot be safe is not even made."""
    wanted = [maker for maker in MAKERS if _is_wanted(maker, task)]
    known = {maker.name: _made(maker, task) for maker in wanted if maker.plain}
    hopeless = None
    if task.wishes.safe and task.wishes.mechanism is None:
        plain = next((one for one in known.values() if isinstance(one, Candidate)), None)
        if plain is not None:
            hopeless = hopeless_by_answer(task, reference_of(task, verdict(task, plain)))
    others = {
        maker.name: (maker.by_answer and hopeless) or _made(maker, task)
        for maker in wanted
        if not maker.plain
    }
    known |= others
    return {maker.name: known[maker.name] for maker in wanted}


def _is_wanted(maker: Maker, task: Task) -> bool:
    return task.wishes.mechanism in (None, maker.name)


def _not_that_one(task: Task, left_out: list[tuple[str, Unsuitable]]) -> str:
    """Why the mechanism that was asked for cannot be had, and which could."""
    named = task.wishes.mechanism
    free = [one.name for one in MAKERS if one.name != named and one.unsuited(task) is None]
    others = f"mechanisms that do: {', '.join(free)}" if free else "leave out the other options"
    given = f"mechanism {show(named)}"
    asked = task.subject.statistic.words.function
    why = "".join(f" ({reason_text(reason)})" for _, reason in left_out)
    return f"{given} does not apply to {asked} here{why}; {others}"


def _safe_choice(
    task: Task,
    made: list[Candidate],
    baseline: Candidate,
    left_out: list[tuple[str, Unsuitable]],
) -> Choice:
    """The safe rule: docs/proofs/safe-rule.md."""
    verdicts = [verdict(task, candidate) for candidate in made]
    plain = next((one for one in verdicts if one.candidate.name in _PLAIN), None)
    reference = None if plain is None else reference_of(task, plain)
    kept = []
    for one in verdicts:
        reason = None
        if reference is not None and one is not plain:
            reason = errs_more(task, one, reference)
        if reason is None:
            kept.append(one.candidate)
        else:
            left_out.append((one.candidate.name, reason))
    kept.sort(key=lambda candidate: candidate.figures.loss)
    return Choice(
        tuple(_tied_in_order(kept)),
        verdict(task, baseline).candidate,
        tuple(left_out),
        sense_of(task, None if plain is None else plain.candidate.name),
    )


def _made(maker: Maker, task: Task) -> Candidate | Unsuitable:
    """A candidate that suits, or why there is none."""
    reason = maker.unsuited(task)
    if reason is not None:
        return reason
    try:
        candidate = _replying(task, maker.make(task))
    except DiscreetError as problem:
        return Unsuitable(Misfit.FAILED, problem=str(problem))
    return _lacks(task, candidate) or candidate


def _stable(made: list[Candidate]) -> list[Candidate]:
    return _by_table_first(_tied_in_order(made))


def _tied_in_order(made: list[Candidate]) -> list[Candidate]:
    """Losses that agree to nine digits are equal: the order of the makers then decides."""
    order = {maker.name: place for place, maker in enumerate(MAKERS)}
    best = made[0].figures.loss
    tied = [one for one in made if one.figures.loss <= best * (1 + 1e-9)]
    rest = [one for one in made if one.figures.loss > best * (1 + 1e-9)]
    return sorted(tied, key=lambda one: order.get(one.name, len(order))) + rest


def _by_table_first(ranked: list[Candidate]) -> list[Candidate]:
    """What simulation cannot tell apart is a tie, and then who looks at the whole table is first.

    A mechanism that knows the answer alone errs as the prior says, however many rows there are;
    one that looks at the table errs less where the rows leave less room.
    """
    first = ranked[0].figures.loss
    for one in ranked:
        near = one.figures.loss - first <= (one.figures.standard_error or 0.0)
        if near and isinstance(one.release, ChoiceRelease):
            if isinstance(ranked[0].release, MatrixRelease):
                return [one, *(other for other in ranked if other is not one)]
            break
    return ranked


def _lacks(task: Task, candidate: Candidate) -> Unsuitable | None:
    if not candidate.release.drawable:
        return Unsuitable(Misfit.NOISE_TOO_WIDE)
    if task.wishes.remap is not None and candidate.release.by_answer is None:
        return Unsuitable(Misfit.NO_REMAP)
    wanted = task.wishes.requirements.names()
    missing = tuple(name for name in wanted if name not in candidate.properties)
    return Unsuitable(Misfit.LACKS_PROPERTIES, names=missing) if missing else None


def _replying(task: Task, candidate: Candidate) -> Candidate:
    """The candidate after the Bayes remap that was asked for, where it can be had."""
    prior, matrix = task.wishes.remap, candidate.release.by_answer
    if prior is None or matrix is None:
        return candidate
    return candidate_of(
        task,
        remapped(task, matrix, prior),
        name=candidate.name,
        title=f"{candidate.title}, with a Bayes remap",
        citation=candidate.citation,
        seconds=candidate.seconds,
        proof=candidate.proof,
    )


_RECENT = Recent[tuple[object, ...], Choice](
    MOST_BYTES, lambda _, choice: min(choice.bytes, MOST_BYTES)
)


def forget() -> None:
    """Forget all choices; designs on disk stay."""
    _RECENT.clear()
