"""Sentences that several front ends say, word for word."""

from discreet.text.numbers import plural

AS_DRAWN = "errors are those of the counts as drawn, before they are made consistent"


def rows_off_text(rows: int) -> str:
    """How far a value may be from exact, whatever the table is.

    >>> rows_off_text(18)
    'for any data: exact after changing at most 18 rows'
    """
    if not rows:
        return "for any data: exact"
    return f"for any data: exact after changing at most {plural(rows, 'row')}"


def capital(sentence: str) -> str:
    """The text with its first letter large.

    >>> capital("the answer is public")
    'The answer is public'
    """
    return sentence[:1].upper() + sentence[1:]
