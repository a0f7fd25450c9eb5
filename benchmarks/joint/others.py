"""Whole questions put to other tools, in environments of their own."""

import sys
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.peers import Peer, PeerError
from discreet.model import Relation

SCRIPTS = {"OpenDP": "joint_opendp", "diffprivlib": "joint_diffprivlib"}
DRAWS = 200
Floats = npt.NDArray[np.float64]
_UNKNOWN = "KeyError"


def errors_of_others(
    kind: str,
    rows: Sequence[int],
    truths: Sequence[float],
    relation: Relation,
    *,
    epsilon: float = 0.5,
    draws: int = DRAWS,
    **asked: Any,
) -> dict[str, list[float]]:
    """The mean absolute error of each answer, tool by tool; without those that cannot be asked.

    Rows are given by their places among the declared values, and so are the truths.
    """
    answers = answers_of_others(kind, rows, relation, epsilon=epsilon, draws=draws, **asked)
    return {
        tool: np.abs(told - np.array(truths)).mean(axis=0).tolist()
        for tool, told in answers.items()
    }


def answers_of_others(
    kind: str,
    rows: Sequence[int],
    relation: Relation,
    *,
    epsilon: float = 0.5,
    draws: int = DRAWS,
    **asked: Any,
) -> dict[str, Floats]:
    """The answers of every tool that knows such questions: a line for each draw."""
    request = {
        "kind": kind,
        "rows": list(rows),
        "change": relation == Relation.CHANGE,
        "epsilon": epsilon,
        "draws": draws,
        **asked,
    }
    found = {tool: _answers(tool, request) for tool in SCRIPTS}
    return {
        tool: np.array(told, dtype=np.float64) for tool, told in found.items() if told is not None
    }


def _answers(tool: str, request: dict[str, Any]) -> list[list[float]] | None:
    peer = _peer(tool)
    if peer is None:
        return None
    try:
        return list(peer.ask(request)["answers"])
    except PeerError as problem:
        if _UNKNOWN not in str(problem):
            print(f"{tool}: {problem}", file=sys.stderr)
        return None


@cache
def _peer(tool: str) -> Peer | None:
    try:
        return Peer("libraries", SCRIPTS[tool])
    except (PeerError, OSError) as problem:
        print(f"{tool} is left out: {problem}", file=sys.stderr)
        return None
