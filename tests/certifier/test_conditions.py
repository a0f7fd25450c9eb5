"""Pure ε: the certifier says what a slow check of every pair says, to the last unit."""

import math
from fractions import Fraction

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from discreet.certifier import certify, conditions, tight_epsilon
from discreet.errors import NotCertified
from discreet.exact import Epsilon, log_lower, log_upper
from discreet.model import AllPairs, Graph, Grid, Mechanism, Within
from ground_truth import labels, mechanisms, naive_pairs, naive_worst_ratio, number_spaces

any_mechanism = mechanisms(number_spaces() | labels())


def is_certified(mechanism, epsilon, delta=0):
    try:
        certify(mechanism, epsilon, delta)
    except NotCertified:
        return False
    return True


@given(any_mechanism, st.fractions(min_value=Fraction(101, 100), max_value=20))
def test_certified_exactly_when_every_pair_keeps_the_ratio(mechanism, ratio):
    worst = naive_worst_ratio(mechanism)
    assert is_certified(mechanism, f"log {ratio}") == (worst is not None and worst <= ratio)


@given(any_mechanism, st.fractions(min_value=Fraction(1, 1000), max_value=5))
def test_certified_at_a_decimal_exactly_when_the_proved_bound_allows_it(mechanism, epsilon):
    worst = naive_worst_ratio(mechanism)
    allowed = Epsilon.of(epsilon).ratio_below
    assert is_certified(mechanism, epsilon) == (worst is not None and worst <= allowed)


@given(mechanisms(number_spaces(), least=1))
def test_the_worst_ratio_itself_is_certified_and_nothing_below_it(mechanism):
    worst = naive_worst_ratio(mechanism)
    assume(worst is not None and 1 < worst < 10**20)
    assert is_certified(mechanism, f"log {worst}")
    assert not is_certified(mechanism, f"log {1 + (worst - 1) * Fraction(10**12 - 1, 10**12)}")


@given(any_mechanism)
def test_tight_epsilon_is_the_logarithm_of_the_worst_ratio(mechanism):
    worst, tight = naive_worst_ratio(mechanism), tight_epsilon(mechanism)
    assert tight.is_finite == (worst is not None)
    if worst is None:
        assert math.isinf(float(tight))
        assert tight.witness.ratio is None
    else:
        assert tight.low <= tight.high
        assert log_lower(worst) == tight.low
        assert log_upper(worst) == tight.high
        assert tight.high - tight.low < Fraction(1, 2**150)


@given(any_mechanism)
def test_the_witness_is_a_worst_pair_of_neighbours(mechanism):
    witness = tight_epsilon(mechanism).witness
    pairs = naive_pairs(mechanism.neighbours, len(mechanism.answers))
    if witness is None:
        assert not pairs
        return
    row = mechanism.weights[witness.output].tolist()
    worst = naive_worst_ratio(mechanism)
    assert witness.likelier == witness.rarer or (witness.likelier, witness.rarer) in pairs
    if worst is None:
        assert row[witness.likelier] > 0
        assert row[witness.rarer] == 0
    else:
        assert Fraction(row[witness.likelier], row[witness.rarer]) == worst == witness.ratio


@st.composite
def tight_cases(draw):
    """A random matrix with its worst ratio, which its own certificate just allows."""
    mechanism = draw(mechanisms(number_spaces(), scales=(7, 2**40, 2**70), least=1))
    worst = naive_worst_ratio(mechanism)
    assume(worst is not None and 1 < worst < 10**20 and len(mechanism.outputs) > 1)
    return mechanism, worst


@settings(max_examples=60)
@given(tight_cases())
def test_one_unit_more_in_a_tight_cell_is_caught(case):
    mechanism, worst = case
    witness = tight_epsilon(mechanism).witness
    weights = mechanism.weights.astype(object)
    weights[witness.output, witness.likelier] += 1
    other = next(i for i in range(len(weights)) if i != witness.output)
    assume(weights[other, witness.likelier] > 0)
    weights[other, witness.likelier] -= 1
    changed = Mechanism.of(mechanism.answers, mechanism.outputs, mechanism.neighbours, weights)
    assert is_certified(mechanism, f"log {worst}")
    assert not is_certified(changed, f"log {worst}")


@given(st.integers(1, 9), st.integers(1, 12), st.data())
def test_windows_hold_every_pair_of_neighbours_and_no_other(size, steps, data):
    relation = data.draw(st.sampled_from([Within(steps), AllPairs()]))
    space = Grid(0, 1, size)
    mechanism = Mechanism.of(space, Grid(0, 1, 1), relation, [[1] * size])
    seen = set()
    for block in conditions.blocks(mechanism):
        for window in range(block.largest.shape[1]):
            columns = block.columns(window)
            seen |= {(j, k) for j in columns for k in columns if j != k}
    assert sorted(seen) == naive_pairs(relation, size)


@pytest.mark.parametrize("cells", [1, 7, 10**6])
def test_the_size_of_a_block_changes_nothing(cells, monkeypatch):
    monkeypatch.setattr(conditions, "_CELLS", cells)
    space = Grid.between(0, 4)
    rows = [[5, 4, 3, 2, 2], [2, 3, 4, 3, 2], [2, 2, 2, 4, 5]]
    for relation in (Within(1), Within(2), AllPairs(), Graph.of(5, [(0, 4), (1, 2), (0, 2)])):
        mechanism = Mechanism.of(space, Grid.between(0, 2), relation, rows)
        tight = tight_epsilon(mechanism)
        assert tight.witness.ratio == naive_worst_ratio(mechanism)
        assert tight.witness.output in range(3)


def test_nothing_to_compare_is_private_at_any_epsilon():
    alone = Grid.between(0, 0)
    mechanism = Mechanism.of(alone, Grid.between(0, 1), AllPairs(), [[1], [0]])
    assert certify(mechanism, "0.000000001").guarantee.delta == 0
    two = Grid.between(0, 1)
    apart = Mechanism.of(two, two, Graph.of(2, []), [[1, 0], [0, 1]])
    assert tight_epsilon(apart).high == 0
    assert is_certified(apart, "0.000000001")


def test_example_1_of_001_is_certified_at_exactly_log_3():
    answers = Grid.between(0, 1)
    coins = Mechanism.of(answers, answers, AllPairs(), [[3, 1], [1, 3]])
    assert certify(coins, "log 3").certificate.ratio == 3
    with pytest.raises(NotCertified):
        certify(coins, "1.098612288")
    assert certify(coins, "1.098612289")


def test_example_2_of_001_is_rejected_with_its_witness():
    """Releasing a random row: the new value is possible with the record, impossible without."""
    databases = Grid.between(0, 1)
    rows = Mechanism.of(databases, Grid.between(0, 2), AllPairs(), [[1, 1], [1, 0], [0, 1]])
    with pytest.raises(NotCertified) as caught:
        certify(rows, "5")
    assert str(caught.value) == (
        "not private at ε = 5: output 1 is possible under 0 and impossible under 1; "
        "no finite ε allows that"
    )
