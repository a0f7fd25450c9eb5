"""LIKE, decided on a word of a public list."""

import re


def matches(word: str, pattern: str, any_case: bool = False) -> bool:
    r"""Whether a word is of a pattern: % is anything, _ one character, all else itself.

    >>> matches("Northside", "North%"), matches("Northside", "north%"), matches("A1", "a_", True)
    (True, False, True)
    """
    marks = {"%": ".*", "_": "."}
    form = "".join(marks.get(one) or re.escape(one) for one in re.sub("%+", "%", pattern))
    flags = re.DOTALL | (re.IGNORECASE if any_case else 0)
    return re.fullmatch(form, word, flags) is not None
