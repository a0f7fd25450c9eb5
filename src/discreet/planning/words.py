"""Reasons and notes in words: one home for what a plan says of itself.

A front end that has another way to ask for a prior says so with `evenly`.
"""

from collections.abc import Iterable
from fractions import Fraction

from discreet.exact import Epsilon
from discreet.planning.joint.joined import Joined
from discreet.planning.judging import CAP
from discreet.planning.origin import Origin
from discreet.planning.reasons import Best, Caution, Misfit, Note, Sense, Unsuitable
from discreet.planning.subjects.subject import Subject
from discreet.planning.wishes import Wishes
from discreet.statistics import QuartileRange
from discreet.tables import CategoryColumn, DateColumn, PrivacyUnit, name_text
from discreet.tables.expressions.derived import rounded
from discreet.text import (
    MAY_NEED_LESS,
    ON_SHAPES,
    Amount,
    brief,
    imputed_text,
    percent,
    resting_text,
    value_text,
)

REASONS = {
    Misfit.OTHER_STATISTIC: "for other statistics",
    Misfit.BIASED: "its answers stay in the range, so they are biased",
    Misfit.MAY_LEAVE_RANGE: "its answers may leave the range; only for unbiased answers",
    Misfit.TOO_MANY_ANSWERS: "{size} possible answers; the limit is {most}",
    Misfit.TOO_MANY_VALUES: "{size} values; the limit is {most}",
    Misfit.TOO_MANY_HISTOGRAMS: "too many different tables",
    Misfit.NEEDS_NUMBERS: "needs numbers",
    Misfit.NEEDS_PRIOR: "needs numbers and a prior",
    Misfit.NEEDS_PUBLIC_SIZE: "needs a public number of rows, and one row per person",
    Misfit.NEEDS_KNOWN_ROWS: "needs a public number of rows",
    Misfit.ONLY_WITHOUT_PRIOR: "only where no prior is stated",
    Misfit.PLAIN_IS_BEST: "no safe mechanism is much better than the plain one",
    Misfit.PROPERTIES_UNKNOWN: "its properties are not known",
    Misfit.LACKS_PROPERTIES: "it is not {names}",
    Misfit.NO_REMAP: "it cannot be remapped",
    Misfit.NOT_NEEDED: "not needed: every answer can have a column of its own",
    Misfit.NO_WORST_CASE: "its worst case depends on the table",
    Misfit.NOISE_TOO_WIDE: "its noise would be too wide to draw",
    Misfit.ERRS_MORE: "on a public shape it errs {ratio} × as much as '{names}'",
    Misfit.FAILED: "{problem}",
}
"""Why a candidate is left out."""

SHAPES_DECIDE = f"this price is for accuracy {resting_text(ON_SHAPES)}; {MAY_NEED_LESS}"
"""What is said of an ε that was looked for, where a figure over public shapes decided."""
EVENLY = 'ask with prior "databases"'
"""How Python and the service are told that rows are spread evenly."""


def reason_text(reason: Unsuitable) -> str:
    """Why a candidate is left out.

    >>> reason_text(Unsuitable(Misfit.TOO_MANY_VALUES, size=60_001, most=5_001))
    '60,001 values; the limit is 5,001'
    """
    return REASONS[reason.kind].format(
        size=f"{reason.size:,}" if reason.size is not None else "",
        most=f"{reason.most:,}" if reason.most is not None else "",
        names=", ".join(reason.names),
        problem=reason.problem,
        ratio=brief(reason.ratio, 2),
    )


def sense_text(sense: Sense) -> str:
    """In which sense a choice is best, in one sentence.

    >>> sense_text(Sense(Best.ASKED_FOR))
    'the mechanism you named'
    """
    match sense.kind:
        case Best.SAFE:
            text = (
                f"of the mechanisms listed, the least average error ratio over {sense.shapes} "
                "public shapes of tables"
            )
            if sense.plain is None:
                return text
            return f"{text}; on none of them more than {CAP:g} × the error of '{sense.plain}'"
        case Best.STATED_PRIOR:
            return "of the mechanisms listed, the least expected loss under the stated prior"
        case Best.WORST_CASE:
            return "of the mechanisms listed, the least loss for the answer that fares worst"
        case Best.ASKED_FOR:
            return "the mechanism you named"
        case Best.WORKLOAD:
            return "of all ways to measure the table, the least squared error over all answers"


def together_text(joined: Joined, statistics: int) -> str:
    """Which statistics share one draw, and what that saves."""
    many = len(joined.places)
    which = "both" if many == statistics == 2 else f"all {many}" if many == statistics else None
    if which is None:
        *first, last = (str(place + 1) for place in joined.places)
        which = f"statistics {', '.join(first)} and {last}"
    text = f"{which} are answered together, from one draw"
    return _beside_separate(text, joined.saved, "cost" if joined.cheaper else "err")


def at_once_text(many: int, confidence: Fraction) -> str:
    """Why answers that others are computed from are told more surely."""
    sure = percent(1 - many * (1 - confidence))
    return (
        f"a figure computed from {many} answers has an interval that holds at {sure} %, because "
        f"each of the {many} holds at {percent(confidence)} %"
    )


def kept_rows_text(unit: PrivacyUnit) -> str:
    """That some rows of a person may not count.

    >>> kept_rows_text(PrivacyUnit("id", 3))
    'at most 3 rows count per person; if there are more, the others are left out at random'
    """
    most, column = unit.most_rows, unit.one_row_per
    many = "1 row counts" if most == 1 else f"{most} rows count"
    each = "" if column is None else f", one for each value of {column}"
    more = "if there are more, the others are left out at random"
    return f"at most {many} per person{each}; {more}"


def shared_text(saved: float | None, statistic: str | None) -> str:
    """That groups share one draw, and how many times as much they would err one by one.

    The statistic is named where there are several.
    """
    whose = "" if statistic is None else f" of {statistic}"
    text = f"all groups{whose} are answered together, from one draw"
    return text if saved is None else _beside_separate(text, saved, "err")


def _beside_separate(text: str, saved: float, dear: str) -> str:
    """What a shared draw saves, where that is anything."""
    times = brief(saved, 3)
    return text if times == "1" else f"{text}: separately they would {dear} {times} × as much"


def origin_text(origin: Origin, known: str, draw: int) -> str:
    """Where an answer comes from, how exact it is, and what a new draw costs, in billionths."""
    return f"{origin}{known and ', '}{known}; a fresh draw would cost ε = {Amount(draw)}"


def note_text(note: Note, evenly: str = EVENLY) -> str:
    """A warning in plain words; `evenly` says how one asks for rows that are spread evenly."""
    always = "" if note.always is None else value_text(note.always)
    match note.kind:
        case Caution.IMPUTED:
            assert note.imputed is not None
            return imputed_text(note.imputed.column, note.imputed.value)
        case Caution.FREE:
            return (
                f"always answering {always} is never further off than {note.error:g}: nothing is "
                "spent, and no row is read"
            )
        case Caution.PRIOR_MATTERS:
            return (
                "if rows were spread evenly over the declared values, always answering "
                f"{always} for {note.statistic} would err less ({brief(note.error, 3)}, not "
                f"{brief(note.ours, 3)}); if that is likely, {evenly}"
            )
        case Caution.VAGUE:
            assert note.share is not None
            tenths = round(10 * note.share)
            many = "nearly all" if tenths > 9 else f"about {tenths} of 10"
            return (
                f"the interval of {note.statistic} may be the whole declared range, and tell "
                f"nothing: {many} are, at ε = {note.epsilon} on public shapes of tables, and fewer "
                "at a larger ε"
            )
        case Caution.CONSTANT_AS_GOOD | Caution.CONSTANT_BETTER:
            better = "do as well" if note.kind is Caution.CONSTANT_AS_GOOD else "err less"
            return (
                f"ε = {note.epsilon} is too small for {note.statistic}: always answering {always} "
                f"would {better}; spend more, or do not ask"
            )


def refusal_text(
    subject: Subject, wishes: Wishes, epsilon: Epsilon, left_out: Iterable[tuple[str, Unsuitable]]
) -> str:
    """Why nothing suits, and what to do."""
    name = subject.statistic.name
    if wishes.unbiased:
        return f"no unbiased mechanism is known for {name}; ask for COUNT or SUM, or leave it out"
    reasons = [reason for _, reason in left_out if not reason.expected]
    if any(reason.kind is Misfit.NOISE_TOO_WIDE for reason in reasons):
        return (
            f"ε = {epsilon} is too small for {name} of {subject.values:,} values: the noise would "
            "be too wide to be drawn; spend more, or declare a coarser step"
        )
    option = _demanding(wishes)
    most = max((reason.most for reason in reasons if reason.most is not None), default=None)
    if most is not None:
        called, limit = subject.statistic.words.function, f"the limit is {most:,}"
        return (
            f"{called} has {subject.size:,} possible answers here; "
            f"{limit if option is None else f'with {option} {limit}'}; {_fewer(subject, most)}"
            f"{_instead(subject) if option is None else f', or leave {option} out'}"
        )
    why = "; ".join(dict.fromkeys(map(reason_text, reasons)))
    left = "ask for something else" if option is None else f"leave {option} out"
    return f"no mechanism suits {name} here ({why}); {left}"


def _demanding(wishes: Wishes) -> str | None:
    """The option that few mechanisms meet; None without one."""
    if wishes.remap is not None:
        return "the remap"
    return "the requirements" if wishes.requirements else None


def _fewer(subject: Subject, most: int) -> str:
    """How there would be fewer answers; of words, what is asked instead."""
    column = subject.column
    if isinstance(column, CategoryColumn):
        return f"ask TOP({name_text(column.name)}, 1), or group the words by CASE or a lookup"
    larger = "declare a larger step"
    if isinstance(column, DateColumn) or column is None or subject.size != subject.values:
        return larger
    plain = column.name if name_text(column.name) == column.name else "…"
    span = column.grid.last - column.grid.start
    return f"{larger}, or round it: {rounded(plain, span, most - 1)}"


def _instead(subject: Subject) -> str:
    """What could be asked of any number of values."""
    column = subject.item.column
    if not isinstance(subject.statistic, QuartileRange) or column is None:
        return ""
    name = name_text(column)
    return f", or ask {' - '.join(f'QUANTILE({name}, {share})' for share in (0.75, 0.25))}"
