"""The summary says what the single measures say, for every kind of space, as JSON too."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet import measures as room
from discreet.measures import (
    bayes_loss,
    error_quantile,
    expected_absolute_error,
    measure,
    mutual_information,
    properties,
    total_variation,
    worst_case_loss,
    worst_error_quantile,
)
from discreet.model import AllPairs, Grid, Labels, Mechanism
from ground_truth import labels, mechanisms, number_spaces, priors


@given(mechanisms(number_spaces()), st.data())
def test_one_page_agrees_with_the_single_measures(mechanism, data):
    prior = data.draw(priors(len(mechanism.answers)))
    page = measure(mechanism, prior)
    absolute = page.losses["absolute"]
    assert absolute.expected == expected_absolute_error(mechanism, prior)
    assert absolute.worst_case == worst_case_loss(mechanism)
    assert absolute.bayes == bayes_loss(mechanism, prior)
    assert page.properties == properties(mechanism)
    assert page.total_variation == 1 - page.least_test_errors == total_variation(mechanism)
    assert page.mutual_information == mutual_information(mechanism, prior)
    for entry in page.error_quantiles:
        assert entry.within == error_quantile(mechanism, entry.confidence, prior)
        assert entry.worst == worst_error_quantile(mechanism, entry.confidence)


@given(mechanisms(number_spaces() | labels()))
def test_it_is_plain_json_without_infinities(mechanism):
    data = measure(mechanism).to_dict()
    assert json.loads(json.dumps(data, allow_nan=False)) == data
    assert list(data["properties"]) == [name for name, _ in properties(mechanism).items()]


def test_labels_leave_out_what_needs_numbers():
    names = Labels.of(["a", "b"])
    page = measure(Mechanism.of(names, names, AllPairs(), [[3, 1], [1, 3]]))
    assert list(page.losses) == ["zero-one"]
    assert page.error_quantiles == ()
    elsewhere = Labels.of(["x"])
    page = measure(Mechanism.of(names, elsewhere, AllPairs(), [[1, 1]]))
    assert page.losses == {}
    assert not page.properties.fair


def test_an_infinite_epsilon_is_null():
    space = Grid.between(0, 1)
    page = measure(Mechanism.of(space, space, AllPairs(), [[1, 0], [0, 1]]))
    assert page.tight_epsilon == float("inf")
    assert page.to_dict()["tight_epsilon"] is None


@pytest.mark.parametrize("page", ["bayes-remap", "testing-bounds", "closure", "rounding",
                                  "windows"])  # fmt: skip
def test_the_proofs_that_docstrings_point_to_are_there(page):
    root = Path(__file__).parents[2]
    proof = (root / "docs" / "proofs" / f"{page}.md").read_text()
    assert "**Claim" in proof
    assert "**Proof" in proof
    sources = "".join(path.read_text() for path in (root / "src").rglob("*.py"))
    assert f"docs/proofs/{page}.md" in sources
    assert room.__doc__
