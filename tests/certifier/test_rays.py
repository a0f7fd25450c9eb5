"""The certifier of rays never says yes where the matrix says no, and reads rays as they are."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.certifier import certify
from discreet.certifier.conditions import breaks_a_ratio
from discreet.certifier.rays import check_ray_columns, ray_fault
from discreet.errors import MechanismError, NotCertified
from discreet.model import Grid, RayBlocks, RayMechanism, Within
from discreet.model.mechanism import sealed
from ray_examples import ray_mechanisms

LINE = Grid.between(0, 4)
BLOCKS = RayBlocks.of(first=[0], length=[1], count=[5], ladder=[0], output=[0], stride=[1])


def _rays(ladder: list[int], **change: object) -> RayMechanism:
    facts = {"spare_output": 2, "total": 100} | change
    return RayMechanism.of(LINE, LINE, Within(2), [ladder], BLOCKS, **facts)  # type: ignore[arg-type]


@given(ray_mechanisms())
def test_the_left_over_is_counted_right_by_another_way(rays: RayMechanism) -> None:
    check_ray_columns(rays)


@given(ray_mechanisms("fair"), st.fractions(min_value=Fraction(101, 100), max_value=4))
def test_what_rays_pass_the_matrix_passes(rays: RayMechanism, ratio: Fraction) -> None:
    if ray_fault(rays, ratio) is None:
        assert not breaks_a_ratio(rays.dense(), ratio)


@given(ray_mechanisms("fair"))
def test_ladders_that_halve_are_private_at_log_2(rays: RayMechanism) -> None:
    fault = ray_fault(rays, Fraction(2))
    assert fault is None or fault.startswith("the spare row")


@given(ray_mechanisms())
def test_certify_says_of_rays_what_it_says_of_the_matrix(rays: RayMechanism) -> None:
    try:
        certify(rays.dense(), "log 2")
        private = True
    except NotCertified:
        private = False
    if private:
        assert certify(rays, "log 2").certificate.mechanism_digest == rays.digest
    else:
        with pytest.raises(NotCertified):
            certify(rays, "log 2")


def test_a_certificate_names_the_rays() -> None:
    rays = _rays([8, 4, 2])
    certified = certify(rays, "log 2")
    assert certified.mechanism is rays
    assert certified.certificate.covers_answers


def test_too_long_a_step_is_found() -> None:
    assert ray_fault(_rays([8, 4, 2]), Fraction(2)) is None
    assert ray_fault(_rays([8, 4, 2]), Fraction(199, 100)) is not None
    fault = ray_fault(_rays([8, 4, 1]), Fraction(2))
    assert fault == "ladder 0 has too long a step from rung 1 to the next"
    assert ray_fault(_rays([8, 4, 0]), Fraction(100)) is not None


def test_a_spare_row_that_runs_dry_is_found() -> None:
    least = _rays([8, 4, 2]).total - int(_rays([8, 4, 2]).spare.min())
    assert ray_fault(_rays([8, 4, 2], total=least), Fraction(2)) == (
        "the spare row breaks a ratio near answer 0"
    )


def test_a_large_one_is_refused_without_writing_it_out() -> None:
    line = Grid(Fraction(0), Fraction(1), 10_000)
    blocks = RayBlocks.of(first=[0], length=[1], ladder=[0], output=[0])
    rays = RayMechanism.of(line, line, Within(1), [[4, 1]], blocks, spare_output=1)
    with pytest.raises(NotCertified, match="ladder 0 has too long a step"):
        certify(rays, 1)


def _forged(rays: RayMechanism, **change: object) -> RayMechanism:
    forged = object.__new__(RayMechanism)
    for key in ("answers", "outputs", "neighbours", "ladders", "blocks", "spare_output", "total",
                "name", "notes"):  # fmt: skip
        object.__setattr__(forged, key, change.get(key, getattr(rays, key)))
    return forged


def test_what_was_not_built_by_the_rules_is_not_believed() -> None:
    rays = _rays([8, 4, 2])
    writeable = np.array(rays.ladders)
    off_the_line = RayBlocks.of(first=[3], length=[2], count=[2], ladder=[0], output=[0])
    wide = sealed(np.full((1, 3), 2**62))
    poisoned = _forged(rays)
    poisoned.__dict__["spare"] = sealed(rays.spare + 1)
    for forged in (
        _forged(rays, ladders=writeable),
        _forged(rays, blocks=off_the_line),
        _forged(rays, total=10),
        _forged(rays, spare_output=7),
        _forged(rays, ladders=wide, total=2**62),
        poisoned,
    ):
        with pytest.raises(MechanismError):
            certify(forged, "log 2")


def test_wrapping_around_a_machine_word_fools_nobody() -> None:
    """Five rays of 2^62 add up to 2^62 in 64 bits; their columns hold five times that."""
    flat = sealed(np.full((1, 2), 2**62))
    with pytest.raises(MechanismError, match="not sum to the total"):
        certify(_forged(_rays([8, 4, 2]), ladders=flat, total=2**62), "log 2")


def test_so_many_rays_that_their_halves_could_wrap_are_refused() -> None:
    line = Grid(Fraction(0), Fraction(1), 1_000_000)
    many = np.full(1_100, 1_000_000)
    none = np.zeros(1_100, dtype=np.int64)
    blocks = RayBlocks.of(
        first=none, length=none + 1, count=many, ladder=none, output=none, stride=none
    )
    rays = RayMechanism.of(line, line, Within(1), [[0]], blocks, spare_output=0)
    with pytest.raises(MechanismError, match=r"has more than 2\^30 rays"):
        certify(rays, 1)
