"""SmartNoise SQL, asked about ages and clinics in a pandas frame; the time is taken here.

The reader is made once. It has no median.
"""

import time
from importlib.metadata import version
from typing import Any

import pandas as pd
from replying import serve
from snsql import Privacy, from_connection

QUESTIONS = {
    "mean": "SELECT AVG(age) FROM s.survey",
    "sum": "SELECT SUM(age) FROM s.survey",
    "count": "SELECT COUNT(*) FROM s.survey WHERE clinic = 'A'",
    "groups": "SELECT clinic, COUNT(*) FROM s.survey GROUP BY clinic",
}
READERS: list[Any] = []


def _reader(ages: list[int], clinics: list[str]) -> Any:
    columns = {
        "row_privacy": True,
        "rows": len(ages),
        "age": {"type": "int", "lower": 0, "upper": 99},
        "clinic": {"type": "string", "cardinality": 3},
    }
    return from_connection(
        pd.DataFrame({"age": ages, "clinic": clinics}),
        privacy=Privacy(epsilon=0.01, delta=1e-5),
        metadata={"": {"s": {"survey": columns}}},
    )


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Take the table, or answer a question about it and say how long that took."""
    if "ages" in request:
        READERS[:] = [_reader(request["ages"], request["clinics"])]
        return {"version": version("smartnoise-sql"), "can": list(QUESTIONS)}
    started = time.perf_counter()
    released = READERS[0].execute(QUESTIONS[request["question"]])
    return {"seconds": time.perf_counter() - started, "answer": str(released)}


serve(answer)
