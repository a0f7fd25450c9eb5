"""OpenDP's Context, asked about a Polars frame of ages and clinics; the time is taken here.

This is the form that its Context has for tables: conditions, groups and several columns need it.
The number of rows is public and two tables differ when one row is changed, so a person is two
contributions. Every question is put to a Context that was made before, as one would in a session.
"""

import time
from collections.abc import Callable
from typing import Any

import opendp.prelude as dp
import polars as pl
from replying import serve

dp.enable_features("contrib")
EPSILON = 0.01
SPLIT = 400
AGE = pl.col("age").fill_null(0)

QUESTIONS: dict[str, Callable[[Any], Any]] = {
    "mean": lambda query: query.select(AGE.dp.mean((0, 99))),
    "sum": lambda query: query.select(AGE.dp.sum((0, 99))),
    "count": lambda query: query.filter(pl.col("clinic") == "A").select(dp.len(signed=True)),
    "groups": lambda query: query.group_by("clinic").agg(dp.len(signed=True)),
    "median": lambda query: query.select(AGE.dp.median(list(range(100)))),
}
KEPT: dict[str, Any] = {}


def _context(ages: list[int], clinics: list[str]) -> Any:
    rows = len(ages)
    return dp.Context.compositor(
        data=pl.LazyFrame({"age": ages, "clinic": clinics}),
        privacy_unit=dp.unit_of(contributions=2),
        privacy_loss=dp.loss_of(epsilon=EPSILON * SPLIT),
        split_evenly_over=SPLIT,
        margins=[
            dp.polars.Margin(max_length=rows, invariant="lengths"),
            dp.polars.Margin(by=["clinic"], max_length=rows, invariant="keys"),
        ],
    )


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Take the table, or answer a question about it and say how long that took."""
    if "ages" in request:
        KEPT["context"] = _context(request["ages"], request["clinics"])
        return {"version": dp.__version__, "can": list(QUESTIONS)}
    started = time.perf_counter()
    released = QUESTIONS[request["question"]](KEPT["context"].query()).release().collect()
    return {"seconds": time.perf_counter() - started, "answer": str(released)}


serve(answer)
