"""How fast the chances of plain noise fall, read off the tables that it is drawn from."""

from decimal import Decimal, localcontext
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise

from discreet.attack.finite import MORE, check_draws, check_finer
from discreet.sampling import LazyTable, NoiseTables
from discreet.sampling.tables import BITS

_DIGITS = 60
_SEEN = 1 << (BITS + MORE - 60)
"""Outcomes rarer than 2^−60 are not looked at; no digit of noise is."""
_SIMPLE = 10**20
_OPEN = Fraction(1, 10**36)

_Logs = tuple[Decimal | None, ...]


@lru_cache(maxsize=1_024)
def rate_of(tables: NoiseTables) -> Fraction:
    """The most by which the logarithm of the chance changes from one whole number to the next.

    Nothing is believed of what the noise is said to be: it is read off the tables in use, at 191
    bits. A simple fraction that is as near as they can tell is taken for it.
    """
    with localcontext() as context:
        context.prec = _DIGITS
        leading, digits = _logs(tables.leading), [_logs(one) for one in tables.digits]
        upwards, downwards = leading[tables.reach : -1], leading[tables.reach - 1 : 0 : -1]
        rates = _steps((upwards[0], downwards[0]))
        for level, logs in enumerate([upwards, *digits]):
            rates += _steps(logs, _carried(digits[level:]))
        rates += _steps(downwards, _carried(digits))
        return _simple(max(rates))


def _logs(table: LazyTable) -> _Logs:
    """The logarithm of each chance; None of what is too rare to tell."""
    check_draws(table)
    ends = [0, *(low for low, _ in table.refine(MORE))]
    check_finer(table, ends[1:])
    chances = (after - before for before, after in pairwise(ends))
    return tuple(Decimal(one).ln() if one > _SEEN else None for one in chances)


def _carried(digits: list[_Logs]) -> Decimal:
    """What changes where all digits go from the last to the first."""
    ends = [(one[0], one[-1]) for one in digits]
    none = Decimal(0)
    return sum(((first or none) - (last or none) for first, last in ends), none)


def _steps(logs: _Logs, carried: Decimal = Decimal(0)) -> list[Decimal]:
    pairs = pairwise(logs)
    return [abs(b - a + carried) for a, b in pairs if a is not None and b is not None]


def _simple(step: Decimal) -> Fraction:
    exact = Fraction(step)
    near = exact.limit_denominator(_SIMPLE)
    return near if abs(near - exact) <= _OPEN * (1 + exact) else exact
