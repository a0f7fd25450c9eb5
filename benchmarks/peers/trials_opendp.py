"""OpenDP's answers to the trials: ten records, their number public, one of them changed.

The counts are sums of zeros and ones, the mean is of a known number, and the order statistics are
its `make_private_quantile`, which scores the declared values and takes a noisy maximum.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import opendp.prelude as dp
from replying import serve

dp.enable_features("contrib")
ONE_CHANGED = 2
SIZE = 10


def _count(scale: float) -> Any:
    domain = dp.vector_domain(dp.atom_domain(T=int, bounds=(0, 1)), size=SIZE)
    return dp.t.make_sum(domain, dp.symmetric_distance()) >> dp.m.then_laplace(scale)


def _mean(scale: float) -> Any:
    domain = dp.vector_domain(dp.atom_domain(T=float, bounds=(0.0, 4.0), nan=False), size=SIZE)
    return dp.t.make_mean(domain, dp.symmetric_distance()) >> dp.m.then_laplace(scale)


def _quantile(alpha: float) -> Callable[[float], Any]:
    domain = dp.vector_domain(dp.atom_domain(T=int), size=SIZE)
    space = domain, dp.symmetric_distance(), dp.max_divergence()
    return lambda scale: dp.m.make_private_quantile(
        *space, candidates=list(range(10)), alpha=alpha, scale=scale
    )


MAKERS = {"count": _count, "mean": _mean, "max": _quantile(1.0), "median": _quantile(0.5)}


@lru_cache
def measurement(kind: str, epsilon: float) -> Any:
    """The measurement with the least noise that costs ε."""
    return dp.binary_search_chain(MAKERS[kind], d_in=ONE_CHANGED, d_out=epsilon, T=float)


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """One answer for each table."""
    ask = measurement(request["kind"], request["epsilon"])
    number = float if request["kind"] == "mean" else int
    tables = ([number(cell) for cell in table] for table in request["tables"])
    return {"version": dp.__version__, "answers": [float(ask(table)) for table in tables]}


serve(answer)
