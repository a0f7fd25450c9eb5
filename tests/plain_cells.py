"""What a cell of dates means, in plain Python: shares nothing with what the engine is told."""

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
