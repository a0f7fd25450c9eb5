"""The worst case when one record can lead anywhere: a mixture of closed forms, proved by a prior.

For one prior the best mechanism has a closed form, and proves a bound. A small program mixes such
mechanisms so that the worst answer errs least; its multipliers are the next prior. Bound and worst
answer meet (von Neumann): docs/proofs/all-pairs.md.
"""

from dataclasses import dataclass, replace

import numpy as np

from discreet.designer.all_pairs.method import best_set, is_on_a_line, owners_of
from discreet.designer.plain.repairs import repaired
from discreet.designer.programs.program import NO_BOUND, Floats, Indices, Program, ProgramRows
from discreet.designer.programs.solver import solve
from discreet.designer.request import (
    Finding,
    Method,
    Progress,
    Request,
    out_of_time,
    relative_gap,
    value_above,
)
from discreet.model import Goal, Prior

NAME = "all pairs, worst case"
MOST_CELLS = 4_000_000
LEAST_ANSWERS = 41
"""For fewer answers the plain program is as quick."""
_ENOUGH = 1e-7
_MOST_ROUNDS = 600
_OUTSIDE = 0.5
"""How much of the next prior is what the program asks for; the rest is the best one so far."""


def why_not(request: Request) -> str | None:
    """Why mixtures of closed forms do not suit a request; None when they do."""
    goal = request.goal
    if not goal.worst_case:
        return "only for the worst case"
    if request.guarantee.delta or request.requirements or goal.situations is not None:
        return "only for pure ε, without requirements"
    if not request.all_are_neighbours or not is_on_a_line(request):
        return "not all answers are neighbours, or the loss is not a distance"
    rows, columns = request.shape
    if rows * columns > MOST_CELLS:
        return f"more than {MOST_CELLS:,} cells"
    return None if columns >= LEAST_ANSWERS else f"fewer than {LEAST_ANSWERS} answers"


@dataclass(frozen=True, eq=False)
class OutputSet:
    """A set of outputs, whose each answer is, and what each answer errs."""

    outputs: Indices
    owners: Indices
    errors: Floats

    @classmethod
    def of(cls, request: Request, outputs: Indices, ratio: float) -> "OutputSet":
        """Every answer tells its own output e^ε times as often as each of the others."""
        owners = owners_of(request, outputs)
        loss = request.loss[outputs]
        own = loss[owners, np.arange(loss.shape[1])]
        errors = (loss.sum(axis=0) + (ratio - 1) * own) / (len(outputs) + ratio - 1)
        return cls(outputs, owners, errors)


def run(request: Request) -> Finding:
    """Mix closed forms until no prior forces more than the worst answer errs."""
    ratio, size = float(request.epsilon.ratio_below), len(request.answers)
    prior = np.full(size, 1 / size)
    centre, bound, sets = prior, 0.0, []
    shares, value = np.ones(1), np.inf
    for _ in range(_MOST_ROUNDS):
        proved, outputs = _for_prior(request, prior)
        if proved > bound:
            bound, centre = proved, prior
        sets.append(OutputSet.of(request, outputs, ratio))
        shares, asked, value = _mixed(np.array([one.errors for one in sets]))
        request.report(Progress(NAME, "mixing", value, bound))
        if relative_gap(value, bound) <= _ENOUGH or out_of_time():
            break
        halfway = _OUTSIDE * asked + (1 - _OUTSIDE) * centre
        prior = asked if np.allclose(prior, halfway, rtol=0, atol=1e-12) else halfway
    mechanism = repaired(request, _matrix(request, sets, shares, ratio))
    reached = value_above(request, mechanism)
    return Finding(mechanism, min(bound, reached), reached)


def _for_prior(request: Request, prior: Floats) -> tuple[float, Indices]:
    """What no mechanism beats under a prior, hence in the worst case, and the best set."""
    likely = Prior(tuple((prior / prior.sum()).tolist()))
    under = replace(request, goal=Goal(request.goal.loss, likely), progress=None)
    return best_set(under, float(request.epsilon.ratio_above))


def _mixed(errors: Floats) -> tuple[Floats, Floats, float]:
    """Shares of the mechanisms whose worst answer errs least, the prior that says so, the error.

    Only answers that some mixture has found to be bad are rows; others join when they are worse.
    """
    many, size = errors.shape
    rows = np.unique(errors.argmax(axis=1))
    while True:
        table = errors[:, rows].T
        worst = ProgramRows.at_most(
            "errors",
            np.broadcast_to(np.arange(many + 1), (len(rows), many + 1)),
            np.concatenate([table, np.full((len(rows), 1), -1.0)], axis=1),
        )
        sums = ProgramRows.equal("shares", np.arange(many)[None, :], np.ones(many), 1.0)
        cost = np.append(np.zeros(many), 1.0)
        upper = np.append(np.ones(many), NO_BOUND)
        solution = solve(Program.of(cost, np.zeros(many + 1), upper, [worst, sums]), "simplex")
        shares = np.clip(solution.x[:many], 0.0, None)
        shares = shares / shares.sum()
        every = shares @ errors
        worse = np.flatnonzero(every > every[rows].max() * (1 + 1e-10))
        if not len(worse):
            break
        most = worse[np.argsort(-every[worse], kind="stable")[:8]]
        rows = np.union1d(rows, most)
    prior = np.zeros(size)
    prior[rows] = np.abs(solution.duals[: len(rows)])
    total = prior.sum()
    return shares, prior / total if total > 0 else np.full(size, 1 / size), float(every.max())


def _matrix(request: Request, sets: list[OutputSet], shares: Floats, ratio: float) -> Floats:
    """The mixture, written out."""
    matrix, places = np.zeros(request.shape), np.arange(len(request.answers))
    for share, one in zip(shares, sets, strict=True):
        if share > 0:
            low = share / (len(one.outputs) + ratio - 1)
            matrix[one.outputs] += low
            matrix[one.outputs[one.owners], places] += low * (ratio - 1)
    return matrix


WORST_OF_ALL_PAIRS = Method(
    name=NAME,
    title="A mixture of closed forms whose worst answer errs least",
    citation="003 §4.3.3; docs/proofs/all-pairs.md",
    why_not=why_not,
    run=run,
)
