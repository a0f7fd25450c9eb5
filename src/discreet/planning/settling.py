"""What public facts decide before anything is drawn: conditions that every row meets or none, what
counts in the place of gaps, and what is refused. There is nothing to pay for."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from discreet.errors import DesignError, GoalError, QuestionError, named
from discreet.exact import RationalLike, rational, show
from discreet.planning.reasons import Imputed
from discreet.planning.releases.release import Release
from discreet.planning.row_counts import RowCount, is_ever_told, least_epsilon
from discreet.planning.subjects.subject import Subject
from discreet.planning.totals import Totals
from discreet.planning.wishes import About, Wishes, check_statistics
from discreet.questions import (
    EVERY_ROW,
    AllOf,
    Condition,
    Item,
    Not,
    Question,
    columns_used,
    item_text,
    rows_taken,
)
from discreet.questions.conditions import share_of_rows
from discreet.statistics import Count, Mean, Share, Sum
from discreet.tables import Facts, imputes
from discreet.text import BILLION, Amount, plural

NEAREST, FARTHEST = Fraction(1, 10**100), 10**15
"""How far off answers may be wished, at least and at most."""
MOST_ANSWERS = 5_000
"""How many answers one question may have: they are drawn and stored together."""
MOST_POSSIBLE = 1 << 62
"""How many possible answers a statistic may have."""
MOST_COUNTS = 1 << 25
"""How many counts of rows one statistic may need, over all groups."""
LEAST_TOLD = Fraction(1, 100)
"""ε times the rows of a table, below which the rows hardly matter for what is drawn."""


def settled(question: Question, dataset: Facts) -> Question:
    """The question without conditions that every possible row meets.

    What no row can ever meet is refused. Where the possible rows are too many to try, conditions
    stay as they are.
    """
    where = EVERY_ROW if share_of_rows(question.where, dataset) == 1 else question.where
    if share_of_rows(where, dataset) == 0:
        raise QuestionError("no row can meet this condition, for any data; nothing was spent")
    question = replace(question, where=where)
    items = tuple(_settled(one, question, dataset) for one in question.items)
    return replace(question, items=items)


def _settled(item: Item, question: Question, dataset: Facts) -> Item:
    where, condition = question.where, item.condition
    if item.column is not None:
        if share_of_rows(rows_taken(item, question, dataset), dataset) == 0:
            raise QuestionError(
                f"{item.column} is missing in every row that meets the condition, for any data; "
                "nothing was spent"
            )
        return replace(item, label=_name(item, dataset))
    met = share_of_rows(_both(where, condition), dataset)
    if met == 0:
        raise QuestionError(
            f"no row can meet the condition of {_name(item, dataset)}, for any data; "
            "nothing was spent"
        )
    if isinstance(item.statistic, Share):
        if share_of_rows(_both(where, Not(condition)), dataset) == 0:
            raise QuestionError(
                f"every row here meets the condition of {_name(item, dataset)}, for any data: "
                "the share is always 1; nothing was spent"
            )
    elif condition != EVERY_ROW and met is not None and met == share_of_rows(where, dataset):
        return replace(item, condition=EVERY_ROW, label=_name(item, dataset))
    return replace(item, label=_name(item, dataset))


def _name(item: Item, dataset: Facts) -> str:
    return item.label or item_text(item, dataset)


def _both(where: Condition, condition: Condition) -> Condition:
    return condition if where == EVERY_ROW else AllOf((where, condition))


def is_public(question: Question, facts: Facts) -> bool:
    """Whether all that a settled question asks is how many rows there are, and everybody knows."""
    every = all(
        isinstance(one.statistic, Count) and one.column is None and one.condition == EVERY_ROW
        for one in question.items
    )
    plain = question.where == EVERY_ROW and not question.group_by
    return facts.size_is_public and plain and every


def imputed_by(question: Question, facts: Facts) -> tuple[Imputed, ...]:
    """The columns of a question whose gaps count as a declared value, in the order of the file."""
    used = set[str]().union(*map(facts.bases, columns_used(question)))
    return tuple(
        Imputed(one.name, one.missing_text)
        for one in facts.columns
        if one.name in used and imputes(one)
    )


def check_answers(groups: int, statistics: int, instead: str) -> None:
    """Refuse more answers than one entry of a ledger should hold; say what would work instead."""
    if groups * statistics > MOST_ANSWERS:
        each = plural(statistics, "statistic")
        raise QuestionError(
            f"{groups:,} groups with {each} each are too many answers; the limit is "
            f"{MOST_ANSWERS:,}; {instead}"
        )


def check_counts(subject: Subject, groups: int) -> None:
    """Refuse more counts than memory should hold: public facts decide, not how many are there.

    And more possible answers than whole numbers of 64 bits can tell apart.
    """
    if subject.size > MOST_POSSIBLE:
        raise QuestionError(
            f"{subject.statistic.words.function} of {plural(subject.most_rows, 'row')} has more "
            "than 2^62 possible answers here, which is too many; declare a larger step or "
            "narrower bounds"
        )
    if subject.needs_values:
        _check_counts(subject, groups)


def _check_counts(subject: Subject, groups: int) -> None:
    if groups * subject.values > MOST_COUNTS:
        raise QuestionError(
            f"{groups:,} groups with a count for each of {subject.values:,} values are too many; "
            f"the limit is {MOST_COUNTS:,} counts; use wider bins: GROUP BY BIN(column, width)"
        )


def distance_of(within: "RationalLike | None") -> Fraction:
    """How far off an answer may be, read and checked: a distance, or a share as a number.

    >>> distance_of("0.5")
    Fraction(1, 2)
    """
    distance = rational(within, named("within"), GoalError)
    if distance <= 0:
        raise GoalError(
            f"{named('within')} must be more than 0: it says how far off answers may be, for "
            f"example {named('within', 5)}; got {show(within)}"
        )
    if not NEAREST <= distance <= FARTHEST:
        end = f"least {float(NEAREST):g}" if distance < NEAREST else f"most {FARTHEST:g}"
        raise GoalError(f"{named('within')} must be at {end}, got {show(within)}")
    return distance


def check_wishes(wishes: Wishes, subjects: list[Subject], groups: int) -> None:
    """Refuse wishes that none of the statistics can meet."""
    counts = any(isinstance(subject.statistic, Count) for subject in subjects)
    if wishes.consistent and (groups < 2 or not counts):
        raise GoalError("consistent is only for counts by group; ask for them, or leave it out")
    for prior in (wishes.prior, wishes.remap):
        if isinstance(prior, tuple) and any(subject.size != len(prior) for subject in subjects):
            sizes = sorted({subject.size for subject in subjects})
            raise GoalError(
                f"the prior has {len(prior)} numbers, but the possible answers are "
                f"{', '.join(f'{size:,}' for size in sizes)}; give one for each possible answer"
            )


def check_importance(wishes: Wishes, subjects: list[Subject]) -> None:
    """Refuse an importance for other statistics than those that are asked for."""
    given = wishes.importance
    if given is not None and len(given) != len(subjects):
        raise GoalError(
            f"{named('importance')} has {plural(len(given), 'number')}, but the question has "
            f"{plural(len(subjects), 'statistic')}; give one for each"
        )


def check_intervals(wishes: Wishes, subjects: list[Subject], *, within: bool) -> None:
    """Refuse intervals that are not known for a statistic."""
    statistics = [subject.statistic for subject in subjects]
    check_statistics((wishes.interval, wishes.about), statistics, within=within)
    if wishes.about == About.POPULATION:
        for subject in subjects:
            _check_population(subject)


def check_within(wishes: Wishes, question: Question, dataset: Facts, totals: Totals | None) -> None:
    """Refuse a distance for counts that are made to add up after they are drawn.

    How far that moves a count depends on the rows: one group that holds all of them takes what the
    noise of many empty ones adds up to. Bringing single counts into their range moves none away.
    """
    fitted = "how far this moves a count depends on the rows"
    if totals is not None and not wishes.unbiased:
        kind = "running totals never fall" if totals.running else "totals add up"
        raise GoalError(
            f"{named('within')} is not available where {kind}: counts are adjusted to do "
            f"so, and {fitted}; use {named('unbiased')}, which leaves them as drawn, or "
            f"{named('epsilon', 1)}"
        )
    counts = (one for one in question.items if isinstance(one.statistic, Count))
    every = question.where == EVERY_ROW and any(one.condition == EVERY_ROW for one in counts)
    if wishes.consistent and dataset.size_is_public and every:
        raise GoalError(
            f"{named('within')} is not available with {named('consistent')}: counts are adjusted "
            f"to add up to the size, and {fitted}; leave one of them out"
        )


def check_clamping(wishes: Wishes, subjects: list[Subject], groups: int, *, within: bool) -> None:
    """Refuse clamping where it is not known, or needs more counts than are kept."""
    if not wishes.clamp:
        return
    for subject in subjects:
        _check_clamp(wishes, subject, within=within)
        _check_counts(subject, groups)


def check_told(
    releases: Sequence[Release[Any]],
    rows_by: Sequence[int | None],
    bought: Sequence[RowCount],
    billionths: int,
    *,
    grouped: bool,
) -> None:
    """Refuse an ε at which no value would ever be told, for want of a count that shows rows."""
    sources = [releases[one] for one in rows_by if one is not None]
    if len(sources) < len(rows_by) or any(map(is_ever_told, sources)):
        return
    first = sources[0]
    which = "every group would" if grouped else "these rows would always"
    enough = "more, or ask for COUNT or SUM"
    if bought:
        enough = f"at least {least_epsilon(bought[0], billionths)}, or ask for COUNT(*) as well"
    raise DesignError(
        f"ε = {Amount(billionths)} is too small for a table of at most "
        f"{plural(first.subject.most_rows, 'row')}: {which} be reported as having too few rows; "
        f"spend {enough}"
    )


def tells(billionths: int, dataset: Facts) -> bool:
    """Whether what is drawn depends on the rows at all, to speak of; what is free may.

    Two tables of at most n rows are at most 2n neighbours apart, so that at most a share
    tanh(εn) ≤ εn of draws can differ between them (docs/proofs/composition.md, Far apart).
    """
    share = LEAST_TOLD.denominator * billionths * dataset.most_rows
    return not billionths or share >= LEAST_TOLD.numerator * BILLION


def check_tells(billionths: int, dataset: Facts, *, by_accuracy: bool = True) -> None:
    """Refuse to sell an answer that would be the same in 99 of 100 draws, whatever the rows are."""
    if not tells(billionths, dataset):
        instead = f", or ask for an accuracy with {named('within')}" if by_accuracy else ""
        raise QuestionError(
            f"ε = {Amount(billionths)} tells nothing about {plural(dataset.most_rows, 'row')}: at "
            "least 99 of 100 answers would be the same whatever they are; spend more"
            f"{instead}; nothing was charged",
            field="epsilon",
        )


def _check_clamp(wishes: Wishes, subject: Subject, *, within: bool) -> None:
    """QuestionError where values cannot be clamped for a statistic, or not with other wishes."""
    option, called = named("clamp"), subject.statistic.words.function
    if not isinstance(subject.statistic, Mean):
        raise QuestionError(f"{option} is for AVG, not for {called}; leave it out")
    others = {
        "within": within,
        "mechanism": wishes.mechanism is not None,
        "unbiased": wishes.unbiased,
        "worst_case": wishes.worst_case,
        "require": bool(wishes.requirements.names()),
        "remap": wishes.remap is not None,
        "about": wishes.about != About.TABLE,
    }
    for name, wished in others.items():
        if wished:
            raise QuestionError(
                f"{option} is not available with {named(name)}: what clamping loses depends on the "
                "rows; leave one of them out"
            )


def _check_population(subject: Subject) -> None:
    """QuestionError where nothing can be said of a population."""
    option = named("about", About.POPULATION)
    if subject.rows_per_unit > 1:
        raise QuestionError(
            f"{option} needs rows that are drawn independently, but one person has up to "
            f"{subject.rows_per_unit} of them here; leave it out"
        )
    if isinstance(subject.statistic, Count | Sum) and not subject.size_is_public:
        raise QuestionError(
            f"{option} needs a public number of rows for {subject.statistic.words.function}; ask "
            f"for {Share.names[0].function} or AVG instead"
        )
