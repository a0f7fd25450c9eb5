"""diffprivlib's own order statistics and means of one list, drawn many times."""

from typing import Any

import diffprivlib
import numpy as np
from diffprivlib import tools
from replying import serve


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """So many answers about the rows, each for ε; it has no word for neighbours."""
    rows, share = np.array(request["rows"], dtype=float), request["share"]
    said = {"epsilon": request["epsilon"], "bounds": (0.0, float(request["values"] - 1))}
    answers = [
        float(tools.mean(rows, **said) if share is None else tools.quantile(rows, share, **said))
        for _ in range(request["draws"])
    ]
    return {"version": diffprivlib.__version__, "answers": answers}


serve(answer)
