"""All pairs: one record can lead anywhere (min, max, median by their answers).

Choose a set I of outputs. Every answer has weight g = e^ε on the output of I with the least loss
and 1 on the others, over |I| + g − 1: no mechanism does better than the best such one, for any
prior and any loss that falls and then rises along the outputs. Proof: docs/proofs/all-pairs.md.
"""

from dataclasses import dataclass

import numpy as np

from discreet.designer.all_pairs.location import best_sets
from discreet.designer.all_pairs.losses import places_in_a_table, places_on_a_line, positions
from discreet.designer.programs.program import Floats, Indices
from discreet.designer.rays.integers import BITS, MOST_DENSE
from discreet.designer.request import Finding, Method, Request
from discreet.model import Labels, LossName, Mechanism, RayBlocks, RayMechanism, category_of

MOST_TABLE = 250
"""Losses of other kinds are written out, for at most so many outputs and answers."""

_ROUNDING = 1 + 2.0**-44
_LINE = (LossName.ABSOLUTE, LossName.SQUARED)


def why_not(request: Request) -> str | None:
    """Why the closed form does not suit a request; None when it does."""
    if not request.is_plain:
        return "only for pure ε and one prior, without requirements"
    if not request.all_are_neighbours:
        return "not all answers are neighbours"
    if is_on_a_line(request) or _zero_one(request):
        return None
    if max(request.shape) > MOST_TABLE:
        return f"a loss of this kind is handled for at most {MOST_TABLE} answers"
    if places_in_a_table(request) is None:
        return "the loss does not fall and then rise along the outputs"
    return None


@dataclass(frozen=True, eq=False)
class _Shares:
    """Outputs that are told, whose each answer is, and what it gives to its own and to others."""

    told: Indices
    owner: Indices
    high: int
    low: int

    @property
    def total(self) -> int:
        return self.high + (len(self.told) - 1) * self.low


def run(request: Request) -> Finding:
    """The best set of outputs, and the mechanism that tells the nearest of them more often."""
    lower_bound, chosen = best_set(request, float(request.epsilon.ratio_above))
    used, owner = np.unique(owners_of(request, chosen), return_inverse=True)
    shares = _Shares(chosen[used], owner, *_weights(request, len(used)))
    in_order = bool((np.diff(owner) >= 0).all())
    if request.shape[0] * request.shape[1] <= MOST_DENSE or not in_order:
        return Finding(_matrix(request, shares), lower_bound)
    value = _value(request, shares, request.prior, request.goal.loss.name)
    error = None
    if not (isinstance(request.answers, Labels) or isinstance(request.outputs, Labels)):
        uniform = np.full(len(owner), 1 / len(owner))
        error = _value(request, shares, uniform, LossName.ABSOLUTE)
    return Finding(_rays(request, shares), lower_bound, value, error)


ALL_PAIRS = Method(
    name="all pairs",
    title="A few outputs, the nearest of them chosen e^ε times as often",
    citation="003 §4.3.3; docs/proofs/all-pairs.md",
    why_not=why_not,
    run=run,
)


def is_on_a_line(request: Request) -> bool:
    """Whether the loss is a distance between numbers, or its square."""
    return request.goal.loss.named in _LINE and not (
        isinstance(request.answers, Labels) or isinstance(request.outputs, Labels)
    )


def _zero_one(request: Request) -> bool:
    return request.goal.loss.named == LossName.ZERO_ONE


def best_set(request: Request, ratio: float) -> tuple[float, Indices]:
    """A proven bound on every mechanism's loss, and the outputs that reach it."""
    if _zero_one(request):
        return _likeliest(request, ratio)
    places = places_on_a_line(request) if is_on_a_line(request) else places_in_a_table(request)
    assert places is not None
    best, outputs = np.inf, np.zeros(1, dtype=np.int64)
    doubt = 0.0
    for k, (cost, chosen) in enumerate(best_sets(places, ratio), start=1):
        value = cost / (k + ratio - 1)
        if value > best * (1 + 1e-12):
            break
        best, outputs = value, chosen
        doubt = 16 * places.doubt * (k + 1) * ratio / (k + ratio)
    return max(0.0, float(best) * (1 - 2.0**-44) - doubt), outputs


def _likeliest(request: Request, ratio: float) -> tuple[float, Indices]:
    """Zero-one: the k categories that hold most, for the best k."""
    rows = len(request.outputs)
    home = np.array(category_of(request.outputs, request.answers))
    held = np.bincount(home, request.prior, minlength=rows)
    order = np.argsort(-held, kind="stable")
    k = np.arange(1, rows + 1)
    values = (k + ratio - 1 - ratio * np.cumsum(held[order])) / (k + ratio - 1)
    best = int(values.argmin())
    return max(0.0, float(values[best]) - 4 * rows * 2.0**-53), np.sort(order[: best + 1])


def owners_of(request: Request, chosen: Indices) -> Indices:
    """For each answer, which of the told outputs has the least loss."""
    if is_on_a_line(request):
        answers, outputs = positions(request)
        middles = (outputs[chosen][:-1] + outputs[chosen][1:]) / 2
        return np.searchsorted(middles, answers, side="left")
    if _zero_one(request):
        home = np.array(category_of(request.outputs, request.answers))
        return np.minimum(np.searchsorted(chosen, home), len(chosen) - 1)
    owners: Indices = request.loss[chosen].argmin(axis=0)
    return owners


def _weights(request: Request, k: int) -> tuple[int, int]:
    """The largest integers with high + (k − 1)·low ≤ 2^62 and high at most e^ε·low."""
    exact = request.epsilon.ratio_below
    p, q = exact.numerator, exact.denominator
    low = ((q << BITS) // (p + (k - 1) * q)) if k > 1 else (q << BITS) // p
    low = max(low, 1)
    return min(low * p // q, (1 << BITS) - (k - 1) * low), low


def _matrix(request: Request, shares: _Shares) -> Mechanism:
    matrix = np.zeros(request.shape, dtype=np.int64)
    matrix[shares.told] = shares.low
    matrix[shares.told[shares.owner], np.arange(len(shares.owner))] = shares.high
    return Mechanism.of(
        request.answers, request.outputs, request.neighbours, matrix, name="all pairs"
    )


def _rays(request: Request, shares: _Shares) -> RayMechanism:
    """One ray for each told output, flat on the answers that are its own."""
    k = len(shares.told)
    first = np.searchsorted(shares.owner, np.arange(k))
    length = np.diff(np.append(first, len(shares.owner)))
    blocks = RayBlocks.of(
        first=first, length=length, ladder=np.zeros(k, dtype=np.int64), output=shares.told
    )
    return RayMechanism.of(
        request.answers,
        request.outputs,
        request.neighbours,
        [[shares.high, shares.low]],
        blocks,
        spare_output=int(shares.told[0]),
        total=shares.total,
        name="all pairs",
    )


def _value(request: Request, shares: _Shares, prior: Floats, loss: str) -> float:
    """The expected loss, rounded up, of telling one's own output more often than the others."""
    chosen, own = shares.told, shares.told[shares.owner]
    if loss == LossName.ZERO_ONE:
        home = np.array(category_of(request.outputs, request.answers))
        losses = (own != home).astype(np.float64)
        each = [float(prior @ (home != output)) for output in chosen]
    else:
        answers, outputs = positions(request)
        power = 2 if loss == LossName.SQUARED else 1
        losses = np.abs(answers - outputs[own]) ** power
        each = [float(prior @ np.abs(answers - outputs[i]) ** power) for i in chosen]
    more = (shares.high - shares.low) * float(prior @ losses)
    return (more + shares.low * sum(each)) / shares.total * _ROUNDING
