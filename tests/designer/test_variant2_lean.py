"""Lean programs: fewer ratios and fewer variables, the same optimum."""

import itertools

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from discreet.designer.programs.cells import Classes, mirror_doubt
from discreet.designer.programs.orderings import Comparisons, held_answers, row_order
from discreet.designer.programs.written_out import plain_program
from discreet.designer.request import Request
from discreet.designer.variant2.lean import LEAN, lean_program, lean_ratios
from discreet.errors import GoalError
from discreet.measures import properties
from discreet.model import (
    AllPairs,
    Goal,
    Graph,
    Grid,
    Labels,
    Listed,
    Within,
    extended,
    scaled,
)
from ground_truth import priors
from plain_reference import assert_as_good_as_plain

epsilons = st.sampled_from(["0.05", "0.4", "1", "log 5", "4"])


@st.composite
def outputs_for(draw: st.DrawFn, answers: Grid) -> Grid | Listed | None:
    ways = [
        None,
        scaled(answers, 2),
        scaled(answers, 3),
        scaled(answers, "1/2"),
        extended(answers, 200),
        Listed.of([-1, 0, 3, 4, 9]),
    ]
    return draw(st.sampled_from(ways))


@st.composite
def requests(draw: st.DrawFn) -> Request:
    size = draw(st.integers(2, 10))
    answers = Grid.between(0, size - 1)
    worst_case = draw(st.booleans())
    prior = "uniform"
    if not worst_case:
        prior = draw(st.just("uniform") | priors(size).map(lambda p: [float(share) for share in p]))
    also = draw(st.sets(st.sampled_from(["column-monotone", "symmetric", "fair", "every-output"])))
    try:
        return Request.of(
            answers,
            draw(st.builds(Within, st.integers(1, size)) | st.just(AllPairs())),
            draw(epsilons),
            Goal.of(draw(st.sampled_from(["absolute", "squared"])), prior, worst_case=worst_case),
            ",".join({"row-monotone", *also}),
            outputs=draw(outputs_for(answers)),
        )
    except GoalError:
        assume(False)
        raise


@given(requests())
def test_as_good_as_the_plain_program(request: Request) -> None:
    honest = request.requirements.every_output
    finding, _ = assert_as_good_as_plain(LEAN, request, 5e-7 if honest else 1e-7)
    assert not properties(finding.mechanism).missing(request.requirements)


@given(st.integers(1, 9), st.integers(1, 9), st.data())
def test_one_ratio_for_each_cell_implies_them_all(size, steps, data) -> None:
    """Rows that rise to their category and fall behind it, scaled to keep the lean ratios."""
    answers = Grid.between(0, size - 1)
    outputs = data.draw(outputs_for(answers)) or answers
    request = Request.of(answers, Within(steps), "log 2", outputs=outputs)
    cells = len(outputs) * size
    logs = np.array(data.draw(st.lists(st.integers(0, 4), min_size=cells, max_size=cells)))
    logs = _settled(logs, row_order(outputs, answers), lean_ratios(request))
    rows = logs.reshape(len(outputs), size)
    for j, k in itertools.combinations(range(size), 2):
        if k - j <= steps:
            assert (np.abs(rows[:, j] - rows[:, k]) <= 1).all()


def _settled(logs: np.ndarray, order: Comparisons, ratios: Comparisons) -> np.ndarray:
    """Raised until smaller ≤ larger where ordered, and larger ≤ smaller + 1 where in ratio."""
    while True:
        raised = logs.copy()
        np.maximum.at(raised, order.larger, logs[order.smaller])
        np.maximum.at(raised, ratios.smaller, logs[ratios.larger] - 1)
        if (raised == logs).all():
            return logs
        logs = raised


def test_it_is_lean() -> None:
    """One ratio for each cell, not 2Δ; with symmetry and fairness, half the variables."""
    request = Request.of(Grid.between(0, 40), Within(4), 1, requirements="all")
    lean, _ = lean_program(request)
    plain = plain_program(request)
    assert len(lean_ratios(request)) <= 41 * 41
    assert lean.shape[1] <= plain.shape[1] / 2
    assert len(lean.values) <= len(plain.values) / 4


def test_categories_that_hold_no_answer() -> None:
    """A row may have two peaks, one on either side of its category: both need ratios."""
    answers, outputs = Grid.between(0, 3), Grid.between(0, 3, step="1/2")
    inside, beyond = held_answers(outputs, answers)
    assert (inside == beyond).any()
    request = Request.of(answers, Within(2), 1, requirements="row-monotone,fair", outputs=outputs)
    assert_as_good_as_plain(LEAN, request)


@given(st.integers(1, 12), st.data())
def test_classes_are_what_pairs_connect(cells: int, data: st.DataObject) -> None:
    ends = st.integers(0, cells - 1)
    pairs = data.draw(st.lists(st.tuples(ends, ends), max_size=12))
    one, other = (np.array([pair[k] for pair in pairs], dtype=np.int64) for k in (0, 1))
    classes = Classes.joined(cells, Comparisons(one, other))
    group = {cell: {cell} for cell in range(cells)}
    for a, b in pairs:
        together = group[a] | group[b]
        for cell in together:
            group[cell] = together
    for a, b in itertools.combinations(range(cells), 2):
        assert (classes.of[a] == classes.of[b]) == (b in group[a])
    assert classes.sizes.sum() == cells


def test_symmetry_is_free_only_where_nothing_tells_left_from_right() -> None:
    space = Grid.between(0, 4, step="0.1")
    assert mirror_doubt(Request.of(space, Within(4), 1)) == pytest.approx(0, abs=1e-15)
    lopsided = Goal.of(prior=[0.04] + [0.96 / 40] * 40)
    assert mirror_doubt(Request.of(space, Within(4), 1, lopsided)) is None
    uneven = Listed.of([0, 1, 5])
    assert mirror_doubt(Request.of(uneven, Within(1), 1)) is None
    assert mirror_doubt(Request.of(space, Within(4), 1, outputs=Grid.between(0, 3))) is None


@pytest.mark.parametrize(
    ("request_", "words"),
    [
        (Request.of(Grid.between(0, 4), Within(1), 1, requirements="fair"), "row-monotone"),
        (Request.of(Grid.between(0, 4), Within(1), 1, requirements="all", delta="0.1"), "pure ε"),
        (
            Request.of(Labels.of(["a", "b"]), AllPairs(), 1, Goal.of("zero-one"), "row-monotone"),
            "ordered",
        ),
        (
            Request.of(Grid.between(0, 2), Graph.of(3, [(0, 2)]), 1, requirements="all"),
            "on a line",
        ),
        (Request.of(Grid.between(0, 4), Within(1), 25, requirements="all"), "larger than"),
        (Request.of(Grid.between(0, 999), Within(1), 1, requirements="all"), "entries"),
    ],
)
def test_says_what_it_is_not_for(request_: Request, words: str) -> None:
    reason = LEAN.why_not(request_)
    assert reason is not None
    assert words in reason
