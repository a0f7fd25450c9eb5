"""Every claim of 002 holds in the numbers, but for the known slips and its open conjecture."""

import pytest

from discreet.papers.p002 import graphs, path, tight
from discreet.papers.registry import ITEMS
from papers.outcomes import check_numbers, check_printed, check_slips

SLIPS = {
    "002/examples-1-2": ["so it is for the r largest values of a sorted histogram"],
    "002/conjecture": ["conjectured: with more records", "conjectured: the conditions hold"],
    "002/tight-constraints": ["conjectured: the exponential mechanism"],
    "002/corollary-2": ["LP[4]^∞ and LP[5]^∞ are bounded and feasible"],
    "002/corollary-3": ["the bracket of Corollary 3 is that of Theorem 2", "“for K ≥ s²ℓ(1 + γ)/γ"],
    "002/sorting": ["regime 2 as printed"],
}
IDS = [name for name in ITEMS if name.startswith("002/")]


@pytest.fixture(autouse=True)
def _fewer_points(monkeypatch):
    """The same items with fewer points on their curves."""
    monkeypatch.setattr(graphs, "SWEPT", ("0.1", "1"))
    monkeypatch.setattr(tight, "HISTOGRAMS", ((5, 3), (10, 3), (12, 3), (10, 4)))
    monkeypatch.setattr(tight, "SORTED", ((8, 8),))
    monkeypatch.setattr(path, "NODES", (4, 16, 64, 256))
    monkeypatch.setattr(path, "WIDEST_UP_TO", 32)


@pytest.mark.parametrize("name", IDS)
def test_every_check_holds_but_the_known_slips(name):
    check_slips(name, SLIPS.get(name, []))


@pytest.mark.parametrize("name", IDS)
def test_an_outcome_survives_json_and_has_numbers_everywhere(name):
    check_numbers(name)


def test_all_that_002_states_is_there():
    assert {
        "002/examples-1-2", "002/conjecture", "002/tight-constraints", "002/graphs",
        "002/lemma-2", "002/theorem-1", "002/lemmas-4-5", "002/corollary-2",
        "002/example-3", "002/lemma-6", "002/path", "002/corollary-3", "002/sorting",
    } == set(IDS)  # fmt: skip


PRINTED = {
    "002/examples-1-2": ["½‖x − y‖₁", "1", "not fully satisfied"],
    "002/graphs": ["2ε", "ε", "coincide", "optimal"],
    "002/theorem-1": ["optimal", "(9)", "p(y₀|x₀) = p(x₀|y₀)", "binary databases of size N"],
    "002/corollary-2": ["an optimal solution that satisfies all constraints in (C5) with equality"],
    "002/example-3": ["γ/(1 − γ)", "2γ/(1 − γ²)"],
    "002/lemma-6": ["(11)", "strictly increasing", "f(ℓ) > (12)", "f(ℓ) > (13)"],
    "002/path": ["optimal asymptotically", "≥ √γ/(1 + γ)", "0.5", "up to a constant factor"],
    "002/sorting": ["Ω(N)", "Ω(√(N/ε))", "Ω(r/ε)", "2/ε", "O(r/ε)", "matches"],
}


@pytest.mark.parametrize("name", PRINTED)
def test_every_printed_number_is_checked(name):
    check_printed(name, PRINTED[name])
