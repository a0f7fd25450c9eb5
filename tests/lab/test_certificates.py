"""What a certificate must refuse, each by one unit: the examples that random ones seldom meet."""

from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
import pytest

from discreet.certifier import certify, conditions
from discreet.certifier.by_distance import certify_by_distance
from discreet.certifier.gauges import certify_gauge
from discreet.certifier.layers import certify_layers
from discreet.certifier.rays import _left_over, check_ray_columns, ray_fault
from discreet.certifier.strategies import certify_strategy
from discreet.errors import MechanismError, NotCertified
from discreet.exact import Epsilon
from discreet.model import (
    AllPairs,
    Graph,
    Grid,
    Mechanism,
    RayBlocks,
    RayMechanism,
    Relation,
    Within,
)
from discreet.model.gauges import GaugeNoise
from discreet.model.mechanism import sealed
from discreet.model.strategies import StrategyNoise

TWO = Grid.between(0, 1)
LINE = Grid.between(0, 4)
ONE_RAY = RayBlocks.of(first=[0], length=[1], count=[1], ladder=[0], output=[0], stride=[1])


def private(mechanism, epsilon, delta=0):
    try:
        certify(mechanism, epsilon, delta)
    except NotCertified:
        return False
    return True


@pytest.mark.parametrize("relation", [Graph.of(3, [(0, 1), (1, 2)]), Within(1), AllPairs()])
@pytest.mark.parametrize("broken", range(4))
@pytest.mark.parametrize("odd", [0, 2])
def test_every_block_of_rows_is_looked_at(relation, broken, odd, monkeypatch):
    monkeypatch.setattr(conditions, "_CELLS", 1)
    answers = Grid.between(0, 2)
    rows = [[5, 5, 5] for _ in range(4)]
    rows[broken][odd] = 1
    rows[(broken + 1) % 4][odd] = 9
    mechanism = Mechanism.of(answers, Grid.between(0, 3), relation, rows)
    assert private(mechanism, "log 5")
    assert not private(mechanism, "log 4")


@pytest.mark.parametrize("large", [2**40, 2**60, 2**80])
def test_one_unit_above_the_ratio_is_refused(large):
    """Beyond 2^53 the ratios of one unit more and of none are the same in floating point."""

    def coin(extra):
        weights = [[3 * large + extra, large], [large, 3 * large + extra]]
        return Mechanism.of(TWO, TWO, AllPairs(), weights)

    assert private(coin(0), "log 3")
    assert not private(coin(1), "log 3")


def just(ratio):
    """A coin with just this ratio."""
    p, q = ratio.numerator, ratio.denominator
    return Mechanism.of(TWO, TWO, AllPairs(), [[p, q], [q, p]])


@pytest.mark.parametrize("epsilon", ["0.5", "1", "2.7"])
def test_a_ratio_that_is_exactly_the_upper_bound_is_refused(epsilon):
    bounds = Epsilon.of(epsilon)
    assert private(just(bounds.ratio_below), epsilon)
    assert not private(just(bounds.ratio_above), epsilon)


def test_a_ladder_that_is_exactly_the_upper_bound_is_refused():
    epsilon = Epsilon.of(1)
    scale = 10**12
    for ratio, kept in ((epsilon.ratio_below, True), (epsilon.ratio_above, False)):
        p, q = ratio.numerator, ratio.denominator
        if p > 2**58:
            low = 2**57
            high = low * p // q + (0 if kept else 1)
            assert (high * q <= low * p) == kept
        else:
            high, low = p * scale, q * scale
        rays = ladder([high, low], total=2**62)
        assert (ray_fault(rays, epsilon.ratio_below) is None) == kept


def test_a_delta_of_exactly_the_lower_bound_is_refused():
    honest = Mechanism.of(TWO, TWO, AllPairs(), [[9, 1], [1, 9]])
    epsilon = Epsilon.of(1)
    low = Fraction(9, 10) - epsilon.ratio_above / 10
    high = Fraction(9, 10) - epsilon.ratio_below / 10
    assert low < high
    assert private(honest, 1, high)
    assert not private(honest, 1, (low + high) / 2)
    assert not private(honest, 1, low)


def ladder(rungs, total=None, **change):
    facts = {"spare_output": 2} | change
    if total is not None:
        facts["total"] = total
    return RayMechanism.of(LINE, LINE, Within(2), [rungs], ONE_RAY, **facts)


def forged(rays, **change):
    made = object.__new__(RayMechanism)
    for key in ("answers", "outputs", "neighbours", "ladders", "blocks", "spare_output", "total",
                "name", "notes"):  # fmt: skip
        object.__setattr__(made, key, change.get(key, getattr(rays, key)))
    return made


@pytest.mark.parametrize("low", [2**20 + 1, 2**58 + 1, 2**59 - 3, 2**59 + 12345])
@pytest.mark.parametrize("ratio", [Fraction(2), Fraction(3), Fraction(10**9 + 7, 10**9)])
def test_one_unit_less_in_a_tight_rung_is_refused(low, ratio):
    """Steps are compared in machine words first: those must never say yes by rounding."""
    high = int(low * ratio)
    if high >= 2**61:
        low = int(2**60 / ratio)
        high = int(low * ratio)
    least = -(-high * ratio.denominator // ratio.numerator)
    assert ray_fault(ladder([high, least], total=2**62), ratio) is None
    assert "too long a step" in ray_fault(ladder([high, least - 1], total=2**62), ratio)


def test_a_rung_that_lacks_next_to_nothing_is_refused():
    """high·q/p is a billionth above a whole number: a factor rounded down would lose that."""
    p, q = 10**9 + 7, 10**9
    high = 2**60 + (pow(q, -1, p) - 2**60) % p
    assert high * q % p == 1
    assert ray_fault(ladder([high, high * q // p + 1], total=2**62), Fraction(p, q)) is None
    assert "too long a step" in ray_fault(
        ladder([high, high * q // p], total=2**62), Fraction(p, q)
    )


def test_a_rising_ladder_is_refused():
    """The rows of a ray would be likelier far away; the way back must keep the ratio too."""
    rays = ladder([8, 4], total=100)
    rising = forged(rays, ladders=sealed(np.array([[4, 9]])))
    assert "too long a step" in ray_fault(rising, Fraction(2))


def test_a_negative_ladder_is_refused():
    rays = ladder([8, 4], total=100)
    negative = forged(rays, ladders=sealed(np.array([[8, -4]])))
    with pytest.raises(MechanismError, match="leave the line"):
        check_ray_columns(negative)


def test_rays_beyond_the_total_are_refused():
    rays = ladder([8, 4], total=100)
    with pytest.raises(MechanismError, match="not sum to the total"):
        check_ray_columns(forged(rays, total=5))


def test_the_spare_row_is_compared_over_all_its_windows():
    """Its steps are longer than those of the ladder that it makes up for."""
    answers = Grid.between(0, 2)
    blocks = RayBlocks.of(first=[2], length=[1], count=[1], ladder=[0], output=[0], stride=[1])
    made = RayMechanism.of(
        answers, answers, Within(1), [[10, 8, 6]], blocks, spare_output=1, total=12
    )
    assert made.spare.tolist() == [6, 4, 2]
    assert ray_fault(made, Fraction(2)) is None
    assert "spare row" in ray_fault(made, Fraction(19, 10))


def test_rays_that_ask_for_more_than_the_total_leave_nothing():
    rays = ladder([8, 4], total=100)
    assert _left_over(forged(rays, total=6)) is None
    assert _left_over(forged(rays, total=9)) is not None


def test_a_gauge_that_misses_a_noise_is_refused():
    """Two coordinates, and forms of the first alone: the second could be anything."""
    blind = GaugeNoise(
        dimension=2,
        summands=((((0, 1),), ((0, -1),)),),
        equations=(),
        row=((((0, 1),), ()),),
        relation=Relation.ADD_OR_REMOVE,
        width=1,
        rows_per_unit=1,
        rate=Fraction(1),
    )
    with pytest.raises(MechanismError, match="notice every noise"):
        certify_gauge(blind, 1)


@dataclass(frozen=True)
class Layers:
    """Levels by distance, as the certifier reads them."""

    levels: tuple[int, ...]
    layer_sizes: tuple[int, ...]
    total: int
    digest: str = "layers"


@pytest.mark.parametrize("levels", [(4, 2, 1), (1, 2, 4), (2, 4, 2)])
def test_layers_keep_the_ratio_whichever_way_they_go(levels):
    made = Layers(levels, (1, 1, 1), sum(levels))
    assert certify_layers(made, "log 2")
    with pytest.raises(NotCertified):
        certify_layers(made, "log 1.99")
    with pytest.raises(MechanismError, match="do not sum"):
        certify_layers(Layers(levels, (1, 1, 1), sum(levels) + 1), "log 2")


@dataclass(frozen=True)
class ByDistance:
    """One record of two values: one kind of histogram, at distance 0 or 1 from the truth."""

    levels: tuple[tuple[int, ...], ...]
    lacking: tuple[int, ...]
    total: int
    records: int = 1
    values: int = 2
    kinds: tuple[tuple[int, ...], ...] = ((0, 1),)
    digest: str = "levels"


@pytest.mark.parametrize("levels", [(6, 2), (2, 6)])
def test_levels_by_distance_keep_the_ratio_whichever_way_they_go(levels):
    made = ByDistance((levels,), (2,), sum(levels) + 2)
    assert certify_by_distance(made, "log 3")
    with pytest.raises(NotCertified):
        certify_by_distance(made, "log 2.99")


@pytest.mark.parametrize("relation", Relation)
@pytest.mark.parametrize("different", [False, True])
def test_noise_that_tells_what_one_row_adds_is_refused(relation, different):
    """Noise that is always 0 somewhere: rows must all be the same there, and none may come."""
    facts = {"relation": relation, "different": different, "rate": Fraction(1, 100)}
    size = (((0, 1),), ((0, -1),))
    rows = {"some": (((0, 1),), ()), "all": (((0, 1),),), "none": ((),)}
    for name, row in rows.items():
        open_book = GaugeNoise(
            dimension=1, summands=(size,), equations=(((0, 1),),), row=(row,), width=1,
            rows_per_unit=1, **facts,
        )  # fmt: skip
        if name == "none" or (name == "all" and relation == Relation.CHANGE and not different):
            certify_gauge(open_book, "0.01")
            continue
        with pytest.raises(NotCertified, match="released without noise"):
            certify_gauge(open_book, "0.01")


def test_sums_that_rows_come_to_are_certified_for_rows_that_come():
    """Where rows come, go or change, a column counts by itself, and not only two compared."""
    noise = StrategyNoise(
        sums=1, columns=(((0, 5),),), relation=Relation.EITHER, width=5, rows_per_unit=1,
        rate=Fraction(1, 500),
    )  # fmt: skip
    certify_strategy(noise, "0.01")
    with pytest.raises(NotCertified, match="one person can move"):
        certify_strategy(replace(noise, width=4), "0.01")
