"""The picture of a graph: the same every time, kinds told apart by more than colour."""

import numpy as np
from hypothesis import given, settings

from discreet.graphs import compare, cycle, hypercube, path, sorted_histograms
from discreet.plots.graphs import MOST_LETTERS, flat_positions, graph_picture
from discreet.plots.saving import save_picture
from graphs.strategies import connected_graphs


def test_the_same_graph_gives_the_same_bytes(tmp_path):
    graph = path(6)
    found = compare(graph, "0.5")
    first, second = (
        save_picture(graph_picture(found, graph), tmp_path / f"{i}.svg") for i in (1, 2)
    )
    assert first.read_bytes() == second.read_bytes()
    text = first.read_text(encoding="utf-8")
    for needed in ("path 6, ε = 0.5", "LP[1] (program)", "exp(-ε d) (mechanism)", "keeps ε ="):
        assert needed in text


@given(connected_graphs())
@settings(max_examples=20)
def test_positions_are_finite_and_keep_a_line_a_line(graph):
    assert np.isfinite(flat_positions(graph)).all()


def test_a_path_lies_in_order():
    along = flat_positions(path(7))[:, 0]
    assert (np.diff(along) > 0).all() or (np.diff(along) < 0).all()


def test_names_are_left_out_where_they_would_overlap():
    small, large = cycle(5), sorted_histograms(9, 9)
    assert len(graph_picture(compare(small, 1), small).axes[0].texts) == 5
    assert sum(len(name) for name in large.space.names) > MOST_LETTERS
    assert not graph_picture(compare(large, 1), large).axes[0].texts


def test_without_a_graph_only_the_costs_are_shown():
    assert len(graph_picture(compare(hypercube(2), 1)).axes) == 1
