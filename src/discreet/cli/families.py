"""From the name of a family on the command line to a certified mechanism."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from discreet.certify import Certified, certify
from discreet.cli.reading import check_size
from discreet.errors import InvalidInput, NotCertified, SpaceError
from discreet.exact import Epsilon, show
from discreet.mechanisms.catalogue import FAMILIES, Family, build
from discreet.model import Labels, Neighbours, Space, load_mechanism


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


def suited(setting: Setting) -> list[Family]:
    """Every family whose columns are these answers."""
    labels = isinstance(setting.answers, Labels)
    return [
        family
        for family in FAMILIES.values()
        if (family.needs == "any" or not labels) and not _by_database(family)
    ]


def _by_database(family: Family) -> bool:
    """Whether its columns are databases: only such a family asks how many records there are."""
    return any(parameter.name == "records" for parameter in family.parameters)


def contenders(words: Iterable[str], setting: Setting) -> dict[str, Certified]:
    """Certified mechanisms by name, from names of families, files, or the word all.

    A parameter goes to the families that have it.
    """
    found: dict[str, Certified] = {}
    taken: set[str] = set()
    for word in words:
        if is_file(word):
            found[word] = _from_file(word, setting)
            continue
        everyone = word.strip().lower() == "all"
        for family in suited(setting) if everyone else [family_of(word)]:
            own = {parameter.name for parameter in family.parameters} & set(setting.parameters)
            taken |= own
            if _by_database(family):
                raise SpaceError(
                    f"the columns of {family.name} are databases, not answers; save it, "
                    "and measure the file by itself"
                )
            parameters = {name: setting.parameters[name] for name in own}
            found[family.name] = built(family, _with(setting, parameters))
    unused = sorted(set(setting.parameters) - taken)
    if unused:
        raise InvalidInput(f"none of these mechanisms has a parameter {show(unused[0])}")
    return found


def is_file(word: str) -> bool:
    """Whether a word of a comparison names a mechanism file rather than a family."""
    return word.lower().endswith(".json")


def _with(setting: Setting, parameters: Mapping[str, str]) -> Setting:
    return Setting(
        setting.answers, setting.outputs, setting.neighbours, setting.epsilon, parameters
    )


def _from_file(path: str, setting: Setting) -> Certified:
    mechanism = load_mechanism(path)
    if (mechanism.answers, mechanism.neighbours) != (setting.answers, setting.neighbours):
        raise SpaceError(f"{show(path)} is for other answers or neighbours; compare like with like")
    try:
        return certify(mechanism, setting.epsilon)
    except NotCertified as refusal:
        raise NotCertified(f"{show(path)}: {refusal}") from None


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
