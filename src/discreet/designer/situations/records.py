"""Situations by name: what records may be like, and how likely each answer then is.

They weigh losses and nothing else: privacy never depends on them.
"""

from collections.abc import Callable, Iterable

import numpy as np

from discreet.designer.queries import Query
from discreet.designer.request import Floats
from discreet.errors import GoalError
from discreet.model import Prior, Situation
from discreet.statistics import Rank
from discreet.statistics.chances import at_least, sum_of_rows
from discreet.text import show

ANSWERS = "answers"
"""Every answer as likely as any other."""


def _even(values: int) -> Floats:
    return np.full(values, 1.0 / values)


def _low(values: int) -> Floats:
    """The density 4·(1 − x)³: four records in five lie in the lower third of the range."""
    edges = (1 - np.arange(values + 1) / values) ** 4
    return -np.diff(edges)


def _high(values: int) -> Floats:
    return _low(values)[::-1].copy()


def _ends(values: int) -> Floats:
    both = np.zeros(values)
    both[0] += 0.5
    both[-1] += 0.5
    return both


RECORDS: dict[str, Callable[[int], Floats]] = {
    "even": _even,
    "low": _low,
    "high": _high,
    "ends": _ends,
}
"""Independent records: even over the values, mostly low, mostly high, at both ends."""

NAMES = (ANSWERS, *RECORDS)
MOST_RECORDS = 100_000


def situations_of(
    query: Query, records: int, names: Iterable[str] = NAMES
) -> tuple[Situation, ...]:
    """The situations of these names, for a question of so many records.

    >>> from discreet.designer.queries import maximum
    >>> [one.name for one in situations_of(maximum(0, 4), 10)]
    ['answers', 'even', 'low', 'high', 'ends']
    """
    if records > MOST_RECORDS:
        raise GoalError(
            f"situations are computed for at most {MOST_RECORDS:,} records, got {records:,}"
        )
    return tuple(Situation(name, _prior(query, records, name)) for name in dict.fromkeys(names))


def read_names(text: str) -> tuple[str, ...]:
    """Names with commas between them, or `all`."""
    names = [word.strip().lower() for word in text.split(",") if word.strip()]
    if "all" in names:
        return NAMES
    unknown = [name for name in names if name not in NAMES]
    if unknown or not names:
        given = unknown[0] if unknown else text
        raise GoalError(f"unknown situation {show(given)}; situations: {', '.join(NAMES)}, all")
    return tuple(dict.fromkeys(names))


def _prior(query: Query, records: int, name: str) -> Prior:
    if name == ANSWERS:
        return Prior()
    law = RECORDS[name](len(query.values))
    if isinstance(query.statistic, Rank):
        reached = at_least(records, query.statistic.of(records), np.minimum(np.cumsum(law), 1.0))
        reached[-1] = 1.0
        chances = np.clip(np.diff(reached, prepend=0.0), 0.0, None)
    else:
        chances = sum_of_rows(law, records, len(query.answers))
    return Prior(tuple((chances / chances.sum()).tolist()))
