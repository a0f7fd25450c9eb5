"""From the name of a family on the command line to a certified mechanism."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from discreet.certifier import Certified, certify
from discreet.cli.parsing.files import Between, ends_of
from discreet.errors import InvalidInput, SpaceError, named
from discreet.exact import Epsilon, show
from discreet.mechanisms.catalogue import FAMILIES, Family, build
from discreet.model import Neighbours, Space
from discreet.requests.spaces import read_answers, read_neighbours, read_outputs

MOST_CELLS = 4_000_000
"""The largest matrix that is written out cell by cell."""


@dataclass(frozen=True, kw_only=True)
class FamilySetting:
    """What every family is built on: public facts only."""

    answers: Space
    outputs: Space
    neighbours: Neighbours
    epsilon: Epsilon
    parameters: Mapping[str, str]


def family_of(name: str) -> Family:
    """A family by its name, forgiving capitals and underscores."""
    wanted = name.strip().lower().replace("_", "-")
    if wanted in FAMILIES:
        return FAMILIES[wanted]
    near = get_close_matches(wanted, FAMILIES, n=1)
    advice = f"did you mean {near[0]}?" if near else "`discreet mechanisms` lists them"
    raise InvalidInput(f"{show(name)} is not a family of mechanisms; {advice}")


def setting_of(
    space: tuple[Space, Neighbours], outputs: str, epsilon: Epsilon, words: Sequence[str] | None
) -> FamilySetting:
    """A setting on a space, with the words of --outputs and --set."""
    answers, neighbours = space
    return FamilySetting(
        answers=answers,
        outputs=read_outputs(outputs, answers),
        neighbours=neighbours,
        epsilon=epsilon,
        parameters=parameters_of(words),
    )


def space_of(neighbours: str, between: Between, **words: Any) -> tuple[Space, Neighbours]:
    """Answers and neighbours, from the words of a command line."""
    answers = read_answers(**ends_of(between), **words)
    return answers, read_neighbours(neighbours, answers)


def parameters_of(words: Sequence[str] | None) -> Mapping[str, str]:
    """NAME=VALUE pairs; what the names mean is for each family to say."""
    parameters: dict[str, str] = {}
    for word in words or ():
        name, equals, value = word.partition("=")
        if not equals or not name.strip() or not value.strip():
            raise InvalidInput(
                f"{named('set')} must be NAME=VALUE, for example gamma=0.3, got {show(word)}"
            )
        key = name.strip().lower().replace("-", "_")
        if key in parameters:
            raise InvalidInput(f"{named('set')} gives {show(name.strip())} twice")
        parameters[key] = value.strip()
    return parameters


def check_size(answers: Space, outputs: Space) -> None:
    """Refuse a matrix that could not be written out before it is begun."""
    rows, columns = len(outputs), len(answers)
    if rows * columns > MOST_CELLS:
        raise SpaceError(
            f"{rows:,} outputs by {columns:,} answers is more than {MOST_CELLS:,} cells; "
            f"use a larger {named('step')}"
        )


def built(family: Family, setting: FamilySetting) -> Certified:
    """The family's matrix for a setting, certified at its ε."""
    check_size(setting.answers, setting.outputs)
    mechanism = build(
        family.name,
        setting.answers,
        setting.neighbours,
        setting.epsilon,
        outputs=None if setting.outputs == setting.answers else setting.outputs,
        **setting.parameters,
    )
    return certify(mechanism, setting.epsilon)


def family_facts(family: Family) -> dict[str, Any]:
    """A family as JSON values."""
    return {
        "name": family.name,
        "title": family.title,
        "needs": family.needs,
        "citation": family.citation,
        "proof": family.proof,
        "accuracy": family.accuracy,
        "parameters": [
            {"name": entry.name, "help": entry.help, "default": entry.default}
            for entry in family.parameters
        ],
    }
