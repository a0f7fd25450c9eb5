"""The lines that a draft proposes for one column, and what is doubtful about them."""

import json
import re
import tomllib
from dataclasses import KW_ONLY, dataclass, replace
from datetime import date

from discreet.errors import InvalidInput
from discreet.exact import show
from discreet.model.spaces import MOST
from discreet.statistics import MOST_RANKED
from discreet.tables.cleaning import NONE
from discreet.tables.columns import OTHER, ColumnType
from discreet.tables.declared import column_of
from discreet.tables.drafts.bounds import propose
from discreet.tables.drafts.numbers import Apart, Numbers
from discreet.tables.drafts.seen import MOST_WORDS, Seen
from discreet.tables.drafts.writing import CONFIRM, fact_lines, key_text, quoted_text, words_text
from discreet.text import Resolution, brief, count_of, decimal_text, plural

_EITHER = 2
_FEW_WORDS = 30
_MOST_INSIDE = 60
"""More words are listed in a file of their own, beside the draft."""
_SEEN_OFTEN = 5
_COMES_BACK = 10
_ALL_DIFFERENT = 4
_SHORT = 50
_TRUTH = {"true", "false", "t", "f", "yes", "no", "y", "n", "0", "1", "0.0", "1.0"}
_ODD_DATES = "its dates are in a form that is not supported: write them as 2024-01-31"
_NAMED = "it looks like a name or an id"
_REPEATS = "repeats: perhaps your privacy unit"
_BELOW = "<≤"
_BEGINS = re.compile(rf"([{_BELOW}>≥] ?)?([0-9]{{1,18}})")
_WHO = "case|client|employee|member|patient|person|resp|respondent|student|subj|subject|user"
_IDENTIFIER = re.compile(
    r"(^|[_ .-])(id|pid|uid|uuid|person|patient|user|email|name|phone|ssn)$"
    rf"|(^|[_ .-])(id|({_WHO})[_ .-]?)(no|nr|num|number|code)$|(^|[_ .-])({_WHO})id$"
    r"|(?-i:[a-z]I[dD])$",
    re.I,
)
"""`id`, `patient`, `idno`, `patient_no`, `respid`, `caseId`; not `paid`, `bid` or `valid`."""
_ROW_NUMBER = re.compile(
    r"(rownames?|row|row[_ ]?(id|no|nr|num|number)|index|unnamed: 0|no|nr|obs)", re.I
)


@dataclass(frozen=True)
class Proposal:
    """What a draft says of a column: its lines, or why it is left out."""

    column: str
    lines: str = ""
    doubt: str = ""
    """What is odd about the rows that the lines were made from: for the custodian alone."""
    left_out: str = ""
    _: KW_ONLY
    may_be_unit: bool = False
    """Whether it may say whose row it is."""
    listed: tuple[str, ...] = ()
    """The words that are listed in a file of their own."""

    @property
    def list_name(self) -> str:
        """What that file is called."""
        return re.sub(r"[^\w-]+", "-", self.column) + ".words.txt"

    @property
    def text(self) -> str:
        """The lines in the file."""
        if self.left_out:
            return f"# Column {json.dumps(self.column)} is left out: {self.left_out}.\n"
        return f"[columns.{key_text(self.column)}]\n{self.lines}"


def proposal(column: Seen) -> Proposal:
    """What to declare of a column; what cannot be declared is left out, with the reason."""
    if why := _unusable(column):
        may_be = why.endswith(_REPEATS)
        return Proposal(column.name, left_out=why, may_be_unit=may_be)
    made = _boolean(column) if _is_boolean(column) else _declared(column)
    facts = tomllib.loads(made.text)["columns"][column.name]
    if facts.pop("values_from", None) is not None:
        facts["values"] = list(made.listed)
    try:
        column_of(column.name, facts)
    except InvalidInput:
        return Proposal(column.name, left_out="its values form neither a range nor a list of words")
    return made


def _is_boolean(column: Seen) -> bool:
    words = {word.lower() for word, _ in column.words}
    return column.different <= 2 and bool(words) and words <= _TRUTH and not words <= {"1", "1.0"}


def _unusable(column: Seen) -> str:
    """Why a column should not be declared; empty when it may be."""
    usable = _is_boolean(column) or _is_measured(column) or column.is_dated
    if column.different and usable:
        return ""
    for applies, why in (
        (column.different == 0, "it holds nothing"),
        (_numbers_rows(column), "it numbers the rows"),
        (column.mostly(column.like_dates), _ODD_DATES),
        (not _is_named(column), _odd_words(column)),
    ):
        if applies:
            return why
    return f"{_NAMED}{_returning(column)}"


def _is_measured(column: Seen) -> bool:
    """Whether it holds numbers that say something."""
    return column.is_numeric and not _numbers_rows(column) and not _is_named(column)


def _is_named(column: Seen) -> bool:
    """Whether its name is that of a name or an id."""
    return bool(_IDENTIFIER.search(column.name)) and column.different > 2


def _numbers_rows(column: Seen) -> bool:
    return column.numbers_rows or (bool(_ROW_NUMBER.fullmatch(column.name)) and not column.repeats)


def _odd_words(column: Seen) -> str:
    """Why words should not be listed; empty when they may be."""
    if column.mostly(column.commas) and not column.coded:
        return (
            "its commas may separate thousands or decimals: declare it with "
            'decimal = "," if they are decimal commas'
        )
    if column.coded and not column.repeats:
        return _NAMED
    if column.is_free_text or (column.filled >= _ALL_DIFFERENT and not column.repeats):
        return "it holds free text"
    if column.different <= _FEW_WORDS or _listable(column):
        return ""
    return f"it has {column.different:,} different words{_returning(column)}"


def _returning(column: Seen) -> str:
    return f" and {_REPEATS}" if column.repeats else ""


def _listable(column: Seen) -> bool:
    """Whether many words come back so often that they are public names of something."""
    return column.different <= MOST_WORDS and column.filled >= _COMES_BACK * column.different


def _boolean(column: Seen) -> Proposal:
    facts = {"type": quoted_text(ColumnType.BOOLEAN), **_gap_facts(column, "false")}
    return Proposal(column.name, _confirm(column, "yes or no") + fact_lines(facts))


def _declared(column: Seen) -> Proposal:
    if column.is_dated:
        return _dates(column)
    return _numbers(column) if column.is_numeric else _words(column)


def _dates(column: Seen) -> Proposal:
    """Whole years, outward, as people know them without having seen a row."""
    seen = column.dates
    assert seen is not None
    low, high = f"{seen.first.year}-01-01", f"{seen.last.year}-12-31"
    kind, called = ColumnType.DATE, "dates"
    by: dict[str, str] = {}
    if seen.timed:
        kind = ColumnType.TIMESTAMP
        to, beside = _told_to(seen.first.year, seen.last.year)
        called = f"times, to the {to},"
        by = {"resolution": quoted_text(to) + beside}
    doubts = []
    if seen.both:
        doubts.append("day and month may be the other way round: correct order if they are")
    if odd := column.filled - seen.many:
        doubts.append(f"{plural(odd, 'cell is not a date', 'cells are not dates')}")
    written = {} if seen.order is None else {"order": quoted_text(seen.order)}
    facts = {"type": quoted_text(kind), "low": low, "high": high, **by, **written}
    return Proposal(
        column.name,
        _confirm(column, f"{called} from {low} to {high}")
        + fact_lines(facts | _gap_facts(column, low)),
        "; ".join(doubts),
    )


def _told_to(first: int, last: int) -> tuple[Resolution, str]:
    """What times of these years are told to, and a remark: hours, where medians can be told.

    >>> str(_told_to(1975, 2022)[0]), _told_to(1965, 2024)[1]
    ('hour', '  # "hour" keeps the time of day, but medians have at most 500,001 values')
    """
    start, end = (count_of(date(year, 1, 1), Resolution.HOUR) for year in (first, last + 1))
    hours = end - start
    if hours <= MOST_RANKED:
        return Resolution.HOUR, ""
    if hours > MOST:
        return Resolution.DAY, ""
    told = f"keeps the time of day, but medians have at most {MOST_RANKED:,} values"
    return Resolution.DAY, f'  # "{Resolution.HOUR}" {told}'


def _numbers(column: Seen) -> Proposal:
    assert column.numbers is not None
    bounds = propose(column.name, column.numbers)
    kind = ColumnType.INTEGER if bounds.whole else ColumnType.NUMBER
    facts = {
        "type": quoted_text(kind),
        "low": decimal_text(bounds.low),
        "high": decimal_text(bounds.high),
    }
    if not bounds.whole or bounds.step != 1:
        facts["step"] = decimal_text(bounds.step)
    if column.comma:
        facts["decimal"] = quoted_text(",")
    facts |= _gap_facts(column, decimal_text(bounds.middle))
    doubts = []
    if column.numbers.apart:
        doubts.append(
            f"{_apart_text(column.numbers)}; what is outside these bounds counts as the nearer "
            "one: widen them if it may be right"
        )
    if odd := column.filled - column.number_count:
        doubts.append(f"{plural(odd, 'cell is not a number', 'cells are not numbers')}")
    return Proposal(
        column.name,
        _confirm(column, bounds.text + (", with decimal commas" if column.comma else ""))
        + fact_lines(facts),
        "; ".join(doubts),
    )


def _apart_text(numbers: Numbers) -> str:
    """Which cells do not count for the bounds, with their values: for the custodian alone."""
    wheres = ((numbers.far, "far from the others"), (numbers.negative, "below 0"))
    return " and ".join(
        f"{plural(cells.many, 'cell lies', 'cells lie')} {where} ({_values_text(cells)})"
        for cells, where in wheres
        if cells is not None
    )


def _values_text(cells: Apart) -> str:
    least, most = (brief(end, 6) for end in (cells.least, cells.most))
    return least if least == most else f"from {least} to {most}"


def _words(column: Seen) -> Proposal:
    often = column.different > _FEW_WORDS
    listed = _in_order([word for word, times in column.words if not often or times >= _SEEN_OFTEN])
    doubts = []
    if rare := column.different - len(listed):
        doubts.append(
            f"{plural(rare, 'word that occurs', 'words that occur')} fewer than {_SEEN_OFTEN} "
            "times would count as other"
        )
    if column.says_none:
        doubts.append(
            f"{plural(column.says_none, 'cell says', 'cells say')} {show(NONE)}, which counts as a "
            "gap: list it among the values if it is an answer"
        )
    if alike := _alike(listed):
        doubts.append(f"{alike} differ only in capitals")
    listed_words = " or ".join(map(show, listed))
    many = listed_words if len(listed_words) < _SHORT else f"one of {len(listed):,} words"
    made = Proposal(column.name, doubt="; ".join(doubts))
    facts = {"type": quoted_text(ColumnType.CATEGORY)}
    rest = next((word for word in listed if word.lower() == OTHER), OTHER)
    if rest == OTHER and _is_either(column, listed):
        rest = listed[0]
        many = f"{many}, and no other word"
    gaps = _gap_facts(column, quoted_text(rest))
    if rest != OTHER:  # "other" would stand beside all words that there are
        gaps |= {"closed": "true"}
    if len(listed) <= _MOST_INSIDE:
        facts |= {"values": words_text(listed), **gaps}
        return replace(made, lines=_confirm(column, many) + fact_lines(facts))
    facts |= {"values_from": quoted_text(made.list_name), **gaps}
    said = _confirm(column, f"{many}, those in {made.list_name}")
    return replace(made, lines=said + fact_lines(facts), listed=tuple(listed))


def _in_order(words: list[str]) -> list[str]:
    """Words by the alphabet; where all begin with numbers, as groups of ages do, by these.

    >>> _in_order(["80-119", "120+", "40-79", "<40"]), _in_order(["b2", "b10", "a"])
    (['<40', '40-79', '80-119', '120+'], ['a', 'b10', 'b2'])
    """
    numbers = [_BEGINS.match(word) for word in words]
    if not all(numbers):
        return sorted(words)
    first = {word: int(number[2]) for word, number in zip(words, numbers, strict=True) if number}
    return sorted(words, key=lambda word: (first[word], word[0] not in _BELOW, word))


def _is_either(column: Seen, listed: list[str]) -> bool:
    """Whether every cell is one of two words, so that nothing is left to count as "other"."""
    whole = len(listed) == column.different == _EITHER
    return whole and not column.has_gaps and not _alike(listed)


def _confirm(column: Seen, fact: str) -> str:
    """The line that says what must be confirmed."""
    never_empty = "" if column.has_gaps else ", never empty"
    return f"{CONFIRM}{_called(column)}: {fact}{never_empty}\n"


def _gap_facts(column: Seen, missing: str) -> dict[str, str]:
    """What keeps the number of filled cells public, where none is empty."""
    return {} if column.has_gaps else {"gaps": "false", "missing": missing}


def _alike(words: list[str]) -> str:
    """Two words that are probably one."""
    known: dict[str, str] = {}
    for word in words:
        if word.lower() in known:
            return f"{show(known[word.lower()])} and {show(word)}"
        known[word.lower()] = word
    return ""


def _called(column: Seen) -> str:
    """Its name as one line of a comment."""
    return show(column.name) if key_text(column.name) != column.name else column.name
