"""Snapping as an operation on any matrix: exact row addition."""

import numpy as np
import pytest
from hypothesis import given

from discreet.errors import SpaceError
from discreet.mechanisms import build, snapped
from discreet.model import AllPairs, Grid, Labels, category_of, extended
from ground_truth import mechanisms, number_spaces
from mechanism_families import NOISES, RELATIONS


@given(mechanisms(), number_spaces())
def test_every_output_goes_to_the_category_that_holds_it(mechanism, outputs):
    inside = snapped(mechanism, outputs)
    assert inside.total == mechanism.total
    assert inside.outputs == outputs
    nearest = category_of(outputs, mechanism.outputs)
    for place in range(len(outputs)):
        rows = [mechanism.weights[i] for i, near in enumerate(nearest) if near == place]
        wanted = [sum(int(cell) for cell in cells) for cells in zip(*rows, strict=True)]
        assert inside.weights[place].tolist() == (wanted or [0] * len(mechanism.answers))


@given(mechanisms(), number_spaces())
def test_snapping_twice_is_snapping_once(mechanism, outputs):
    once = snapped(mechanism, outputs)
    assert snapped(once, outputs).same_as(once)


@pytest.mark.parametrize("name", NOISES)
@pytest.mark.parametrize("neighbours", RELATIONS)
def test_snapping_a_wide_matrix_is_the_snapped_density(name, neighbours):
    grid = Grid.between(0, 8)
    wide = build(name, grid, neighbours, "0.8", outputs=extended(grid, 700))
    direct = build(name, grid, neighbours, "0.8").probabilities()
    assert np.allclose(snapped(wide).probabilities(), direct, rtol=1e-9)


def test_labels_cannot_be_snapped():
    with pytest.raises(SpaceError, match="snapping needs numbers"):
        snapped(build("uniform", Labels.of(["a", "b"]), AllPairs(), 1))
