"""Rank-based choices that may be tried: where values are cut, where they aim, how they lean.

Plain by-rank is one of them: every run one value, both rates alike, no shift, no leaning.
Everything here is public.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from discreet.planning.judging import FEW_ROWS, QUARTER, Shapes, witnessed
from discreet.planning.releases.ranks import RankRule, Target, each_value, level, loss_of_privacy
from discreet.planning.subjects.priors import Floats

MOST_VALUES = 251
"""Finer grids are searched on so many evenly spaced values: errors are the same share of them."""
_RUNS = (3, 5, 9, 17, 33)
_LEAST_PER_RUN = 4
"""Few values are never put together: what is told for a run would be a step off for ever."""
_SHIFTS = (0.0, 0.5, 1.0, 2.0, 3.0)
"""In multiples of 1/ε rows, towards the middle."""
_MOST_SHIFT = 0.4
_SHIFT_PARTS = 4
_INWARD_PARTS = 16
_FARTHER = 1.25
"""How much more an inner quantile may err, for aiming inwards, than the exponential mechanism."""
_DOWN_SHARES = tuple(Fraction(part, 8) for part in range(1, 8))
"""What share of ε goes to rows too many below. A minimum has no more than one row below it that may
be told, so most of ε goes to the other side; of a maximum the reverse."""
GROWTH = Fraction(1, 32)
"""By how much the shift of a private number of rows grows with each of them."""
_UNMOVED = 30
"""Of so few rows nothing is moved."""
_HALF = Fraction(1, 2)
_DOWN_OF_ENDS = {Fraction(0): Fraction(3, 4), Fraction(1): Fraction(1, 4)}
"""What a minimum and a maximum of a private number of rows spend on rows too many below."""
_STEPPED = (Fraction(1), Fraction(8))
"""Between these rates noise comes in whole steps: below, steps are small and save nothing; above,
nothing is left to save."""
_NEAR = _HALF
"""Where a rule would aim so many rows inwards, it aims there and noise is not in steps."""
_TO_THE_MIDDLE = (0.5, 1.0, 2.0, 4.0)
_TO_ZERO = (0.25, 0.5, 1.0, 1.5, 2.0)
_GRAIN = 1000
_FEW_AT_ZERO = 200
"""Runs that grow from 0 start with at least the range over this."""


@dataclass(frozen=True, kw_only=True)
class RankSetting:
    """The public facts that a rule is chosen from."""

    values: int
    from_zero: bool
    rows: int
    """How many rows are counted; public."""
    share: Fraction
    rate: Fraction
    """What both rates may add up to: ε, over the rows of a person."""

    @property
    def judged(self) -> "RankSetting":
        """The same on a grid that is small enough to be judged on."""
        return self if self.values <= MOST_VALUES else replace(self, values=MOST_VALUES)

    @property
    def shapes(self) -> Shapes:
        """The shapes for these values."""
        return witnessed(self.values, from_zero=self.from_zero, rows=self.rows)


def plain_rule(
    share: Fraction, values: int, rate: Fraction, *, one_way: bool, rows: int | None = None
) -> RankRule:
    """By rank with nothing added: the reference of the safe rule.

    Where neighbours differ by one counted row that comes or goes, and by nothing else, the rank is
    taken as a fraction, which allows larger rates (docs/proofs/ranks.md, Claim 8). Inner
    quantiles aim a little inwards. Of a private number of rows (None), minima and maxima spend
    most on rows that lie beyond a value: no value is more than one row too far out. Once half of
    the rate outweighs all values together, half keeps those that are too far out from being told.
    """
    every = each_value(values)
    as_fraction = one_way and 0 < share < 1
    outweighs = float(rate) / 2 > math.log(values)
    down = _DOWN_OF_ENDS.get(share, _HALF) if rows is None and not outweighs else _HALF
    shift, in_steps = aimed(share, rows, rate)
    growth = GROWTH if rows is None and shift else None
    each = rate / loss_of_privacy(share, down, 1 - down, as_fraction=as_fraction, growth=growth)
    return RankRule(
        target=Target(
            share=share,
            shift=shift,
            as_fraction=as_fraction,
            growth=growth,
            unmoved=_UNMOVED,
        ),
        starts=every,
        told=every,
        down=down * each,
        up=(1 - down) * each,
        leanings=level(values),
        in_steps=in_steps,
    )


def aimed(share: Fraction, rows: int | None, rate: Fraction) -> tuple[Fraction, bool]:
    """How many rows above its rank a rule aims, and whether its noise comes in whole steps.

    Of a public number of rows, noise in steps tells neighbouring values apart as well as can be
    where the rule aims less than half a row away from its rank; all such aims come to the same
    there (docs/proofs/stepped.md), so that inner quantiles need none.

    >>> aimed(Fraction(9, 10), 100, Fraction(2)), aimed(Fraction(9, 10), 100, Fraction(1))
    ((Fraction(0, 1), True), (Fraction(-9, 16), False))
    """
    shift = inwards(share, rows, rate)
    if rows is None or abs(shift) >= _NEAR or not _STEPPED[0] <= rate <= _STEPPED[1]:
        return shift, False
    return (shift if share == _HALF else Fraction(0)), True


def inwards(share: Fraction, rows: int | None, rate: Fraction) -> Fraction:
    """How many rows above its rank an inner quantile of so many rows aims; below 0, below it.

    Where the rank is that of the last row of a value, its neighbour is told by mistake. Aiming at
    the middle makes that likelier on one side and rarer on the other, where a column has most of
    its rows: as far as the first stays near what the exponential mechanism errs there, in steps,
    and at most a quarter of the way: a median of an even number of rows by an eighth of a row, for
    the middle is half a row above its rank. Few rows lie too far apart for that: of a private
    number of rows (None) the shift grows with them, and quantiles near the median have none.

    >>> inwards(Fraction(1, 10), 100, Fraction(1)), inwards(Fraction(9, 10), 100, Fraction(2))
    (Fraction(9, 16), Fraction(-3, 8))
    >>> inwards(Fraction(1), 100, Fraction(1)), inwards(Fraction(1, 2), 100, Fraction(1))
    (Fraction(0, 1), Fraction(1, 8))
    >>> inwards(Fraction(9, 10), None, Fraction(1)), inwards(Fraction(1, 2), None, Fraction(1))
    (Fraction(-9, 16), Fraction(0, 1))
    """
    from_middle, most = share - _HALF, math.inf
    if rows is None:
        if share in (0, 1) or abs(from_middle) < 4 * GROWTH:
            return Fraction(0)
    else:
        place = max(1, math.ceil(share * rows))
        from_middle = place - Fraction(rows + 1, 2)
        most = abs(float(from_middle)) / 4
        if rows <= FEW_ROWS or place in (1, rows):
            return Fraction(0)
    epsilon = float(rate)
    mistaken = 1 / (1 + math.exp(epsilon / 2))
    allowed = _FARTHER * (mistaken + QUARTER) - QUARTER
    coin = math.log(2 * allowed) if allowed < 1 / 2 else -math.log(2 * (1 - allowed))
    parts = int(_INWARD_PARTS * min(max(0.0, 1 / 2 + coin / epsilon), most))
    return Fraction(-parts if from_middle > 0 else parts, _INWARD_PARTS)


def cuts(setting: RankSetting) -> Iterator[tuple[int, ...]]:
    """Ways to cut the values into runs: evenly, growing from a low of 0, and not at all."""
    values = setting.values
    for many in _RUNS:
        if many * _LEAST_PER_RUN > values:
            break
        yield tuple(int(start) for start in np.unique(np.arange(many) * values // many))
        if setting.from_zero:
            growing = np.geomspace(max(1.0, values / _FEW_AT_ZERO), values, many)[:-1]
            yield tuple(int(start) for start in np.unique(np.append(0, np.rint(growing))))
    yield tuple(range(values))


def bare_rules(
    setting: RankSetting, starts: tuple[int, ...], middles: tuple[int, ...]
) -> Iterator[RankRule]:
    """Shifts and rates for runs, without leanings."""
    in_steps = aimed(setting.share, setting.rows, setting.rate)[1]
    for shift, down in _aims(setting):
        yield RankRule(
            target=Target(share=setting.share, shift=shift),
            starts=starts,
            told=middles,
            down=down * setting.rate,
            up=(1 - down) * setting.rate,
            leanings=level(len(starts)),
            in_steps=in_steps,
        )


def _aims(setting: RankSetting) -> Iterator[tuple[Fraction, Fraction]]:
    """Shifts, with what share of ε goes to rows below.

    Rates that differ move the place where two neighbouring values are told alike, which an inner
    quantile makes up for.
    """
    aim = aimed(setting.share, setting.rows, setting.rate)[0]
    if setting.share == _HALF:
        yield aim, _HALF
        return
    moved = bool(inwards(setting.share, setting.rows, setting.rate))
    for down in _DOWN_SHARES:
        if moved:
            yield aim + down - _HALF, down
        else:
            yield from ((shift, down) for shift in _shifts(setting))


def _shifts(setting: RankSetting) -> list[Fraction]:
    """Rows towards the middle, in quarters; the place that is aimed at stays inside the table."""
    upper = setting.share > _HALF
    most = min(_MOST_SHIFT * setting.rows, (setting.rows - 1) / 2)
    shifts = {int(_SHIFT_PARTS * min(shift / float(setting.rate), most)) for shift in _SHIFTS}
    return [Fraction(-parts if upper else parts, _SHIFT_PARTS) for parts in sorted(shifts)]


def leanings(setting: RankSetting, starts: tuple[int, ...]) -> Floats:
    """A column each: none, towards the middle of the range, and towards a low of 0."""
    ends = np.append(starts[1:], setting.values) - 1
    middles = (np.array(starts) + ends) / 2
    across = 2 * (middles + 0.5) / setting.values - 1
    columns = [np.zeros(len(starts)), *(-strength * across**2 for strength in _TO_THE_MIDDLE)]
    if setting.from_zero:
        logs = np.log1p(middles / (1 + setting.values / 100))
        columns += [-strength * logs for strength in _TO_ZERO]
    return np.asarray(np.rint(_GRAIN * np.array(columns)) / _GRAIN).T


def leaning(rule: RankRule, towards: Floats) -> RankRule:
    """A rule with these leanings, in thousandths."""
    if not towards.any():
        return rule
    exact = tuple(Fraction(round(_GRAIN * one), _GRAIN) for one in towards.tolist())
    return replace(rule, leanings=exact)


def stretched(rule: RankRule, judged: int, values: int) -> RankRule:
    """A rule that was judged on fewer values, on all of them."""
    if len(rule.starts) == judged:
        every = each_value(values)
        places = np.arange(values) * judged // values
        towards = tuple(rule.leanings[place] for place in places)
        return replace(rule, starts=every, told=every, leanings=towards)
    starts = tuple(start * values // judged for start in rule.starts)
    middles = tuple(min((2 * one + 1) * values // (2 * judged), values - 1) for one in rule.told)
    return replace(rule, starts=starts, told=middles)
