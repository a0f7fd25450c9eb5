"""Several mechanisms on one space, from names of families, files, or the word all."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from discreet.certifier import Certified, certify
from discreet.cli.parsing.families import FamilySetting, built, check_size, family_of
from discreet.designer.sufficiency import Simulation, simulation, smaller
from discreet.errors import DesignError, InvalidInput, NotCertified, SpaceError
from discreet.exact import show
from discreet.measures import PropertyVerdict
from discreet.mechanisms.catalogue import FAMILIES, Family
from discreet.model import Labels, load_mechanism
from discreet.text import one_line


@dataclass(frozen=True)
class Contest:
    """Certified mechanisms by name, and why some of all families are not among them."""

    entries: dict[str, Certified]
    left_out: dict[str, str]


def contest(words: Sequence[str], setting: FamilySetting) -> Contest:
    """Build and certify each contender; a parameter goes to the families that have it.

    What was named must be built. Of all families, those that do not suit the space are left out.
    """
    check_size(setting.answers, setting.outputs)
    _check_parameters(words, setting)
    held = Contest({}, {})
    for word in words:
        if is_file(word):
            held.entries[word] = _from_file(word, setting)
        elif _means_all(word):
            _add_all(held, setting)
        else:
            family = family_of(word)
            held.entries[family.name] = _contender(family, setting)
    if not held.entries:
        name, reason = next(iter(held.left_out.items()))
        raise InvalidInput(f"no family fits this space; for example {name}: {reason}")
    return held


def is_file(word: str) -> bool:
    """Whether a word of a comparison names a mechanism file rather than a family."""
    return word.lower().endswith(".json")


def _means_all(word: str) -> bool:
    return word.strip().lower() == "all"


def _add_all(held: Contest, setting: FamilySetting) -> None:
    for family in FAMILIES.values():
        try:
            held.entries[family.name] = _contender(family, setting)
        except (InvalidInput, DesignError) as refusal:
            held.left_out[family.name] = str(refusal)


def _contender(family: Family, setting: FamilySetting) -> Certified:
    own = _parameters_of(family)
    if "records" in own:
        raise SpaceError(
            f"the columns of {family.name} are databases, not answers; save it, and measure the "
            "file on its own"
        )
    parameters = {name: text for name, text in setting.parameters.items() if name in own}
    return built(family, replace(setting, parameters=parameters))


def _parameters_of(family: Family) -> set[str]:
    return {parameter.name for parameter in family.parameters}


def _check_parameters(words: Sequence[str], setting: FamilySetting) -> None:
    """Every parameter must be meant for someone."""
    known: set[str] = set()
    for word in words:
        if not is_file(word):
            chosen = FAMILIES.values() if _means_all(word) else [family_of(word)]
            known.update(*(_parameters_of(family) for family in chosen))
    for name in setting.parameters:
        if name not in known:
            raise InvalidInput(f"none of these mechanisms has a parameter {show(name)}")


def _from_file(path: str, setting: FamilySetting) -> Certified:
    mechanism = load_mechanism(path)
    if (mechanism.answers, mechanism.neighbours) != (setting.answers, setting.neighbours):
        raise SpaceError(
            f"{show(path)} has other answers or neighbours; only mechanisms on the same space "
            "can be compared"
        )
    try:
        return certify(mechanism, setting.epsilon)
    except NotCertified as refusal:
        raise NotCertified(f"{show(path)}: {refusal}") from None


@dataclass(frozen=True)
class Direction:
    """Whether outputs of one mechanism can be turned into those of another."""

    name: str
    other: str
    found: Simulation
    order: PropertyVerdict | None
    """Whether it has its mass nearer to the truth; None where there is no distance."""


def two_of(held: Contest) -> tuple[Direction, Direction]:
    """Both directions between two mechanisms, decided."""
    if len(held.entries) != 2:
        left = "".join(f"; {name}: {reason}" for name, reason in held.left_out.items())
        raise InvalidInput(
            f"--simulates compares two mechanisms, got {len(held.entries)}{one_line(left)}"
        )
    (one, first), (other, second) = held.entries.items()
    return _direction(one, first, other, second), _direction(other, second, one, first)


def _direction(name: str, one: Certified, other: str, second: Certified) -> Direction:
    return Direction(name, other, simulation(one.mechanism, second.mechanism), _order(one, second))


def _order(one: Certified, other: Certified) -> PropertyVerdict | None:
    spaces = (one.mechanism.answers, one.mechanism.outputs, other.mechanism.outputs)
    if any(isinstance(space, Labels) for space in spaces):
        return None
    return smaller(one.mechanism, other.mechanism)
