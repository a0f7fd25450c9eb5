"""The table: its lines are on the right side of one another, on any graph."""

import json
import math

import pytest
from hypothesis import given, settings

from discreet.certifier import certify
from discreet.designer.request import patience
from discreet.errors import DesignError
from discreet.exact import Epsilon
from discreet.graphs import (
    Hamming,
    Ring,
    compare,
    compare_symmetric,
    full_exponential,
    half_exponential,
    histograms,
    optimum,
    path,
    sorted_histograms,
    widest_exponential,
)
from discreet.graphs.best import walk_of_path
from discreet.graphs.comparison import ABOVE, BELOW
from graphs.strategies import EPSILONS, OTHERS, SYMMETRIC, connected_graphs


def test_the_path_of_twelve_nodes():
    found = compare(path(12), "0.5")
    values = {line.name: round(line.value, 6) for line in found.lines}
    assert values["LP[1]"] == 1.458085
    assert values["LP[2]"] == 1.300569
    assert values["LP[3]"] == 1.488905
    assert values["exp(-ε d)"] == 1.509285
    assert values["a constant"] == 3.0
    assert found.line("exp(-ε d)").keeps == pytest.approx(0.7132, abs=1e-4)
    assert not found.conditions.hold


@given(connected_graphs(), EPSILONS)
@settings(max_examples=30)
def test_no_private_mechanism_beats_the_optimum(graph, epsilon):
    found = compare(graph, epsilon)
    best = found.line("LP[1]")
    assert best.lower_bound is not None
    assert best.lower_bound <= best.value <= found.line("a constant").value + 1e-8
    for line in found.lines:
        private = line.keeps is not None and line.keeps <= float(Epsilon.of(epsilon))
        if private:
            assert best.lower_bound <= line.value + 1e-12
        if line.kind == BELOW:
            assert line.value <= best.value
    assert (found.line("LP[2]").lower_bound or 0.0) <= best.value
    names = {line.name: line.value for line in found.lines}
    if walk_of_path(graph):
        assert names["exp(-ε d)"] < names["Lemma 7"]
        assert names["exp(-ε d/2)"] < names["Lemma 7, ε/2"]
    assert (ABOVE in {line.kind for line in found.lines}) == (walk_of_path(graph) is not None)


@given(connected_graphs(), EPSILONS)
@settings(max_examples=30)
def test_the_exponentials_keep_what_they_promise(graph, epsilon):
    eps = float(Epsilon.of(epsilon))
    half, widest, full = (
        make(graph, epsilon) for make in (half_exponential, widest_exponential, full_exponential)
    )
    assert certify(half.certified.mechanism, epsilon).guarantee.epsilon == Epsilon.of(epsilon)
    assert float(widest.tight) <= eps
    assert half.rate <= widest.rate * (1 + 1e-8) <= full.rate * (1 + 2e-8)
    assert float(full.tight) <= 2 * eps + 1e-8
    assert widest.cost <= half.cost * (1 + 1e-8)
    spent = float(widest.tight) >= eps - 1e-6
    assert spent or widest.rate >= eps - 1e-6, "a larger rate would keep ε too"


@pytest.mark.parametrize("graph", SYMMETRIC, ids=lambda graph: graph.name)
def test_where_exponential_is_optimal_all_is_one(graph):
    found = compare(graph, "0.6")
    assert found.conditions.hold
    values = [found.line(name).value for name in ("LP[1]", "LP[2]", "LP[3]", "LP[4]", "LP[5]")]
    assert max(values) - min(values) < 1e-12
    assert found.line("exp(-ε d)").value == pytest.approx(values[0], abs=1e-9)
    assert found.line("exp(-ε d)").keeps == pytest.approx(0.6)


@pytest.mark.parametrize("symmetric", [Hamming(3, 2), Hamming(2, 3), Hamming(1, 5), Ring(7)])
def test_listed_or_not_the_table_is_the_same(symmetric):
    from discreet.graphs.families import listed

    one, other = compare(listed(symmetric), "0.6"), compare_symmetric(symmetric, "0.6")
    assert (one.nodes, one.layers) == (other.nodes, other.layers)
    for line in other.lines:
        assert one.line(line.name).value == pytest.approx(line.value, abs=1e-9)


def test_a_million_nodes_at_once():
    found = compare_symmetric(Hamming(20, 2), 1)
    assert found.nodes == 2**20
    assert found.line("LP[1]").value == pytest.approx(20 / (1 + math.e))
    assert found.line("a constant").value == 10.0


@pytest.mark.parametrize("graph", [OTHERS[0], SYMMETRIC[0], sorted_histograms(5, 5)], ids=str)
def test_a_comparison_is_plain_json(graph):
    document = json.loads(json.dumps(compare(graph, 1).to_dict()))
    assert document["graph"] == graph.name
    assert document["exponential_is_optimal"] == compare(graph, 1).conditions.hold
    assert {line["name"] for line in document["lines"]} >= {"LP[1]", "LP[2]", "LP[3]"}


def test_an_epsilon_too_large_for_programs_is_refused():
    with pytest.raises(DesignError, match="too large for the programs"):
        compare(path(5), 60)


@pytest.mark.parametrize(("nodes", "epsilon"), [(24, 2), (32, 2), (40, 4)])
def test_the_widest_rate_is_kept_where_tails_are_out_of_sight(nodes, epsilon):
    """Tails below 2⁻⁶² are raised to whole numbers; the rate must not suffer for them."""
    long, short = (widest_exponential(path(n), epsilon) for n in (nodes, 12))
    assert long.rate == pytest.approx(short.rate, rel=1e-6)
    assert epsilon - 1e-6 < float(long.tight) <= epsilon
    assert long.cost < 1.1 * short.cost


@pytest.mark.parametrize("met", [DesignError("HiGHS did not solve it"), KeyboardInterrupt()])
@pytest.mark.parametrize("epsilon", ["0.2", "1"])
def test_stopped_before_a_program_is_solved(monkeypatch, met, epsilon):
    """The best certified mechanism without a program, an honest bound, and no other program."""
    graph = histograms(4, 3)
    best = compare(graph, epsilon).line("LP[1]")

    def stopped(*_, **__):
        raise met

    monkeypatch.setattr(optimum, "solve", stopped)
    with patience(1e-9 if isinstance(met, DesignError) else 60, gently=True):
        found = compare(graph, epsilon)
    line = found.line("LP[1]")
    assert certify(found.best.mechanism, epsilon)
    assert line.lower_bound <= best.value * (1 + 1e-9)
    private = [one for one in found.lines if one.keeps is not None and one.keeps <= float(epsilon)]
    assert line.value >= best.lower_bound * (1 - 1e-9)
    assert line.value <= min(one.value for one in private) * (1 + 1e-9)
    assert "found in time" in line.note
    assert all("time ran out" in found.line(f"LP[{k}]").note for k in (2, 3, 4, 5))
    if isinstance(met, DesignError):
        for name in ("exp(-ε d/2)", "exp(-a d)", "exp(-ε d)"):
            assert "time ran out" in found.line(name).note


def test_ctrl_c_is_not_swallowed_where_nobody_asked_for_the_best_so_far(monkeypatch):
    def stopped(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(optimum, "solve", stopped)
    with pytest.raises(KeyboardInterrupt):
        compare(histograms(4, 3), "0.2")
