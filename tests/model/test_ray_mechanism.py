"""A mechanism kept as rays is the matrix it stands for."""

import pickle
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import FileError, MechanismError
from discreet.model import (
    AllPairs,
    DenseMechanism,
    Graph,
    Grid,
    RayBlocks,
    RayMechanism,
    Within,
    load_mechanism,
    mechanism_from_dict,
    mechanism_to_dict,
    save_mechanism,
)
from ray_examples import ray_mechanisms, slow_weights


@given(ray_mechanisms())
def test_the_matrix_is_the_sum_of_its_rays_cell_by_cell(rays: RayMechanism) -> None:
    expected = slow_weights(rays)
    assert rays.weights.tolist() == expected
    columns = [rays.column(j).tolist() for j in range(len(rays.answers))]
    assert [list(cells) for cells in zip(*columns, strict=True)] == expected
    assert rays.weights.sum(axis=0).tolist() == [rays.total] * len(rays.answers)


@given(ray_mechanisms())
def test_files_and_pickles_bring_back_the_same_rays(rays: RayMechanism) -> None:
    for back in (mechanism_from_dict(mechanism_to_dict(rays)), pickle.loads(pickle.dumps(rays))):
        assert isinstance(back, RayMechanism)
        assert back.digest == rays.digest
        assert back.same_as(rays)
    assert type(rays.dense()) is DenseMechanism
    assert rays.same_as(rays.dense())


@given(ray_mechanisms(), st.data())
def test_the_digest_tells_any_change(rays: RayMechanism, data: st.DataObject) -> None:
    ladders = rays.ladders.copy()
    assert (ladders >= 0).all()
    row = data.draw(st.integers(0, len(ladders) - 1))
    ladders[row] = np.maximum(ladders[row] - 1, 0)
    if (ladders == rays.ladders).all():
        return
    other = RayMechanism.of(rays.answers, rays.outputs, rays.neighbours, ladders, rays.blocks,
                            spare_output=rays.spare_output, total=rays.total)  # fmt: skip
    assert other.digest != rays.digest


def _line(size: int) -> Grid:
    return Grid(Fraction(0), Fraction(1), size)


def test_a_file_on_disk(tmp_path) -> None:
    blocks = RayBlocks.of(first=[0], length=[1], count=[3], ladder=[0], output=[0], stride=[1])
    rays = RayMechanism.of(_line(3), _line(3), Within(1), [[4, 2, 1]], blocks,
                           spare_output=1, total=9)  # fmt: skip
    back = load_mechanism(save_mechanism(rays, tmp_path / "rays.json"))
    assert back.weights.tolist() == [[4, 2, 1], [4, 5, 4], [1, 2, 4]]


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"first": [3]}, "line"),
        ({"first": [-1]}, "below zero"),
        ({"length": [0]}, "at least one"),
        ({"length": [4]}, "line"),
        ({"count": [4]}, "line"),
        ({"ladder": [1]}, "ladders"),
        ({"output": [3]}, "outputs"),
        ({"output": [2**62]}, "line"),
        ({"count": [3], "stride": [2]}, "outputs"),
        ({"first": [0.5]}, "whole numbers"),
        ({"first": [0, 1]}, "the same length"),
    ],
)
def test_rays_off_the_line_are_refused(change, complaint) -> None:
    fields = {"first": [0], "length": [1], "ladder": [0], "output": [0]} | change
    with pytest.raises(MechanismError, match=complaint):
        RayMechanism.of(_line(3), _line(3), Within(1), [[4, 2, 1]], RayBlocks.of(**fields),
                        spare_output=0, total=8)  # fmt: skip


@pytest.mark.parametrize(
    ("ladders", "total", "complaint"),
    [
        ([[1, 2]], 8, "fall"),
        ([[2, -1]], 8, "fall"),
        ([[9, 8]], 8, "more than the total"),
        ([[8, 4]], 2**63, "2\\^62"),
        ([[4, 3, 2, 1, 1]], 8, "more rungs"),
        ([[2**62, 2**62]], 2**62, "more than the total"),
    ],
)
def test_ladders_that_cannot_be_are_refused(ladders, total, complaint) -> None:
    blocks = RayBlocks.of(first=[0, 1, 1, 1, 1], length=[1] * 5, ladder=[0] * 5, output=[0] * 5)
    with pytest.raises(MechanismError, match=complaint):
        RayMechanism.of(_line(3), _line(3), Within(1), ladders, blocks,
                        spare_output=0, total=total)  # fmt: skip


def test_rays_need_a_line() -> None:
    blocks = RayBlocks.of(first=[0], length=[1], ladder=[0], output=[0])
    with pytest.raises(MechanismError, match="within a number of steps"):
        RayMechanism.of(_line(2), _line(2), Graph.of(2, [(0, 1)]), [[1]], blocks, spare_output=0)
    with pytest.raises(MechanismError, match="spare row"):
        RayMechanism.of(_line(2), _line(2), AllPairs(), [[1]], blocks, spare_output=2)


def test_a_million_answers_are_not_written_out() -> None:
    size = 10**6
    blocks = RayBlocks.of(first=[0], length=[1], count=[size], ladder=[0], output=[0], stride=[1])
    rays = RayMechanism.of(_line(size), _line(size), Within(4), [[10**12, 5 * 10**11, 1]], blocks,
                           spare_output=0)  # fmt: skip
    with pytest.raises(MechanismError, match="one column at a time"):
        _ = rays.weights
    assert int(rays.column(123_456).sum()) == rays.total


@pytest.mark.parametrize(
    "change",
    [
        {"rays": []},
        {"rays": {"spare_output": 0, "ladders": [["x"]], "blocks": []}},
        {"rays": {"spare_output": 0, "ladders": [["1"], ["1", "2"]], "blocks": []}},
        {"rays": {"spare_output": 0, "ladders": [["1"]], "blocks": [[0, 1, 1, 0, 0]]}},
        {"rays": {"spare_output": 0, "ladders": [["1"]], "blocks": [[0, 1, 1, 0, 0, True]]}},
        {"rays": {"spare_output": 0, "ladders": [], "blocks": []}},
        {"rays": {"spare_output": 0, "ladders": [5], "blocks": []}},
        {"rays": {"spare_output": 0, "ladders": [None], "blocks": []}},
        {"total": None},
        {"total": "9" * 40},
        {"digest": "0" * 64},
    ],
)
def test_malformed_files_are_refused(change) -> None:
    blocks = RayBlocks.of(first=[0], length=[1], ladder=[0], output=[0])
    good = RayMechanism.of(_line(3), _line(3), Within(1), [[4, 2]], blocks, spare_output=0)
    with pytest.raises((FileError, MechanismError)):
        mechanism_from_dict(mechanism_to_dict(good) | change)
