"""What was given, quoted for a message."""

from decimal import Decimal
from fractions import Fraction
from numbers import Rational


def show(value: object, longest: int = 60) -> str:
    """Any value, quoted for an error message: short, on one line, never failing.

    >>> show("x" * 100)
    "'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...'"
    >>> show(Fraction(1, 3))
    '1/3'
    """
    try:
        text = str(value) if isinstance(value, (Fraction, Decimal)) else repr(value)
    except Exception:
        text = "a very long number" if isinstance(value, Rational) else f"a {type(value).__name__}"
    text = " ".join(text.split())
    if len(text) <= longest:
        return text
    closing = text[-1] if text[-1] in "'\")]}" else ""
    return text[: longest - 4] + "..." + closing
