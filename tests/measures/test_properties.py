"""Properties are the formulas (10)–(15) of 003, and a counterexample is one."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.measures import properties
from discreet.model import (
    AllPairs,
    Grid,
    Labels,
    Mechanism,
    Requirements,
    Within,
    category_of,
    edges,
    extended,
    scaled,
)
from ground_truth import labels, mechanisms, number_spaces

TWO = Grid.between(0, 1)


def slow_properties(mechanism):
    """The formulas as printed, indices from 0."""
    M = mechanism.weights.tolist()
    R, F = mechanism.shape
    home = category_of(mechanism.outputs, mechanism.answers)
    bounds, values = edges(mechanism.outputs), mechanism.answers.values()
    column = all(M[i][j] <= M[i + 1][j] for j in range(F) for i in range(home[j])) and all(
        M[i][j] >= M[i + 1][j] for j in range(F) for i in range(home[j], R - 1)
    )
    row = all(
        M[i][j] <= M[i][j + 1] for i in range(R) for j in range(F - 1)
        if values[j + 1] <= bounds[i + 1]
    ) and all(
        M[i][j] >= M[i][j + 1] for i in range(R) for j in range(F - 1) if values[j] >= bounds[i]
    )  # fmt: skip
    symmetric = all(M[i][j] == M[R - 1 - i][F - 1 - j] for i in range(R) for j in range(F))
    fair = len({M[home[j]][j] for j in range(F)}) == 1
    return {"column-monotone": column, "row-monotone": row, "symmetric": symmetric, "fair": fair,
            "every-output": all(any(row) for row in M)}  # fmt: skip


@st.composite
def regular(draw):
    """Mechanisms for which the properties often hold: few distinct weights, made symmetric."""
    answers = Grid(0, 1, draw(st.integers(1, 4)))
    outputs = draw(st.sampled_from([answers, scaled(answers, 2), scaled(answers, "1/2"),
                                    extended(answers, 200)]))  # fmt: skip
    size = (len(outputs), len(answers))
    distance = np.abs(outputs.floats()[:, None] - answers.floats()[None, :])
    levels = draw(st.lists(st.integers(0, 3), min_size=9, max_size=9).map(sorted))
    falling = np.array(levels[::-1])[np.minimum(np.ceil(distance).astype(int), 8)]
    noise = draw(st.lists(st.sampled_from([0, 0, 0, 1]), min_size=size[0] * size[1],
                          max_size=size[0] * size[1]))  # fmt: skip
    weights = falling + np.array(noise).reshape(size)
    if draw(st.booleans()):
        weights = weights + weights[::-1, ::-1]
    sums = weights.sum(axis=0)
    total = max(int(sums.max()), 1)
    home = list(category_of(outputs, answers))
    weights[home, np.arange(size[1])] += total - sums
    scale = draw(st.sampled_from([1, 2**70]))
    return Mechanism.of(answers, outputs, Within(1), weights.astype(object) * scale)


@given(regular() | mechanisms(number_spaces()))
def test_verdicts_are_those_of_the_formulas(mechanism):
    found = {name: verdict.holds for name, verdict in properties(mechanism).items()}
    assert found == slow_properties(mechanism)


@given(regular() | mechanisms(number_spaces() | labels()))
def test_a_counterexample_is_given_exactly_where_it_fails(mechanism):
    for _name, verdict in properties(mechanism).items():
        assert verdict.holds == (verdict.counterexample is None)
        assert bool(verdict) == verdict.holds
        assert len((verdict.counterexample or "").splitlines()) <= 1


@given(mechanisms(number_spaces()))
def test_counterexamples_quote_the_matrix(mechanism):
    found = properties(mechanism)
    if found.column_monotone.counterexample:
        text = r"answer (\S+): output (\S+) \(weight (\d+)\) is likelier than output (\S+) \(weigh"
        answer, large, large_weight, small = re.match(
            text, found.column_monotone.counterexample
        ).groups()
        j = mechanism.answers.index(answer)
        one, two = mechanism.outputs.index(large), mechanism.outputs.index(small)
        home = category_of(mechanism.outputs, mechanism.answers)[j]
        assert mechanism.weights[one, j] == int(large_weight) > mechanism.weights[two, j]
        assert abs(one - home) == abs(two - home) + 1
    if found.row_monotone.counterexample:
        text = r"output (\S+): likelier under answer (\S+) \(weight (\d+)\) than under answer (\S+)"
        output, large, large_weight, small = re.match(
            text, found.row_monotone.counterexample
        ).groups()
        i = mechanism.outputs.index(output)
        one, two = mechanism.answers.index(large), mechanism.answers.index(small)
        assert mechanism.weights[i, one] == int(large_weight) > mechanism.weights[i, two]
        assert abs(one - two) == 1


@pytest.mark.parametrize(
    ("weights", "name", "counterexample"),
    [
        ([[3, 3, 1], [1, 2, 3], [4, 3, 4]], "column-monotone",
         "answer 0: output 2 (weight 4) is likelier than output 1 (weight 1), "
         "though it is no nearer"),
        ([[4, 4, 5], [3, 3, 2], [1, 1, 1]], "row-monotone",
         "output 0: likelier under answer 2 (weight 5) than under answer 1 (weight 4), "
         "though it is no nearer"),
        ([[3, 1, 1], [1, 2, 1], [1, 2, 3]], "symmetric",
         "output 0 under answer 1 has weight 1, output 2 under answer 1 has weight 2: rotated "
         "by half a turn, they should be equal"),
        ([[4, 1, 1], [1, 3, 1], [0, 1, 3]], "fair",
         "output 0 under answer 0 has weight 4, output 1 under answer 1 has weight 3: every "
         "true answer should be equally likely to be released"),
        ([[1, 1, 1], [0, 0, 0], [1, 1, 1]], "every-output", "output 1 is never released"),
    ],
)  # fmt: skip
def test_what_a_counterexample_says(weights, name, counterexample):
    space = Grid.between(0, 2)
    mechanism = Mechanism.of(space, space, AllPairs(), weights)
    assert dict(properties(mechanism).items())[name].counterexample == counterexample


@given(mechanisms(labels(max_size=4)))
def test_labels_are_all_equally_far(mechanism):
    M, found = mechanism.weights, properties(mechanism)
    missing = set(mechanism.answers.values()) - set(mechanism.outputs.values())
    if missing:
        assert not found.fair
        assert "no output holds an answer" in found.fair.counterexample
        return
    home = [mechanism.outputs.index(name) for name in mechanism.answers.values()]
    columns = range(len(home))
    assert found.column_monotone.holds == all((M[:, j] <= M[home[j], j]).all() for j in columns)
    assert found.row_monotone.holds == all((M[home[j]] <= M[home[j], j]).all() for j in columns)


@pytest.mark.parametrize(
    ("weights", "holds"),
    [
        ([[2, 2, 1], [1, 1, 2]], False),
        ([[2, 1, 1], [1, 2, 2]], False),
        ([[2, 2, 2], [1, 1, 1]], True),
    ],
)
def test_an_answer_on_a_bound_belongs_to_both_rows(weights, holds):
    """(12) and (13) as printed: 1 lies at the end of [-1, 1] and of [1, 3]."""
    mechanism = Mechanism.of(Grid.between(0, 2), Grid.between(0, 2, 2), Within(1), weights)
    assert properties(mechanism).row_monotone.holds == holds


def test_missing_names_what_was_asked_for():
    mechanism = Mechanism.of(TWO, TWO, AllPairs(), [[3, 2], [1, 2]])
    found = properties(mechanism)
    assert found.missing(Requirements.of("all")) == ("symmetric", "fair")
    assert found.missing(Requirements.of("every-output")) == ()
    names = Labels.of(["a", "b"])
    coin = Mechanism.of(names, names, AllPairs(), [[3, 1], [1, 3]])
    assert properties(coin).missing(Requirements.of("all, every-output")) == ()


def test_truncated_geometric_loses_what_the_paper_says():
    """003 §3.2: snapping to the ends makes spikes there, and keeps rows and symmetry."""
    space = Grid.between(0, 3)
    powers = [[81, 54, 36, 24], [18, 27, 18, 12], [12, 18, 27, 18], [24, 36, 54, 81]]
    found = properties(Mechanism.of(space, space, Within(1), powers))
    assert found.symmetric
    assert found.row_monotone
    assert not found.column_monotone
    assert not found.fair
