"""What is certified is what is drawn from: nobody else's hands, names or arithmetic get between."""

import re
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pytest

import discreet
from discreet.certifier import Certified, certify
from discreet.certifier.layers import certify_layers
from discreet.errors import EpsilonError, InvalidInput, MechanismError, NotCertified
from discreet.exact import Epsilon
from discreet.model import (
    AllPairs,
    DenseMechanism,
    Grid,
    Labels,
    Mechanism,
    RayBlocks,
    RayMechanism,
    Within,
)
from discreet.sampling import draw, draw_each, draw_many

COINS = Labels.of(["no", "yes"])
PRIVATE = [[3, 1], [1, 3]]
REVEALING = [[4, 0], [0, 4]]
LONG = 2**70


def raw(cells, total=4, answers=COINS):
    """A mechanism put together without `Mechanism.of`, its cells closed but not sealed."""
    cells.setflags(write=False)
    return DenseMechanism(
        answers=answers, outputs=COINS, neighbours=AllPairs(), weights=cells, total=total
    )


@pytest.mark.parametrize("kind", [np.int64, object])
def test_whoever_kept_the_array_cannot_change_the_certified_one(kind):
    kept = np.array(PRIVATE, dtype=kind)
    certified = certify(raw(kept.view()), "log 3")
    kept[:] = REVEALING
    assert certified.mechanism.weights.tolist() == PRIVATE
    assert 1 in draw_many(certified, 0, 200)


@pytest.mark.parametrize("scale", [1, LONG])
def test_certified_cells_cannot_be_opened_again(scale):
    weights = [[cell * scale for cell in row] for row in PRIVATE]
    certified = certify(Mechanism.of(COINS, COINS, AllPairs(), weights), "log 3")
    with pytest.raises(ValueError, match="WRITEABLE"):
        certified.mechanism.weights.setflags(write=True)


def test_a_sealed_mechanism_is_not_copied():
    mechanism = Mechanism.of(COINS, COINS, AllPairs(), PRIVATE)
    assert certify(mechanism, "log 3").mechanism is mechanism


def three_rays(blocks):
    line = Grid.between(0, 2)
    return RayMechanism.of(
        line, line, Within(1), [[4, 2, 1]], blocks, spare_output=1, total=8
    )  # fmt: skip


def test_rays_cannot_be_changed_either():
    first = np.array([0, 2])
    plain = RayBlocks.of(first=first, length=[1, 1], ladder=[0, 0], output=[0, 2])
    mine = RayBlocks(
        first=first,
        length=plain.length,
        count=plain.count,
        ladder=plain.ladder,
        output=plain.output,
        stride=plain.stride,
    )
    rays = certify(three_rays(mine), 1).mechanism
    first[:] = 1
    assert rays.weights.tolist() == [[4, 2, 1], [3, 4, 3], [1, 2, 4]]
    for array in (rays.ladders, rays.spare, rays.weights, rays.blocks.first, *rays._rays):
        with pytest.raises(ValueError, match="WRITEABLE"):
            array.setflags(write=True)


def test_rays_are_checked_whichever_way_they_are_made():
    good = three_rays(RayBlocks.of(first=[0, 2], length=[1, 1], ladder=[0, 0], output=[0, 2]))
    for change in ({"total": 4}, {"ladders": np.array([[4, 2, 3]])}, {"spare_output": 3}):
        with pytest.raises(MechanismError):
            replace(good, **change)
    kept = np.array([[4, 2, 1]])
    rays = replace(good, ladders=kept)
    kept[:] = 1
    assert rays.ladders.tolist() == [[4, 2, 1]]


class Flattering(np.ndarray):
    def astype(self, *_, **__):
        return np.full(self.shape, 2, dtype=object)

    def __getitem__(self, _):
        return np.full(self.shape, 2)


def test_an_array_that_answers_for_itself_is_refused():
    for cells in (
        np.array(REVEALING).view(Flattering),
        np.ma.array(REVEALING, mask=[[False, True], [True, False]]),
    ):
        with pytest.raises(MechanismError, match="not a plain array"):
            certify(raw(cells), "0.1")


class AnyTotal(int):
    def __eq__(self, other):
        return True

    def __ne__(self, other):
        return False

    __hash__ = int.__hash__


@pytest.mark.parametrize("total", [4.0, np.int64(4), AnyTotal(3), True, None, "4"])
def test_a_total_that_is_no_plain_integer_is_refused(total):
    with pytest.raises(MechanismError, match=r"^the total of a mechanism must be an integer, got "):
        certify(raw(np.array(PRIVATE), total), "log 3")


class Shrinking(Grid):
    def __len__(self):
        return 1


def test_a_space_that_counts_for_itself_is_refused():
    space = Shrinking(Fraction(0), Fraction(1), 2)
    with pytest.raises(MechanismError, match="unknown kind of space"):
        certify(raw(np.array(REVEALING)[:, :1], answers=space), 1)


class Generous(Epsilon):
    ratio_below = Fraction(10**9)


def test_an_epsilon_with_its_own_exponential_is_refused():
    with pytest.raises(EpsilonError):
        certify(Mechanism.of(COINS, COINS, AllPairs(), [[9, 1], [1, 9]]), Generous(10**8))


def test_an_object_that_only_says_it_is_certified_is_not_drawn_from():
    pretender = Mock(spec=Certified, mechanism=Mechanism.of(COINS, COINS, AllPairs(), REVEALING))
    assert isinstance(pretender, Certified)
    for attempt in (
        lambda: draw(pretender, 0),
        lambda: draw_many(pretender, 0, 5),
        lambda: draw_each(pretender, [0, 1]),
    ):
        with pytest.raises(MechanismError, match="only a certified mechanism can be drawn from"):
            attempt()


class SecondThoughts:
    """Levels that are fine the first time they are looked at."""

    layer_sizes = (1, 1)
    total = 8
    digest = ""
    looked = False

    @property
    def levels(self):
        self.looked, before = True, self.looked
        return (4, 4) if before else (7, 1)


def test_levels_are_read_once():
    with pytest.raises(NotCertified):
        certify_layers(SecondThoughts(), 1)


def test_the_seal_stays_in_the_certifier():
    source = Path(discreet.__file__).parent
    users = {
        path.parent.name
        for path in source.rglob("*.py")
        if re.search(r"\b_seal\b", path.read_text(encoding="utf-8"))
    }
    assert users == {"certifier"}


def test_layers_are_not_drawn_from_as_a_matrix():
    honest = Mock(layer_sizes=(1, 1), levels=(4, 4), total=8, digest="")
    with pytest.raises(MechanismError, match="only a certified mechanism can be drawn from"):
        draw(certify_layers(honest, 1), 0)


def test_certified_layers_keep_their_parts():
    honest = Mock(layer_sizes=(1, 1), levels=(4, 4), total=8, digest="")
    with pytest.raises(AttributeError):
        del certify_layers(honest, 1).mechanism


@pytest.mark.parametrize("delta", ["1e-9999", Fraction(1, 10**5000)])
def test_a_delta_too_long_to_write_is_refused(delta):
    with pytest.raises(InvalidInput, match="fewer than 3,900 decimals"):
        certify(Mechanism.of(COINS, COINS, AllPairs(), PRIVATE), "log 3", delta)


def test_weights_too_long_to_write_are_refused():
    with pytest.raises(MechanismError, match=r"the sum of a column must be at most 2\^14,000"):
        Mechanism.of(COINS, COINS, AllPairs(), [[10**5000, 10**5000]] * 2)


def test_draws_beyond_memory_are_refused():
    certified = certify(Mechanism.of(COINS, COINS, AllPairs(), PRIVATE), "log 3")
    with pytest.raises(InvalidInput, match="at most 100,000,000 draws can be made at once"):
        draw_many(certified, 0, 10**30)
