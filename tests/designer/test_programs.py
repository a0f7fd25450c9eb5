"""The rows of a program ask for what the request says, no more and no less."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.certifier import tight_epsilon
from discreet.designer.programs.written_out import HONEST, honest_cells, plain_program, ratio_above
from discreet.designer.request import Request
from discreet.measures import properties
from discreet.model import AllPairs, Goal, Grid, Labels, Mechanism, Within
from ground_truth import matrices, mechanisms, number_spaces, relations

SHAPES = ["column-monotone", "row-monotone", "symmetric", "fair"]


def _breaks(program, block, x):
    rows = program.blocks[block]
    reached = program.times(x)[rows]
    return bool(
        (reached > program.row_upper[rows] + 1e-12).any()
        or (reached < program.row_lower[rows] - 1e-12).any()
    )


def _request(mechanism, epsilon, **options):
    goal = Goal.of("zero-one")
    if any(isinstance(space, Labels) for space in (mechanism.answers, mechanism.outputs)):
        goal = Goal.of(lambda output, answer: 1.0)
    return Request.of(
        mechanism.answers, mechanism.neighbours, epsilon, goal, outputs=mechanism.outputs, **options
    )


@st.composite
def labelled(draw):
    space = Labels.of(["a", "b", "c", "d"][: draw(st.integers(2, 4))])
    return Mechanism.of(space, space, AllPairs(), draw(matrices(len(space), len(space), 3)))


def _orderly(mechanism):
    """Small weights and their average with the turned matrix: requirements are often met."""
    weights = mechanism.weights + mechanism.weights[::-1, ::-1]
    return Mechanism.of(mechanism.answers, mechanism.outputs, mechanism.neighbours, weights)


any_mechanism = mechanisms(scales=(1,)) | labelled() | mechanisms(scales=(1,)).map(_orderly)


@pytest.mark.parametrize("name", SHAPES)
@given(any_mechanism)
def test_a_requirement_is_asked_exactly_as_it_is_measured(name, mechanism):
    program = plain_program(_request(mechanism, 1, requirements=name))
    verdict = dict(properties(mechanism).items())[name]
    x = np.zeros(program.shape[1])
    x[: mechanism.weights.size] = mechanism.probabilities().ravel()
    asked = name in program.blocks and _breaks(program, name, x)
    assert asked == (not verdict)


@given(mechanisms(scales=(1,)), st.sampled_from(["0.1", "0.7", "log 2", "log 3", "2.5"]))
def test_ratios_are_asked_exactly_as_they_are_certified(mechanism, epsilon):
    request = _request(mechanism, epsilon)
    program = plain_program(request)
    shares = mechanism.probabilities()
    x = np.zeros(program.shape[1])
    x[: shares.size] = shares.ravel()
    if program.shape[1] > shares.size:
        x[shares.size :] = shares.min(axis=1)
    tight = tight_epsilon(mechanism)
    private = tight.is_finite and tight.low <= request.epsilon.value
    if not tight.is_finite or abs(float(tight) - float(request.epsilon)) > 1e-9:
        assert private == (not _breaks(program, "ratios", x))


@settings(max_examples=40)
@given(
    st.data(),
    st.booleans(),
    st.sampled_from([0, "0.01"]),
    st.sets(st.sampled_from([*SHAPES, "every-output"])),
)
def test_a_uniform_answer_meets_every_request(data, worst_case, delta, names):
    """So no request is contradictory: the uniform matrix is always allowed."""
    answers = data.draw(number_spaces(4))
    outputs = answers if "symmetric" in names else data.draw(number_spaces(4))
    request = Request.of(
        answers,
        data.draw(relations(len(answers))),
        1,
        Goal.of(worst_case=worst_case),
        ",".join(names),
        outputs=outputs,
        delta=delta,
    )
    program = plain_program(request)
    cells = request.loss.size
    x = np.zeros(program.shape[1])
    x[:cells] = 1 / len(outputs)
    if not delta and request.all_are_neighbours and len(answers) > 2:
        x[cells : cells + len(outputs)] = 1 / len(outputs)
    if worst_case:
        x[-1] = (request.loss.sum(axis=0) / len(outputs)).max()
    reached = program.times(x)
    assert (reached <= program.row_upper + 1e-9).all()
    assert (reached >= program.row_lower - 1e-9).all()
    assert (x >= program.lower).all()
    assert (x <= program.upper + 1e-9).all()


def test_weak_honesty_asks_for_a_blind_guess_in_every_row():
    request = Request.of(Grid.between(0, 4), Within(1), 1, requirements="every-output")
    program = plain_program(request)
    assert honest_cells(request).tolist() == [0, 6, 12, 18, 24]
    assert program.lower.reshape(5, 5).diagonal().tolist() == [HONEST / 5] * 5
    assert (program.lower > 0).sum() == 5


@given(st.fractions(min_value="0.001", max_value=29))
def test_e_to_epsilon_is_rounded_up(epsilon):
    request = Request.of(Grid.between(0, 1), Within(1), epsilon)
    above = ratio_above(request)
    assert above >= request.epsilon.ratio_above
    assert above <= float(request.epsilon.ratio_above) * (1 + 2**-51)
