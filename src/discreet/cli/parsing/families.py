"""From the name of a family on the command line to a certified mechanism."""

from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from discreet.certifier import Certified, certify
from discreet.cli.parsing.spaces import check_size
from discreet.errors import InvalidInput
from discreet.exact import Epsilon, show
from discreet.mechanisms.catalogue import FAMILIES, Family, build
from discreet.model import Neighbours, Space


@dataclass(frozen=True)
class Setting:
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
    raise InvalidInput(f"there is no family {show(name)}; {advice}")


def built(family: Family, setting: Setting) -> Certified:
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
            {"name": entry.name, "help": entry.help,
             "default": entry.default}
            for entry in family.parameters
        ],
    }  # fmt: skip
