"""What the workbench shows of a design: its matrix, its properties, and how it compares."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from discreet import mechanisms
from discreet.designer import Request
from discreet.errors import DiscreetError
from discreet.figures import Curve, Picture, error_curves, heat_map, loss_bars
from discreet.measures import expected_loss, properties
from discreet.model import Guarantee, Labels, LossName, Mechanism, Space, mechanism_from_dict
from discreet.requests import read_epsilon
from discreet.text import brief, number_text
from discreet.web.designing import Designed

MOST_SHOWN = 61
"""Larger matrices are not drawn cell by cell nor compared; they can be downloaded."""
MOST_ON_CURVE = 31
_MOST_WORST_CASE = 15
EPSILONS = ("0.1", "0.2", "0.3", "0.5", "0.7", "1", "1.5", "2", "3", "5")
_MIDDLE = EPSILONS.index("1")
_BY_DATABASE = "smooth-sensitivity"
_ON_CURVES = ("laplace", "staircase", "geometric", "randomized-response", "exponential")
_MOST_CURVES = 4
OURS = "this design"


@dataclass(frozen=True)
class Property:
    """A property of 003 §3.2: whether it holds, and where it does not."""

    name: str
    holds: bool
    where: str


@dataclass(frozen=True, kw_only=True)
class DesignView:
    """A design, ready to be shown."""

    headline: str
    proof: str
    epsilon: str
    method: str
    fingerprint: str
    shape: str
    link: str
    download: str
    heat: Picture | None = None
    exact: tuple[tuple[str, ...], tuple[tuple[str, ...], ...]] | None = None
    total: str = ""
    properties: tuple[Property, ...] = ()
    comparison: Picture | None = None
    curve: Picture | None = None


@dataclass(frozen=True)
class SmallDesign:
    """A design that is small enough to be looked at: its matrix, and what it was made for."""

    mechanism: Mechanism
    request: Request
    value: float

    @property
    def has_curve(self) -> bool:
        """Whether redesigning it at every ε takes no time."""
        most = _MOST_WORST_CASE if self.request.goal.worst_case else MOST_ON_CURVE
        return max(self.mechanism.shape) <= most


def shown(designed: Designed) -> SmallDesign | None:
    """The design to look at; None when it is too large."""
    document = designed.document
    if designed.mechanism is None or max(document["shape"]) > MOST_SHOWN:
        return None
    mechanism = mechanism_from_dict(designed.mechanism)
    return SmallDesign(mechanism, designed.request, document["value"])


def view(
    designed: Designed,
    shown: SmallDesign | None,
    errors: Sequence[float] | None,
    *,
    link: str,
    download: str,
) -> DesignView:
    """Everything about a design; `errors` are its losses at EPSILONS, where they are known."""
    document = designed.document
    rows, columns = document["shape"]
    view = DesignView(
        headline=_headline(document),
        proof=_proof(document),
        epsilon=document["epsilon"],
        method=document["method"],
        fingerprint=document["digest"],
        shape=f"{rows:,} outputs by {columns:,} answers",
        link=link,
        download=download,
    )
    if shown is None:
        return view
    return replace(
        view,
        heat=_heat(shown.mechanism),
        exact=_integers(shown.mechanism),
        total=f"{shown.mechanism.total:,}",
        properties=_properties(shown.mechanism),
        comparison=_comparison(shown),
        curve=None if errors is None else _curve(shown, errors),
    )


def _headline(document: dict[str, Any]) -> str:
    loss = _loss_words(document["wanted"]["loss"], document["wanted"]["worst_case"])
    return f"{loss} {brief(document['value'])} at ε = {document['epsilon']}."


def _proof(document: dict[str, Any]) -> str:
    if document["gap"] < 1e-6:
        return "Optimal: the proven lower bound agrees to within a millionth."
    return (
        f"Proven lower bound {brief(document['lower_bound'])}; this mechanism is at most "
        f"{brief(100 * document['gap'], 2)} % above it."
    )


def _heat(mechanism: Mechanism) -> Picture:
    message = "Each column is the distribution of outputs for one true answer; darker is likelier."
    outputs, answers = _names(mechanism.outputs), _names(mechanism.answers)
    return heat_map(mechanism.probabilities().tolist(), outputs, answers, message)


def _integers(mechanism: Mechanism) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    outputs = _names(mechanism.outputs)
    rows = tuple(
        (outputs[place], *(str(cell) for cell in row))
        for place, row in enumerate(mechanism.weights.tolist())
    )
    return ("output", *(f"true {name}" for name in _names(mechanism.answers))), rows


def _names(space: Space) -> tuple[str, ...]:
    return tuple(
        value if isinstance(value, str) else number_text(value) for value in space.values()
    )


def _properties(mechanism: Mechanism) -> tuple[Property, ...]:
    return tuple(
        Property(name, verdict.holds, verdict.counterexample or "")
        for name, verdict in properties(mechanism).items()
    )


def _comparison(shown: SmallDesign) -> Picture:
    rivals = sorted(classics(shown.request), key=lambda rival: rival[1])
    names = [OURS, *(title for title, _ in rivals)]
    losses = [shown.value, *(loss for _, loss in rivals)]
    what = _what(shown.request)
    message = f"{what}: {OURS} {brief(shown.value)}"
    if rivals:
        message += f"; the best classic, {rivals[0][0]}, {brief(rivals[0][1])}"
    return loss_bars(names, losses, message + ".", name=what)


def _curve(shown: SmallDesign, errors: Sequence[float]) -> Picture:
    request, at = shown.request, [float(epsilon) for epsilon in EPSILONS]
    curves = (Curve(OURS, tuple(errors)), *_classic_curves(request))[:_MOST_CURVES]
    what = _what(request)
    message = f"{what} falls as ε grows; at ε = 1 {OURS} has {brief(errors[_MIDDLE])}"
    message += "".join(f", {curve.name} {brief(curve.errors[_MIDDLE])}" for curve in curves[1:2])
    return error_curves(at, curves, message + ".", here=float(request.epsilon), name=what)


@lru_cache(maxsize=64)
def classics(request: Request) -> tuple[tuple[str, float], ...]:
    """The loss of every classic that fits, by title."""
    return tuple(_classics(request))


def _classics(request: Request) -> Iterator[tuple[str, float]]:
    for name, family in mechanisms.FAMILIES.items():
        if name == _BY_DATABASE:
            continue
        try:
            yield family.title, _classic_loss(name, request)
        except DiscreetError:
            continue


@lru_cache(maxsize=64)
def _classic_curves(request: Request) -> tuple[Curve, ...]:
    curves = []
    for name in _ON_CURVES:
        try:
            losses = tuple(_classic_loss(name, _at(request, epsilon)) for epsilon in EPSILONS)
        except DiscreetError:
            continue
        curves.append(Curve(mechanisms.FAMILIES[name].title, losses))
    return tuple(curves)


def _at(request: Request, epsilon: str) -> Request:
    return replace(request, guarantee=Guarantee(read_epsilon(epsilon), request.guarantee.delta))


def _classic_loss(name: str, request: Request) -> float:
    outputs = None if request.outputs == request.answers else request.outputs
    mechanism = mechanisms.build(
        name, request.answers, request.neighbours, request.epsilon, outputs=outputs
    )
    return expected_loss(mechanism, request.goal)


def _what(request: Request) -> str:
    loss = LossName.ZERO_ONE if isinstance(request.answers, Labels) else request.goal.loss.name
    return _loss_words(loss, request.goal.worst_case)


_LOSS_WORDS: dict[str, str] = {
    LossName.ABSOLUTE: "error",
    LossName.SQUARED: "squared error",
    LossName.ZERO_ONE: "chance of being wrong",
}


def _loss_words(loss: str, worst_case: bool) -> str:
    words = _LOSS_WORDS.get(loss, "loss")
    return f"Worst-case {words}" if worst_case else f"Expected {words}"
