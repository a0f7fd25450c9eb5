"""Every printed number of 001, and every claim: all hold but for the one known slip."""

import math

import pytest

from discreet.mechanisms import laplace_accuracy
from discreet.papers.registry import ITEMS
from papers.outcomes import check_numbers, check_printed, check_slips

SLIPS = {"001/example-4": ["two databases are adjacent if they differ in a single row"]}
IDS = [name for name in ITEMS if name.startswith("001/")]


@pytest.mark.parametrize("name", IDS)
def test_every_check_holds_but_the_known_slips(name):
    check_slips(name, SLIPS.get(name, []))


@pytest.mark.parametrize("name", IDS)
def test_an_outcome_survives_json_and_has_numbers_everywhere(name):
    check_numbers(name)


def test_all_examples_propositions_and_attacks_are_there():
    wanted = {f"001/example-{k}" for k in range(1, 7)}
    wanted |= {f"001/proposition-{k}" for k in range(1, 8)}
    wanted |= {"001/remark-1", "001/attack-linkage", "001/attack-reconstruction"}
    wanted |= {"001/attack-membership"}
    assert wanted == set(IDS)


PRINTED = {
    "001/example-1": ["3/4", "1/4", "3", "log(3)"],
    "001/example-2": ["1/n", "not private"],
    "001/example-3": ["2", "12.21", "24.42", "95 %"],
    "001/example-5": ["3", "1.01", "0"],
    "001/proposition-2": ["1 − √(ε/2)", "KL ≤ ε"],
    "001/proposition-6": ["δ = 0.05"],
    "001/example-6": ["exp(−t)"],
    "001/remark-1": ["Δ_u = Δ_f", "2Δ_u/ε"],
    "001/attack-linkage": ["87 %"],
}


@pytest.mark.parametrize("name", PRINTED)
def test_every_printed_number_is_checked(name):
    check_printed(name, PRINTED[name])


def test_example_3_in_its_own_words():
    assert laplace_accuracy(2, 2, "0.95", 10_000) == pytest.approx(math.log(10_000 / 0.05))
    assert 12.20 < math.log(10_000 / 0.05) <= 12.21
    assert 24.41 < 2 * math.log(10_000 / 0.05) <= 24.42
