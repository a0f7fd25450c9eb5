"""What a cell means, in plain Python: shares nothing with what engines are told."""

import math
import re
from datetime import datetime, timedelta

EPOCH = datetime(1970, 1, 1)
UNITS = {"day": 86_400, "hour": 3_600, "minute": 60, "second": 1}
TIME = re.compile(
    r"(?:[T ](?P<h>[0-9]{1,2}):(?P<i>[0-9]{2})(:(?P<s>[0-9]{2})([.][0-9]{1,9})?)?)?"
    r"( ?(Z|UTC|(?P<sign>[+-])(?P<oh>[0-9]{2}):?(?P<oi>[0-9]{2})?))?(?P<bc> \(BC\))?"
)
FIRST = {"ymd": "y m d", "dmy": "d m y", "mdy": "m d y"}
DIGITS = {"y": "[0-9]{4}", "m": "[0-9]{1,2}", "d": "[0-9]{1,2}"}


def index_of(cell, *, low, high, resolution="day", step=1, order=None):
    """The index of a cell; -1 for a gap. `low` and `high` are datetimes, both included."""
    size = int((high - low).total_seconds()) // UNITS[resolution] // step + 1
    moment = _moment(cell.strip(" "), order)
    if moment is None:
        return -1
    if isinstance(moment, str):
        return 0 if moment == "before" else size - 1
    units = (moment - low) // timedelta(seconds=UNITS[resolution])
    return min(max(units // step, 0), size - 1)


def _moment(cell, order):
    if cell.lower() in ("infinity", "-infinity"):
        return "before" if cell.startswith("-") else "after"
    for known in ("ymd", *([order] if order else [])):
        parts = [f"(?P<{part}>{DIGITS[part]})" for part in FIRST[known].split()]
        if known == "ymd":
            parts[0] = "(?P<y>[0-9]{4,7})"
        found = re.fullmatch("[-/.]".join(parts) + TIME.pattern, cell)
        if found:
            return _checked(found.groupdict())
    return None


def _checked(told):
    year, month, day, h, i, s, oh, oi = (
        int(told[key] or 0) for key in ("y", "m", "d", "h", "i", "s", "oh", "oi")
    )
    like = 2000 + year % 400  # a year with the same calendar
    try:
        datetime(like, month, day, h, i, s)
    except ValueError:
        return None
    if oh > 23 or oi > 59:
        return None
    if told["bc"] or year < 2:
        return "before"
    if year > 9998:
        return "after"
    ahead = timedelta(hours=oh, minutes=oi) * (-1 if told["sign"] == "-" else 1)
    return datetime(year, month, day, h, i, s) - ahead


BLANKS = " \xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
BLANKS += "\u202f\u205f\u3000"
NUMBER = re.compile(
    r"[ \t\n\v\f\r]*(?P<sign>[-+]?)(?P<digits>[0-9]+[.]?[0-9]*|[.][0-9]+)"
    r"([eE](?P<exponent>[-+]?[0-9]+))?[ \t\n\v\f\r]*"
)
NOTHING = {"", "null", "none", "na", "n/a", "nan", "-", "?"}


def folded(text):
    """Capital letters of ASCII as small ones."""
    return "".join(chr(ord(one) + 32) if "A" <= one <= "Z" else one for one in text)


def number_of(text):
    """What a text says as a float, which may be infinite; None where it is no number."""
    if len(text) > 100:
        return None
    if folded(text) in ("inf", "+inf", "infinity", "+infinity"):
        return float("inf")
    if folded(text) in ("-inf", "-infinity"):
        return float("-inf")
    found = NUMBER.fullmatch(text)
    if found is None:
        return None
    exponent = found["exponent"] or "0"
    if len(exponent.lstrip("+-").lstrip("0")) <= 2:
        return float(text)
    if exponent.startswith("-") or not found["digits"].strip("0."):
        return 0.0
    return float("-inf" if found["sign"] == "-" else "inf")


def place_on_grid(value, low, step, size):
    """The index of the value nearest to a number, upwards from half way; -1 without a number."""
    if value is None or value != value:
        return -1
    last = low + step * (size - 1)
    if value <= low or value >= last:
        return 0 if value <= low else size - 1
    return min(math.floor((value - float(low)) / float(step) + 0.5), size - 1)


def number_index(cell, *, low, step, size):
    """The index of a cell of a number column; a text, an int, a float or None."""
    if isinstance(cell, str):
        cell = number_of(cell.strip(BLANKS))
    return place_on_grid(cell, low, step, size)


def word_index(cell, words):
    """The index of a word; -1 for nothing, the place after the last for any other word."""
    text = "" if cell is None else str(cell).strip(BLANKS)
    if text in words:
        return words.index(text)
    return -1 if folded(text) in NOTHING else len(words)


def truth_index(cell):
    """0, 1, or -1 for what says neither."""
    text = folded("" if cell is None else str(cell).strip(BLANKS))
    if text in ("true", "t", "yes", "y", "1", "1.0"):
        return 1
    return 0 if text in ("false", "f", "no", "n", "0", "0.0") else -1


def day_index(cell, *, low, size):
    """The index of a date that is a date; -1 without one."""
    return -1 if cell is None else min(max((cell - low).days, 0), size - 1)
