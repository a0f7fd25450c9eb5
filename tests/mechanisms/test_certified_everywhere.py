"""Every shipped family keeps its promise in integers, wherever it can be asked to."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.certifier import certify
from discreet.errors import NotCertified
from discreet.mechanisms import FAMILIES, build, databases
from discreet.model import AllPairs, Grid, Labels, Listed, Mechanism, extended, scaled
from mechanism_families import EPSILONS, RELATIONS, tight_changes

BY_DATABASE = "smooth-sensitivity"
ON_ANSWERS = [name for name in FAMILIES if name != BY_DATABASE]


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("name", ON_ANSWERS)
def test_small_spaces(name, epsilon):
    for size in (2, 3, 5, 10):
        for neighbours in RELATIONS:
            mechanism = build(name, Grid.between(0, size - 1), neighbours, epsilon)
            certify(mechanism, epsilon)
            assert (mechanism.weights > 0).all()


@pytest.mark.parametrize("name", ON_ANSWERS)
def test_forty_one_answers(name):
    for epsilon, neighbours in zip(("0.01", "log 3", "10"), RELATIONS, strict=True):
        certify(build(name, Grid.between(0, 4, "0.1"), neighbours, epsilon), epsilon)


@pytest.mark.parametrize("name", ON_ANSWERS)
def test_two_hundred_and_one_answers(name):
    for epsilon, neighbours in zip(("10", "0.01", "1"), RELATIONS, strict=True):
        if name == "noisy-max" and neighbours != AllPairs():
            continue  # certified too, but its matrix takes many seconds
        certify(build(name, Grid.between(0, 200), neighbours, epsilon), epsilon)


@pytest.mark.parametrize("statistic", ["min", "median", "max"])
@pytest.mark.parametrize("epsilon", EPSILONS)
def test_smooth_sensitivity_over_all_small_databases(statistic, epsilon):
    for records, size in ((1, 2), (2, 5), (3, 3), (5, 2)):
        values = Grid.between(0, size - 1)
        options = {"statistic": statistic, "records": records}
        certify(build(BY_DATABASE, values, AllPairs(), epsilon, **options), epsilon)
    for multiplier in ("1.01", "2", "100"):
        options = {"statistic": statistic, "records": 3, "multiplier": multiplier}
        certify(build(BY_DATABASE, Grid.between(0, 3), AllPairs(), epsilon, **options), epsilon)


@pytest.mark.parametrize("name", [name for name in ON_ANSWERS if name != "explicit-fair"])
def test_coarser_finer_and_wider_outputs(name):
    answers = Grid.between(0, 12)
    for outputs in (scaled(answers, 3), scaled(answers, "1/2"), extended(answers, 300)):
        for neighbours in RELATIONS:
            mechanism = build(name, answers, neighbours, "0.7", outputs=outputs)
            assert mechanism.outputs == outputs
            certify(mechanism, "0.7")


@pytest.mark.parametrize("name", [n for n in ON_ANSWERS if n != "geometric"])
def test_unevenly_spaced_numbers_and_explicit_graphs(name):
    uneven = Listed.of([0, 1, "1.5", 4, 10])
    for neighbours in RELATIONS:
        certify(build(name, uneven, neighbours, 1), 1)
    certify(build(name, Grid.between(0, 5), databases(Grid.between(0, 2), 2)[1], 1), 1)


@pytest.mark.parametrize("name", [name for name in FAMILIES if FAMILIES[name].needs == "any"])
def test_labels(name):
    for neighbours in (AllPairs(), *RELATIONS):
        certify(build(name, Labels.of(["a", "b", "c", "d"]), neighbours, "0.3"), "0.3")


@pytest.mark.parametrize("name", ON_ANSWERS)
def test_a_single_answer_needs_no_privacy_and_is_still_a_mechanism(name):
    certify(build(name, Grid.between(3, 3), AllPairs(), 1), 1)


@given(
    name=st.sampled_from(ON_ANSWERS),
    size=st.integers(2, 9),
    neighbours=st.sampled_from(RELATIONS),
    epsilon=st.sampled_from(EPSILONS),
    data=st.data(),
)
def test_a_change_of_one_unit_in_a_tight_cell_is_caught(name, size, neighbours, epsilon, data):
    mechanism = build(name, Grid.between(0, size - 1), neighbours, epsilon)
    tight = tight_changes(mechanism, epsilon)
    if not tight:
        return
    i, j, change = data.draw(st.sampled_from(tight))
    weights = mechanism.weights.astype(object)
    other = data.draw(st.sampled_from([row for row in range(size) if row != i]))
    weights[i, j] += change
    weights[other, j] -= change
    if weights.min() < 0:
        return
    changed = Mechanism.of(mechanism.answers, mechanism.outputs, neighbours, weights)
    with pytest.raises(NotCertified):
        certify(changed, epsilon)


@pytest.mark.parametrize("name", ["explicit-fair", "randomized-response"])
def test_families_built_in_integers_leave_no_room(name):
    """Some cell cannot take or lose a single unit: nothing of ε is given away."""
    for epsilon in EPSILONS:
        mechanism = build(name, Grid.between(0, 6), RELATIONS[0], epsilon)
        assert tight_changes(mechanism, epsilon)
