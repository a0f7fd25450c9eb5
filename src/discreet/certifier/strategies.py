"""Strategy noise, checked by adding up whole numbers (docs/proofs/workloads.md)."""

from discreet.certifier.certified import Certified, _seal
from discreet.certifier.gauges import at_most
from discreet.errors import MechanismError, NotCertified
from discreet.exact import EpsilonLike
from discreet.model import Guarantee, Relation
from discreet.model.gauges import Form
from discreet.model.strategies import StrategyNoise


def certify_strategy(noise: StrategyNoise, epsilon: EpsilonLike) -> Certified[StrategyNoise]:
    """Prove pure ε for a strategy in integers, or raise NotCertified."""
    promise = Guarantee.of(epsilon)
    _check(noise)
    moved = noise.rows_per_unit * _farthest(noise)
    if moved > noise.width:
        raise NotCertified(
            f"not private at {promise}: one person can move the sums by {moved} in all, more than "
            f"the {noise.width} that were allowed for"
        )
    if noise.width * noise.rate > at_most(promise.epsilon):
        raise NotCertified(
            f"not private at {promise}: {noise.width} steps of {noise.rate} cost more"
        )
    return _seal(noise, promise, covers_answers=True, again=certify_strategy)


def _check(noise: StrategyNoise) -> None:
    for column in noise.columns:
        places = [place for place, _ in column]
        whole = all(type(place) is int and type(entry) is int for place, entry in column)
        if not whole or len(set(places)) < len(places):
            raise MechanismError("a column must be a tuple of (sum, whole number) pairs")
        if places and not (min(places) >= 0 and max(places) < noise.sums):
            raise MechanismError(f"the sums of a column must be from 0 to {noise.sums - 1}")
    if not (type(noise.width) is int and noise.width > 0 and noise.rate > 0):
        raise MechanismError("the width and the rate of strategy noise must be positive")
    if type(noise.rows_per_unit) is not int or noise.rows_per_unit < 1:
        raise MechanismError("a person must have at least one row")


def _farthest(noise: StrategyNoise) -> int:
    """How much one row moves all sums together: a column, or the difference of two.

    A column by itself where rows come or go, the difference where one changes.
    """
    columns = list(dict.fromkeys(noise.columns))
    alone = max(_size(dict(column)) for column in columns)
    if noise.relation == Relation.ADD_OR_REMOVE:
        return alone
    changed = max(_apart(one, other) for one in columns for other in columns)
    return changed if noise.relation == Relation.CHANGE else max(changed, alone)


def _apart(one: Form, other: Form) -> int:
    left = dict(one)
    for place, entry in other:
        left[place] = left.get(place, 0) - entry
    return _size(left)


def _size(column: dict[int, int]) -> int:
    return sum(abs(entry) for entry in column.values())
