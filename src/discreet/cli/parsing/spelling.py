"""The fields of a request as the command line spells them."""

_WORDS = {
    "sql": "QUESTION",
    "statistic": "STATISTIC",
    "range": "--range LOW HIGH",
    "low": "LOW",
    "high": "HIGH",
}


def as_option(field: str, example: str | None = None) -> str:
    """A field as people type it, with an example value or without.

    >>> as_option("worst_case"), as_option("n", "10"), as_option("range")
    ('--worst-case', '--n 10', '--range LOW HIGH')
    """
    word = _WORDS.get(field) or "--" + field.replace("_", "-")
    return word if example is None else f"{word} {example}"
