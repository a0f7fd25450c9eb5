"""Sentences that several front ends say, word for word."""

import math
from datetime import date
from fractions import Fraction

from discreet.text.writing import plural, value_text

AS_DRAWN = "errors are those of the counts as drawn, before they are made consistent"


EMPTY_TOLD_PERCENT = 5
"""In so many of a hundred draws, at most, a value is told of a group without rows."""
IF_PRIOR = "if the prior holds"
ON_SHAPES = "on public shapes"
WITHOUT_GAPS = "if no cell is empty"
MAY_NEED_LESS = (
    "other rows may need much less: ask with a smaller ε first, and see how exact the answer says "
    "it is"
)
"""What to do where hard shapes of tables decide a price."""
IF_SAMPLE = "if these rows are a random sample"


def resting_text(rests_on: str) -> str:
    """What a figure rests on, at more length than beside it.

    >>> resting_text(ON_SHAPES), resting_text(WITHOUT_GAPS), resting_text("")[:16]
    ('on public shapes of tables, hard ones among them', 'if no cell is empty', 'whatever the row')
    """
    if rests_on == ON_SHAPES:
        return f"{ON_SHAPES} of tables, hard ones among them"
    return rests_on or "whatever the rows are"


def if_filled_rows_text(rows: int) -> str:
    """Of how many rows a figure is.

    >>> if_filled_rows_text(600), if_filled_rows_text(1)
    ('if 600 rows have a value', 'if 1 row has a value')
    """
    return f"if {plural(rows, 'row')} {'has' if rows == 1 else 'have'} a value"


def rows_off_text(rows: int) -> str:
    """How far a value may be from exact, whatever the table is.

    >>> rows_off_text(18)
    'for any data: exact after changing at most 18 rows'
    """
    if not rows:
        return "for any data: exact"
    return f"for any data: exact after changing at most {plural(rows, 'row')}"


def percentiles_text(low: Fraction, high: Fraction, of: str = "these rows") -> str:
    """Between which percentiles a value lies; 0 and 1 say nothing on their side.

    >>> percentiles_text(Fraction(43, 100), Fraction(57, 100))
    'between the 43rd and 57th percentile of these rows'
    >>> percentiles_text(Fraction(0), Fraction(1, 14))
    'at most the 8th percentile of these rows'
    >>> percentiles_text(Fraction(93, 100), Fraction(1), "the population")
    'at least the 93rd percentile of the population'
    """
    parts = 100 if high - low >= Fraction(1, 20) else 1000
    first, last = (
        ordinal(Fraction(100 * end, parts))
        for end in (math.floor(low * parts), math.ceil(high * parts))
    )
    if low == 0 and high == 1:
        return f"anywhere among {of}, or beyond"
    if low == 0:
        return f"at most the {last} percentile of {of}"
    if high == 1:
        return f"at least the {first} percentile of {of}"
    return f"between the {first} and {last} percentile of {of}"


def ordinal(number: Fraction) -> str:
    """A number with its ending, which is that of its last digit but for the teens.

    >>> [ordinal(Fraction(one)) for one in ("1", "12", "43", "49.5", "52.1", "12.2")]
    ['1st', '12th', '43rd', '49.5th', '52.1st', '12.2nd']
    """
    text = f"{float(number):g}"
    teen = number % 100 in (11, 12, 13)
    ending = "th" if teen else {"1": "st", "2": "nd", "3": "rd"}.get(text[-1], "th")
    return f"{text}{ending}"


def off_text(rows: int) -> str:
    """How far a value may be from exact, whatever the table is, in a clause.

    >>> off_text(12), off_text(0)
    ('at most 12 rows off', 'exact')
    """
    return f"at most {plural(rows, 'row')} off" if rows else "exact"


def behind_text(rows: int) -> str:
    """How far a mode may be from the most frequent value, whatever the table is.

    >>> behind_text(12), behind_text(0)
    ('at most 12 rows behind the most frequent', 'as frequent as any')
    """
    if not rows:
        return "as frequent as any"
    return f"at most {plural(rows, 'row')} behind the most frequent"


def left_out_text(rows: int) -> str:
    """How far the words of a top may be from being the most frequent, whatever the table is.

    >>> left_out_text(12)
    'no word left out is more than 12 rows ahead of one that is listed'
    """
    return f"no word left out is more than {plural(rows, 'row')} ahead of one that is listed"


def rows_about_text(rows: int, within: tuple[int, int] | None = None) -> str:
    """How many rows a noisy count tells.

    >>> rows_about_text(34), rows_about_text(1, (0, 9))
    ('about 34 rows', 'about 1 row (0 … 9)')
    """
    return f"about {plural(rows, 'row')}{_between_text(within)}"


def about_text(count: int, within: tuple[int, int] | None) -> str:
    """A noisy count in the cell of a table.

    >>> about_text(1234, (1100, 1368))
    'about 1,234 (1,100 … 1,368)'
    """
    return f"about {count:,}{_between_text(within)}"


def _between_text(ends: tuple[int, int] | None) -> str:
    return "" if ends is None else f" ({ends[0]:,} … {ends[1]:,})"


def too_few_text(rows: int | None) -> str:
    """What stands in the place of a value that is not told, for want of rows.

    >>> too_few_text(3)
    'too few rows (about 3)'
    """
    return "too few rows" if rows is None else f"too few rows (about {rows:,})"


def clamped_text(at: Fraction | int | date) -> str:
    """What a clamped mean makes of large values.

    >>> clamped_text(Fraction(120))
    'rows above 120 count as 120'
    """
    return f"rows above {value_text(at)} count as {value_text(at)}"


def told_from_text(rows: int, *, grouped: bool, count: str | None) -> str:
    """Of how many rows values are told, and how those of fewer rows can be had.

    `count` is what would count those rows, where it was not asked for.

    >>> told_from_text(185, grouped=True, count=None)
    'a value is released for groups of about 185 rows or more; for smaller ones, spend more'
    >>> told_from_text(29, grouped=False, count="COUNT(*)")
    'a value is released where about 29 rows or more are selected; for fewer, ask COUNT(*) as well'
    """
    if grouped:
        where, smaller = f"for groups of about {plural(rows, 'row')} or more", "smaller ones"
    else:
        where, smaller = f"where about {plural(rows, 'row')} or more are selected", "fewer"
    how = "spend more" if count is None else f"ask {count} as well"
    return f"a value is released {where}; for {smaller}, {how}"


def uncounted_text(count: str, *, conditional: bool) -> str:
    """What nobody counts the rows of, and what would count them.

    >>> uncounted_text("COUNT(*)", conditional=True)
    'a value is released even if no row meets the condition: ask COUNT(*) too'
    >>> uncounted_text("COUNT(age)", conditional=False)
    'how many cells are filled is private: ask COUNT(age) as well for percentiles'
    """
    if conditional:
        return f"a value is released even if no row meets the condition: ask {count} too"
    return f"how many cells are filled is private: ask {count} as well for percentiles"


def if_filled_text(enough: int, rows: int, where: str, count: str) -> str:
    """Where an answer lies if so many of all cells are filled, and what would tell how many are.

    >>> if_filled_text(300, 600, "between the 43rd and 57th percentile of them", "COUNT(age)")
    'if at least 300 of 600 cells are filled, between the 43rd and 57th percentile of them; ask \
COUNT(age) as well to know'
    """
    filled = f"if at least {enough:,} of {plural(rows, 'cell')} are filled"
    return f"{filled}, {where}; ask {count} as well to know"


def remark_of(label: str, text: str) -> str:
    """A remark on one of several statistics, which says of which.

    >>> is_remark_of(remark_of("MAX(age)", "7 rows off"), "MAX(age)")
    True
    """
    return f"of {label}, {text}"


def is_remark_of(remark: str, label: str) -> bool:
    """Whether a remark is on this statistic by name, in the words of now or of earlier versions."""
    return remark.startswith((remark_of(label, ""), f"{label}: "))


def empty_groups_text(groups: int) -> str:
    """How often groups without rows get a value, each and any of them.

    >>> empty_groups_text(4)
    'a group without rows gets a value in at most 5 % of draws; of 4 groups, any in up to 20 %'
    >>> empty_groups_text(52)
    'a group without rows gets a value in at most 5 % of draws'
    """
    each = f"a group without rows gets a value in at most {EMPTY_TOLD_PERCENT} % of draws"
    any_of = EMPTY_TOLD_PERCENT * groups
    return each if any_of >= 100 else f"{each}; of {groups} groups, any in up to {any_of} %"


def imputed_text(column: str, value: str) -> str:
    """That the custodian put a value in the place of gaps.

    >>> imputed_text("income", "1,200")
    'empty cells of income count as 1,200, as the custodian declared'
    """
    return f"empty cells of {column} count as {value}, as the custodian declared"


def capital(sentence: str) -> str:
    """The text with its first letter large; ε stays as it is, a large one looks like an E.

    >>> capital("the answer is public"), capital("ε = 0.1 is too small")
    ('The answer is public', 'ε = 0.1 is too small')
    """
    return sentence if sentence.startswith("ε") else sentence[:1].upper() + sentence[1:]
