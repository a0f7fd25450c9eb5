"""OpenDP, asked whole questions its way: ε is shared evenly over the answers.

`change` says that a neighbour has another row in one place, so that it differs by two rows; the
number of rows is public then.
"""

from typing import Any

import opendp.prelude as dp
from replying import serve

dp.enable_features("contrib")


def _rows(request: dict[str, Any], kind: type, **known: Any) -> Any:
    size = {"size": len(request["rows"])} if request["change"] else {}
    return dp.vector_domain(dp.atom_domain(T=kind, **known), **size), dp.symmetric_distance()


def _spending(request: dict[str, Any], make: Any, share: float) -> Any:
    """A measurement with as much noise as its share of ε asks for."""
    return dp.binary_search_chain(
        make, d_in=2 if request["change"] else 1, d_out=request["epsilon"] * share, T=float
    )


def cells(request: dict[str, Any]) -> list[Any]:
    """Counts by group."""
    space = _rows(request, int)
    names = list(range(request["values"]))
    counted = dp.t.make_count_by_categories(
        *space, categories=names, null_category=False, MO=dp.L1Distance[int]
    )
    return [_spending(request, lambda scale: counted >> dp.m.then_laplace(scale), 1.0)]


def counts(request: dict[str, Any]) -> list[Any]:
    """Several counts: each is a sum of 0 and 1 with its share."""
    space = _rows(request, int, bounds=(0, 1))
    total = dp.t.make_sum(*space)
    many = request["many"]
    made = _spending(request, lambda scale: total >> dp.m.then_laplace(scale), 1 / many)
    return [made] * many


def quantiles(request: dict[str, Any]) -> list[Any]:
    """Several quantiles, each with its share."""
    space = (*_rows(request, int), dp.max_divergence())
    names, shares = list(range(request["values"])), request["shares"]
    return [
        _spending(
            request,
            lambda scale, share=share: dp.m.make_private_quantile(
                *space, candidates=names, alpha=share, scale=scale
            ),
            1 / len(shares),
        )
        for share in shares
    ]


def mean_and_count(request: dict[str, Any]) -> Any:
    """A mean of an unknown number of rows: a sum over a count, half of ε each."""
    total, many = _sum(request, 1, 1 / 2), _count(request, 1 / 2)

    def ask(rows: list[int]) -> list[float]:
        counted = many(rows)
        return [total(rows) / max(counted, 1), counted]

    return ask


def deviation_and_count(request: dict[str, Any]) -> Any:
    """A deviation from a count, a sum and a sum of squares, a third of ε each."""
    total, squares, many = _sum(request, 1, 1 / 3), _sum(request, 2, 1 / 3), _count(request, 1 / 3)

    def ask(rows: list[int]) -> list[float]:
        counted = many(rows)
        safe = max(counted, 2)
        mean, square = total(rows) / safe, squares([row**2 for row in rows]) / safe
        return [(max(square - mean**2, 0.0) * safe / (safe - 1)) ** 0.5, counted]

    return ask


def _sum(request: dict[str, Any], power: int, share: float) -> Any:
    bounds = (0, (request["values"] - 1) ** power)
    space = dp.vector_domain(dp.atom_domain(T=int, bounds=bounds)), dp.symmetric_distance()
    total = dp.t.make_sum(*space)
    return _spending(request, lambda scale: total >> dp.m.then_laplace(scale), share)


def _count(request: dict[str, Any], share: float) -> Any:
    space = dp.vector_domain(dp.atom_domain(T=int)), dp.symmetric_distance()
    many = dp.t.make_count(*space)
    return _spending(request, lambda scale: many >> dp.m.then_laplace(scale), share)


ASKED = {"cells": cells, "counts": counts, "quantiles": quantiles}
WHOLE = {"mean_and_count": mean_and_count, "deviation_and_count": deviation_and_count}
"""Questions whose answers are worked out from others."""


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """So many answers to the whole question."""
    rows = [int(row) for row in request["rows"]]
    if request["kind"] in WHOLE:
        ask = WHOLE[request["kind"]](request)
        return {"version": dp.__version__, "answers": [ask(rows) for _ in range(request["draws"])]}
    made = ASKED[request["kind"]](request)
    drawn = [[ask(rows) for ask in made] for _ in range(request["draws"])]
    flat = [one[0] if isinstance(one[0], list) else one for one in drawn]
    return {"version": dp.__version__, "answers": flat}


serve(answer)
