"""Draws from rays follow the matrix they stand for, without writing it out."""

from fractions import Fraction

import numpy as np
import pytest

from discreet.certifier import certify
from discreet.model import Grid, RayBlocks, RayMechanism, Within
from discreet.sampling import draw, draw_each, draw_many
from statistics_bounds import assert_follows


def _rays(size: int) -> RayMechanism:
    line = Grid(Fraction(0), Fraction(1), size)
    blocks = RayBlocks.of(first=[0], length=[2], count=[size - 1], ladder=[0], output=[0],
                          stride=[1])  # fmt: skip
    ladder = [2**58 >> rung for rung in range(min(50, size // 3 + 1))]
    return RayMechanism.of(line, line, Within(3), [ladder], blocks, spare_output=1)


@pytest.mark.parametrize("size", [50, 100_000])
def test_draws_follow_the_column(size: int) -> None:
    certified = certify(_rays(size), "log 2")
    for answer in (0, size // 2, size - 1):
        column = certified.mechanism.column(answer)
        near = np.argsort(column)[-30:]
        slot = np.full(size, 30)
        slot[near] = np.arange(30)
        law = [Fraction(int(column[output]), 2**62) for output in near]
        law.append(1 - sum(law))
        assert_follows(slot[draw_many(certified, answer, 50_000)], law)
        assert 0 <= draw(certified, answer) < size


def test_a_different_answer_for_each_draw_of_rays() -> None:
    certified = certify(_rays(100_000), "log 2")
    drawn = draw_each(certified, [5, 99_990, 5])
    assert len(drawn) == 3
