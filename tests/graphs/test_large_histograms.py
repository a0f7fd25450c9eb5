"""Histograms that are not listed: the same graph, the same optimum, exact integers, exact draws."""

from dataclasses import replace

import numpy as np
import pytest

from discreet.certifier import certify, certify_by_distance
from discreet.errors import DesignError, MechanismError, NotCertified, SpaceError
from discreet.graphs import (
    LargeHistograms,
    compare,
    compare_large,
    histograms,
    tight_histograms,
    tight_mechanism,
)
from discreet.graphs.histogram_mechanism import draw_histogram
from discreet.graphs.orbits import alike_nodes
from discreet.model import Mechanism

SHAPES = [(2, 3), (5, 3), (4, 4), (3, 5), (12, 3)]


@pytest.mark.parametrize("shape", SHAPES)
def test_it_is_the_listed_graph(shape):
    large, listed = LargeHistograms(*shape), histograms(*shape)
    assert [large.label(node) for node in range(large.size)] == list(listed.space.names)
    alike = alike_nodes(listed)
    for node in range(large.size):
        assert (large.distances_from(node) == listed.distances[node]).all()
        same = large.classes == large.classes[node]
        assert (same == (alike == alike[node])).all()


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("epsilon", ["log 9", "3"])
def test_every_column_of_it_is_private_and_as_good(shape, epsilon):
    """All columns written out, certified as a matrix by other code."""
    found = tight_histograms(LargeHistograms(*shape), epsilon)
    listed = histograms(*shape)
    mechanism = found.certified.mechanism
    matrix = np.array([mechanism.column(node) for node in range(listed.size)]).T
    whole = Mechanism.of(listed.space, listed.space, listed.neighbours, matrix)
    assert certify(whole, epsilon)
    cost = float((matrix / mechanism.total * listed.distances).sum()) / listed.size
    assert cost <= found.value <= cost * (1 + 1e-9)
    known = tight_mechanism(listed, epsilon).design
    assert found.value == pytest.approx(known.value, rel=1e-9)
    assert found.lower_bound == pytest.approx(known.lower_bound, rel=1e-9)


def test_what_is_changed_is_not_certified():
    mechanism = tight_histograms(LargeHistograms(4, 3), 2).certified.mechanism
    first = list(mechanism.levels[0])
    shifted = ((*first[:-1], first[-1] + 1), *mechanism.levels[1:])
    with pytest.raises(MechanismError, match="not sum to the total"):
        certify_by_distance(replace(mechanism, levels=shifted), 2)
    with pytest.raises(NotCertified, match="not private at ε = 1"):
        certify_by_distance(mechanism, 1)
    lacking = (mechanism.lacking[0] * 100, *mechanism.lacking[1:])
    with pytest.raises(NotCertified, match="spare weights of the columns differ"):
        certify_by_distance(replace(mechanism, lacking=lacking), 2)
    floats = (tuple(map(float, first)), *mechanism.levels[1:])
    with pytest.raises(MechanismError, match="whole numbers of at least 0"):
        certify_by_distance(replace(mechanism, levels=floats), 2)
    with pytest.raises(MechanismError, match="only a certified mechanism can be drawn from"):
        draw_histogram(mechanism, 0)


def test_every_uniform_integer_leads_to_its_output(monkeypatch):
    found = tight_histograms(LargeHistograms(3, 3), 2)
    column = found.certified.mechanism.column(4)
    running = np.cumsum(column).tolist()
    for output, end in enumerate(running):
        for number in (end - int(column[output]), end - 1):
            monkeypatch.setattr(
                "discreet.graphs.histogram_mechanism.uniform_below", lambda _, number=number: number
            )
            assert found.draw(4) == output
    assert running[-1] == 2**62


def test_the_table_is_that_of_the_listed_graph():
    small, large = compare(histograms(8, 3), "2.5"), compare_large(LargeHistograms(8, 3), "2.5")
    for line in large.lines:
        assert line.value == pytest.approx(small.line(line.name).value, rel=1e-8)
    assert large.conditions == small.conditions


def test_what_is_too_much_is_refused():
    with pytest.raises(SpaceError, match="the limit is 400,000; use fewer records"):
        LargeHistograms(100, 5)
    with pytest.raises(DesignError, match=r"negative weight at ε = 0.2; use a larger ε"):
        tight_histograms(LargeHistograms(6, 6), "0.2")
