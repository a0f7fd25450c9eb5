"""The families by name: what each is, where it comes from, what it needs, how good it is."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from discreet.errors import GoalError
from discreet.exact import EpsilonLike, rational, show
from discreet.mechanisms.families.exponential import exponential
from discreet.mechanisms.families.fair import explicit_fair, randomized_response
from discreet.mechanisms.families.laplace import geometric, laplace, normalized_laplace
from discreet.mechanisms.families.noisy_max import noisy_max
from discreet.mechanisms.families.permute_and_flip import permute_and_flip
from discreet.mechanisms.families.smooth_sensitivity import smooth_sensitivity
from discreet.mechanisms.families.staircase import staircase
from discreet.mechanisms.families.uniform import uniform
from discreet.mechanisms.smooth_bounds import STATISTICS
from discreet.model import LossName, Mechanism, Neighbours, Space
from discreet.statistics import MEDIAN


@dataclass(frozen=True)
class FamilyOption:
    """An option of one family."""

    name: str
    help: str
    default: Any
    parse: Callable[[str], Any]
    """From what a person types to what the family takes; raises InvalidInput."""


@dataclass(frozen=True, kw_only=True)
class Family:
    """A family of mechanisms: how to build it, and what to know first."""

    name: str
    title: str
    citation: str
    proof: str
    needs: str
    """"numbers" for answers that must be numbers, "any" where labels will do."""
    accuracy: str
    build: Callable[..., Mechanism]
    parameters: tuple[FamilyOption, ...] = ()


def build(
    name: str,
    answers: Space,
    neighbours: Neighbours,
    epsilon: EpsilonLike,
    *,
    outputs: Space | None = None,
    **parameters: Any,
) -> Mechanism:
    """The mechanism of a family by its name; a parameter given as text is read as such.

    Args:
        name: A family of `discreet.FAMILIES`.
        answers: The possible true answers.
        neighbours: Which true answers one person's change can exchange.
        epsilon: ε, such as `1`, `"0.5"` or `"log 3"`.
        outputs: The possible outputs; the answers, if left out.
        parameters: What the family takes besides, by name.

    Returns:
        The matrix in integers, still to be certified.

    Raises:
        GoalError: There is no family of this name, or it has no such parameter.
        SpaceError: The family does not suit these answers, outputs or neighbours.

    >>> from discreet.model import AllPairs, Labels
    >>> build("randomized-response", Labels.of(["no", "yes"]), AllPairs(), "log 3")
    Mechanism(randomized-response: 2 outputs × 2 answers, total 4)
    """
    family = FAMILIES.get(name)
    if family is None:
        raise GoalError(f"unknown mechanism {show(name)}; mechanisms: {', '.join(FAMILIES)}")
    known = {parameter.name: parameter for parameter in family.parameters}
    for given in parameters:
        if given not in known:
            owned = f"it has {', '.join(known)}" if known else "it has none"
            raise GoalError(f"{name} has no parameter {show(given)}; {owned}")
    read = {
        key: known[key].parse(value) if isinstance(value, str) else value
        for key, value in parameters.items()
    }
    return family.build(answers, neighbours, epsilon, outputs=outputs, **read)


def _yes_or_no(text: str) -> bool:
    word = text.strip().lower()
    if word in ("yes", "true", "1", "no", "false", "0"):
        return word in ("yes", "true", "1")
    raise GoalError(f"monotone must be yes or no, got {show(text)}")


def _whole(text: str) -> int:
    number = rational(text, "the number of records", GoalError)
    if number.denominator != 1:
        raise GoalError(f"the number of records must be whole, got {show(text)}")
    return int(number)


def _number(what: str) -> Callable[[str], Any]:
    return lambda text: rational(text, what, GoalError)


_BY_SCORE = (
    FamilyOption(
        "sensitivity",
        "how far one record can move a score (by default, computed from the scores)",
        None,
        _number("the sensitivity"),
    ),
    FamilyOption(
        "monotone",
        "yes if one record moves all scores in the same direction: halves the noise",
        False,
        _yes_or_no,
    ),
)

_ALL = (
    Family(
        name="laplace",
        title="Laplace, snapped to the range",
        citation="Dwork, McSherry, Nissim & Smith 2006; 001 Props. 5 and 6; 003 Mechanism 1",
        proof="docs/proofs/laplace.md",
        needs="numbers",
        accuracy="before snapping, off by more than ln(1/δ)·Δ/ε with probability δ",
        build=laplace,
    ),
    Family(
        name="geometric",
        title="two-sided geometric, truncated to the range",
        citation="Ghosh, Roughgarden & Sundararajan 2009",
        proof="docs/proofs/geometric.md",
        needs="numbers",
        accuracy="before truncation, off by t steps or more with probability 2α^t/(1 + α), α = "
        "e^(−ε/Δ)",
        build=geometric,
    ),
    Family(
        name="staircase",
        title="staircase, snapped to the range",
        citation="Geng & Viswanath 2014; 003 Mechanism 2",
        proof="docs/proofs/staircase.md",
        needs="numbers",
        accuracy="before snapping, expected absolute error Δ·e^(ε/2)/(e^ε − 1)",
        build=staircase,
        parameters=(
            FamilyOption(
                "gamma",
                "how much of a step is high: absolute or squared (best for that loss), or a number",
                LossName.ABSOLUTE,
                str,
            ),
        ),
    ),
    Family(
        name="normalized-laplace",
        title="Laplace cut to the range and normalised",
        citation="Croft, Sack & Shi 2019; 003 Mechanism 3",
        proof="docs/proofs/normalized-laplace.md",
        needs="numbers",
        accuracy="never outside the range; noise twice as wide as Laplace's",
        build=normalized_laplace,
    ),
    Family(
        name="explicit-fair",
        title="explicit fair",
        citation="Cormode, Kulkarni & Srivastava 2018",
        proof="docs/proofs/explicit-fair.md",
        needs="numbers",
        accuracy="releases every true answer with the same probability: for counts, the largest "
        "that fairness allows, about (1 − α)/(1 + α), α = e^(−ε)",
        build=explicit_fair,
    ),
    Family(
        name="uniform",
        title="uniform over the outputs",
        citation="003 §4.3.2",
        proof="docs/proofs/uniform.md",
        needs="any",
        accuracy="reveals nothing: the yardstick for small ε",
        build=uniform,
    ),
    Family(
        name="randomized-response",
        title="randomized response",
        citation="Warner 1965; 001 Example 1",
        proof="docs/proofs/randomized-response.md",
        needs="any",
        accuracy="releases the truth with probability e^ε/(e^ε + k − 1)",
        build=randomized_response,
    ),
    Family(
        name="exponential",
        title="exponential mechanism",
        citation="McSherry & Talwar 2007; 001 Prop. 7 and Example 6",
        proof="docs/proofs/exponential.md",
        needs="any",
        accuracy="its score is below the best by more than (2Δu/ε)·(t + log k) with probability "
        "e^(−t)",
        build=exponential,
        parameters=_BY_SCORE,
    ),
    Family(
        name="permute-and-flip",
        title="permute-and-flip",
        citation="McKenna & Sheldon 2020",
        proof="docs/proofs/permute-and-flip.md",
        needs="any",
        accuracy="its expected score is never below the exponential mechanism's",
        build=permute_and_flip,
        parameters=_BY_SCORE,
    ),
    Family(
        name="noisy-max",
        title="report noisy max",
        citation="Dwork & Roth 2014, Claim 3.9; 001 Example 4",
        proof="docs/proofs/noisy-max.md",
        needs="any",
        accuracy="its score is below the best by more than (4Δu/ε)·ln(k/δ) with probability about "
        "δ",
        build=noisy_max,
        parameters=_BY_SCORE,
    ),
    Family(
        name="smooth-sensitivity",
        title="Cauchy noise of smooth sensitivity, by database",
        citation="Nissim, Raskhodnikova & Smith 2007; 003 §4.3.5",
        proof="docs/proofs/smooth-sensitivity.md",
        needs="numbers",
        accuracy="within 8S/ε of the statistic with probability 1/2, S its smooth sensitivity",
        build=smooth_sensitivity,
        parameters=(
            FamilyOption(
                "statistic", f"{', '.join(STATISTICS[:-1])} or {STATISTICS[-1]}", MEDIAN.name, str
            ),
            FamilyOption("records", "how many records a database has", 3, _whole),
            FamilyOption(
                "multiplier",
                "the scale of the noise in units of S/ε; above 1",
                8,
                _number("the multiplier"),
            ),
        ),
    ),
)

FAMILIES: Mapping[str, Family] = MappingProxyType({family.name: family for family in _ALL})
"""Every family by its name."""
