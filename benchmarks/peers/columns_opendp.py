"""OpenDP's own order statistics and means of one list, drawn many times.

`moved` is how many rows a neighbour differs by, `size` the number of rows where it is public.
"""

from typing import Any

import opendp.prelude as dp
from replying import serve

dp.enable_features("contrib")


def _quantile(request: dict[str, Any]) -> Any:
    known = {} if request["size"] is None else {"size": request["size"]}
    domain = dp.vector_domain(dp.atom_domain(T=int), **known)
    space = domain, dp.symmetric_distance(), dp.max_divergence()
    return lambda scale: dp.m.make_private_quantile(
        *space, candidates=list(range(request["values"])), alpha=request["share"], scale=scale
    )


def _mean(request: dict[str, Any]) -> Any:
    bounds = (0.0, float(request["values"] - 1))
    atom = dp.atom_domain(T=float, bounds=bounds, nan=False)
    domain = dp.vector_domain(atom, size=request["size"])
    mean = dp.t.make_mean(domain, dp.symmetric_distance())
    return lambda scale: mean >> dp.m.then_laplace(scale)


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """So many answers about the rows, each for ε."""
    is_mean = request["share"] is None
    made = (_mean if is_mean else _quantile)(request)
    ask = dp.binary_search_chain(made, d_in=request["moved"], d_out=request["epsilon"], T=float)
    rows = [float(row) if is_mean else int(row) for row in request["rows"]]
    answers = [float(ask(rows)) for _ in range(request["draws"])]
    return {"version": dp.__version__, "answers": answers}


serve(answer)
