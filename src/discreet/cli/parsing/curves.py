"""The words of `discreet curve`: its axis, its mechanisms, its measure."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from discreet.cli.parsing.families import FamilySetting, built, check_size, family_of
from discreet.cli.parsing.files import Between, ends_of
from discreet.designer import design
from discreet.errors import InvalidInput
from discreet.exact import Epsilon, show
from discreet.measures import (
    bayes_absolute_error,
    bayes_squared_error,
    expected_absolute_error,
    expected_squared_error,
    worst_case_loss,
)
from discreet.model import Goal, LossName, Mechanism
from discreet.requests import AnswerSpace, read_answer_space, read_epsilon

USUAL = ("best", "variant-2", "laplace", "staircase", "uniform")
MOST_POINTS = 200
MEASURES: dict[str, Callable[[Mechanism], float]] = {
    LossName.ABSOLUTE: expected_absolute_error,
    LossName.SQUARED: expected_squared_error,
    "bayes-absolute": bayes_absolute_error,
    "bayes-squared": bayes_squared_error,
    "worst": worst_case_loss,
}


@dataclass(frozen=True)
class Point:
    """One place on the axis: its number, its question, its ε."""

    at: float
    space: AnswerSpace
    epsilon: Epsilon


@dataclass(frozen=True)
class Points:
    """The axis of a curve."""

    axis: str
    statistic: str
    places: tuple[Point, ...]


def points_of(
    statistic: str,
    *,
    n: str | None,
    between: Between,
    step: str | None,
    share: str | None,
    epsilon: str | None,
    epsilons: str | None,
    sizes: str | None,
) -> Points:
    """Every question on the axis, read before anything is designed."""
    if (epsilons is None) == (sizes is None):
        raise InvalidInput("give exactly one of --epsilons 0.1,0.5,1 and --sizes 5,10,20")

    def space(records: str | None) -> AnswerSpace:
        return read_answer_space(statistic, n=records, step=step, share=share, **ends_of(between))

    if epsilons is not None:
        if epsilon is not None:
            raise InvalidInput("--epsilon is not used with --epsilons; leave it out")
        asked = space(n)
        values = [read_epsilon(word) for word in _words(epsilons)]
        places = tuple(Point(float(value), asked, value) for value in values)
        return Points("ε", asked.name, places)
    assert sizes is not None
    if n is not None:
        raise InvalidInput("--n is not used with --sizes; leave it out")
    privacy = read_epsilon(epsilon)
    spaces = {word: space(word) for word in _words(sizes)}
    places = tuple(Point(float(word), one, privacy) for word, one in spaces.items())
    return Points("records", places[0].space.name, places)


def _words(text: str) -> list[str]:
    words = [word.strip() for word in text.split(",") if word.strip()]
    if not 1 <= len(words) <= MOST_POINTS:
        raise InvalidInput(f"a curve can have 1 to {MOST_POINTS} points, got {show(text)}")
    return words


def measure_of(word: str) -> Callable[[Mechanism], float]:
    """What is plotted, by its name."""
    if word not in MEASURES:
        raise InvalidInput(f"{show(word)} is not a measure; choose from {', '.join(MEASURES)}")
    return MEASURES[word]


def makers_of(names: Sequence[str]) -> dict[str, Callable[[Point], Mechanism]]:
    """What makes each mechanism at a point; those of paper 003 unless some are named."""
    return {name: _maker(name) for name in (names or USUAL)}


def _maker(name: str) -> Callable[[Point], Mechanism]:
    word = name.strip().lower()
    if word in ("best", "variant-1"):
        return lambda point: _designed(point, Goal(), "none")
    if word == "variant-2":
        return lambda point: _designed(point, Goal(), "all")
    if word == "worst-case":
        return lambda point: _designed(point, Goal.of(worst_case=True), "none")
    family = family_of(name)
    return lambda point: built(family, _setting(point)).mechanism


def _designed(point: Point, goal: Goal, require: str) -> Mechanism:
    space = point.space
    check_size(space.answers, space.answers)
    return design(space.answers, space.neighbours, point.epsilon, goal, require).mechanism


def _setting(point: Point) -> FamilySetting:
    answers = point.space.answers
    return FamilySetting(
        answers=answers,
        outputs=answers,
        neighbours=point.space.neighbours,
        epsilon=point.epsilon,
        parameters={},
    )
