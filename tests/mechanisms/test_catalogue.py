"""The catalogue: complete, documented, and clear about what it does not know."""

import inspect
from pathlib import Path

import pytest

from discreet.certifier import certify
from discreet.errors import GoalError, InvalidInput, SpaceError
from discreet.mechanisms import FAMILIES, build, explicit_fair, geometric
from discreet.model import AllPairs, Grid, Labels, Listed

ROOT = Path(__file__).parents[2]
LIKERT = Grid.between(1, 5)


@pytest.mark.parametrize("family", FAMILIES.values(), ids=lambda family: family.name)
def test_every_family_says_what_it_is_and_where_it_is_proved(family):
    page = (ROOT / family.proof).read_text(encoding="utf-8")
    assert page.startswith("# ")
    assert "**Claim" in page
    assert "**Proof" in page
    assert family.proof in inspect.getsource(inspect.getmodule(family.build))
    assert family.title
    assert family.citation
    assert family.accuracy
    assert family.needs in ("numbers", "any")


@pytest.mark.parametrize("page", ["snapping", "discretisation"])
def test_operations_are_proved_too(page):
    text = (ROOT / f"docs/proofs/{page}.md").read_text(encoding="utf-8")
    assert "**Claim" in text
    assert "**Proof" in text


@pytest.mark.parametrize("family", FAMILIES.values(), ids=lambda family: family.name)
def test_parameters_are_those_of_the_function(family):
    options = inspect.signature(family.build).parameters
    for parameter in family.parameters:
        assert options[parameter.name].default == parameter.default
        assert parameter.help
    certify(build(family.name, LIKERT, AllPairs(), 1), 1)
    assert build(family.name, LIKERT, AllPairs(), 1).name == family.name


@pytest.mark.parametrize("family", FAMILIES.values(), ids=lambda family: family.name)
def test_labels_where_numbers_are_needed_are_refused(family):
    labels = Labels.of(["a", "b"])
    if family.needs == "any":
        certify(build(family.name, labels, AllPairs(), 1), 1)
    else:
        with pytest.raises(SpaceError, match=r"numbers|evenly spaced values"):
            build(family.name, labels, AllPairs(), 1)


def test_parameters_are_read_from_text():
    one = build("staircase", LIKERT, AllPairs(), 1, gamma="1/4")
    assert one.same_as(build("staircase", LIKERT, AllPairs(), 1, gamma=0.25))
    wide = Grid.between(0, 2)
    two = build("smooth-sensitivity", wide, AllPairs(), 1, statistic="max", records="2",
                multiplier="6")  # fmt: skip
    assert two.shape == (3, 6)
    rising = build("exponential", Grid.between(0, 0), AllPairs(), 1, monotone="yes")
    assert rising.shape == (1, 1)


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        (
            "gauss",
            {},
            "unknown mechanism 'gauss'; mechanisms: laplace, geometric, staircase",
        ),
        ("laplace", {"gamma": 1}, "laplace has no parameter 'gamma'; it has none"),
        ("staircase", {"beta": 1}, "staircase has no parameter 'beta'; it has gamma"),
        ("staircase", {"gamma": "steep"}, "gamma, unless absolute or squared, must be"),
        ("staircase", {"gamma": 2}, "gamma must lie between 0 and 1, got 2"),
        ("exponential", {"monotone": "maybe"}, "monotone must be yes or no, got 'maybe'"),
        ("smooth-sensitivity", {"records": "2.5"}, "the number of records must be whole"),
        ("smooth-sensitivity", {"statistic": "mean"}, "must be one of min, median, max"),
    ],
)
def test_what_is_unknown_is_said_with_what_is_known(name, options, message):
    with pytest.raises(GoalError, match=message) as refused:
        build(name, LIKERT, AllPairs(), 1, **options)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize("epsilon", [0, -1, "nan", "", "1e99", None])
def test_no_family_takes_a_senseless_epsilon(name, epsilon):
    with pytest.raises(InvalidInput, match="epsilon"):
        build(name, LIKERT, AllPairs(), epsilon)


def test_outputs_that_a_family_cannot_give_are_refused():
    with pytest.raises(SpaceError, match="are the answers themselves"):
        explicit_fair(LIKERT, AllPairs(), 1, outputs=Grid.between(0, 9))
    with pytest.raises(SpaceError, match="evenly spaced numbers"):
        geometric(Listed.of([0, 1, 5]), AllPairs(), 1)
