"""OpenDP's Context, asked about a list of ages and a list of clinics; the time is taken here.

A list is no table, and the quickest form its Context has. Two lists of known size differ when one
row is changed, so a person is two contributions. Every question is put to a Context that was made
before, as one would in a session.
"""

import time
from collections.abc import Callable
from typing import Any

import opendp.prelude as dp
from replying import serve

dp.enable_features("contrib")
EPSILON = 0.01
SPLIT = 400

QUESTIONS: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "mean": ("numbers", lambda query: query.clamp((0.0, 99.0)).mean().laplace()),
    "sum": ("ages", lambda query: query.clamp((0, 99)).sum().laplace()),
    "count": (
        "clinics",
        lambda query: query.is_equal("A").cast_default(int).clamp((0, 1)).sum().laplace(),
    ),
    "groups": (
        "clinics",
        lambda query: query.count_by_categories(
            categories=["A", "B", "C"], null_category=False
        ).laplace(),
    ),
    "median": (
        "ages",
        lambda query: query.private_quantile(dp.max_divergence(), list(range(100)), 0.5),
    ),
}
TABLE: dict[str, list[Any]] = {}
KEPT: dict[str, tuple[Any, int]] = {}


def _context(column: str) -> Any:
    values = TABLE[column]
    known = {"T": type(values[0])} | ({"nan": False} if column == "numbers" else {})
    return dp.Context.compositor(
        data=values,
        privacy_unit=dp.unit_of(contributions=2),
        privacy_loss=dp.loss_of(epsilon=EPSILON * SPLIT),
        split_evenly_over=SPLIT,
        domain=dp.vector_domain(dp.atom_domain(**known), size=len(values)),
    )


def _kept(column: str) -> Any:
    """A Context that still has something to spend."""
    context, used = KEPT.get(column, (None, SPLIT))
    if used == SPLIT:
        context, used = _context(column), 0
    KEPT[column] = context, used + 1
    return context


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Take the table, or answer a question about it and say how long that took."""
    if "ages" in request:
        TABLE.update(
            ages=request["ages"],
            numbers=[float(age) for age in request["ages"]],
            clinics=request["clinics"],
        )
        return {"version": dp.__version__, "can": list(QUESTIONS)}
    column, finish = QUESTIONS[request["question"]]
    context = _kept(column)
    started = time.perf_counter()
    released = finish(context.query()).release()
    return {"seconds": time.perf_counter() - started, "answer": str(released)}


serve(answer)
