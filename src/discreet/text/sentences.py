"""Sentences that several front ends say, word for word."""

AS_DRAWN = "errors are those of the counts as drawn, before they are made consistent"


def rows_off_text(rows: int) -> str:
    """How far a value may be from exact, whatever the table is.

    >>> rows_off_text(18)
    'whatever the rows are, at most 18 would have to change for it to be exact'
    """
    changed = f"at most {rows:,} would have to change for it to be exact" if rows else "it is exact"
    return f"whatever the rows are, {changed}"


def capital(sentence: str) -> str:
    """The text with its first letter large.

    >>> capital("the answer is public")
    'The answer is public'
    """
    return sentence[:1].upper() + sentence[1:]
