"""PyDP's answers to the trials; the number of records is private to it."""

from importlib.metadata import version
from typing import Any

from pydp.algorithms.laplacian import BoundedMean, Count, Max, Median
from replying import serve


def _ask(kind: str, table: list[int], epsilon: float) -> float:
    if kind == "count":
        found = Count(epsilon=epsilon, dtype="int").quick_result([1] * sum(table))
    elif kind == "mean":
        bounded = BoundedMean(epsilon=epsilon, lower_bound=0, upper_bound=4, dtype="int")
        found = bounded.quick_result(table)
    else:
        placed = Max if kind == "max" else Median
        found = placed(epsilon=epsilon, lower_bound=0, upper_bound=9, dtype="int").quick_result(
            table
        )
    return float(found)


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """One answer for each table."""
    kind, epsilon = request["kind"], request["epsilon"]
    answers = [_ask(kind, table, epsilon) for table in request["tables"]]
    return {"version": version("python-dp"), "answers": answers}


serve(answer)
