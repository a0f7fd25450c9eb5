"""diffprivlib, asked whole questions its way: ε is shared evenly; it has no word for neighbours."""

from typing import Any

import diffprivlib
import numpy as np
from diffprivlib import tools
from replying import serve


def cells(rows: Any, request: dict[str, Any]) -> list[float]:
    """Counts by group: its histogram."""
    values = request["values"]
    found, _ = tools.histogram(
        rows, epsilon=request["epsilon"], bins=values, range=(-0.5, values - 0.5)
    )
    return [float(one) for one in found]


def counts(rows: Any, request: dict[str, Any]) -> list[float]:
    """Several counts, each with its share."""
    many = request["many"]
    return [
        float(tools.count_nonzero(rows, epsilon=request["epsilon"] / many)) for _ in range(many)
    ]


def quantiles(rows: Any, request: dict[str, Any]) -> list[float]:
    """Several quantiles, as its own function shares ε."""
    bounds = (0.0, float(request["values"] - 1))
    found = tools.quantile(rows, request["shares"], epsilon=request["epsilon"], bounds=bounds)
    return [float(one) for one in np.atleast_1d(found)]


def mean_and_count(rows: Any, request: dict[str, Any]) -> list[float]:
    """A mean, which takes the number of rows for public, and that number, half of ε each."""
    half, bounds = request["epsilon"] / 2, (0.0, float(request["values"] - 1))
    present = np.repeat([1, 0], [len(rows), request["outside"]])
    mean = tools.mean(rows, epsilon=half, bounds=bounds)
    return [float(mean), float(tools.count_nonzero(present, epsilon=half))]


def deviation_and_count(rows: Any, request: dict[str, Any]) -> list[float]:
    """A standard deviation and a number of rows, half of ε each."""
    half, bounds = request["epsilon"] / 2, (0.0, float(request["values"] - 1))
    present = np.ones(len(rows))
    deviation = tools.std(rows, epsilon=half, bounds=bounds)
    return [float(deviation), float(tools.count_nonzero(present, epsilon=half))]


ASKED = {
    "cells": cells,
    "counts": counts,
    "quantiles": quantiles,
    "mean_and_count": mean_and_count,
    "deviation_and_count": deviation_and_count,
}


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """So many answers to the whole question."""
    rows = np.array(request["rows"], dtype=float)
    ask = ASKED[request["kind"]]
    drawn = [ask(rows, request) for _ in range(request["draws"])]
    return {"version": diffprivlib.__version__, "answers": drawn}


serve(answer)
