"""What to say of a request that no method designs, and what would work instead."""

import math
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import replace

from discreet.designer.request import Request
from discreet.model import Grid, Prior


def refusal(request: Request, reasons: Sequence[str]) -> str:
    """What cannot be designed, and what can; why, where some method was run or named for it."""
    rows, columns = request.shape
    what = f"{rows:,} outputs by {columns:,} answers"
    asked = [*request.requirements.names(), *(["worst-case"] if request.goal.worst_case else [])]
    if request.guarantee.delta:
        asked.append("a positive δ")
    with_what = f" with {', '.join(asked)}" if asked else ""
    why = f" ({'; '.join(reasons)})" if reasons else ""
    return f"no method designs {what}{with_what}{why}; {_advice(request, less=bool(asked))}"


def _advice(request: Request, *, less: bool) -> str:
    """What would work: the plain program takes all goals, and grows with the square of a line."""
    from discreet.designer.plain import MOST_EPSILON  # noqa: PLC0415  for a refusal alone

    if request.epsilon.value > MOST_EPSILON:
        return f"use an ε of at most {MOST_EPSILON}"
    room = _room(request)
    few = f", so that there are at most {room:,} answers" if room > 1 else ""
    return f"{'ask for less, or ' if less else ''}use a larger step{few}"


def _room(request: Request) -> int:
    """How many answers there may be; 0 where their number is not the trouble."""
    from discreet.designer.near import NEAR_DELTA, NEAR_REQUIRED  # noqa: PLC0415
    from discreet.designer.plain import MOST_ENTRIES, entries_of  # noqa: PLC0415

    share = MOST_ENTRIES / entries_of(request)
    room = int(request.shape[1] * math.sqrt(share)) if share < 1 else 0
    answers, steps = request.answers, request.steps
    if not room or steps is None or not isinstance(answers, Grid):
        return room
    if request.outputs != answers or request.goal.prior != Prior():
        return room
    near = (NEAR_DELTA, NEAR_REQUIRED) if steps == 1 else (NEAR_DELTA,)

    def is_too_many(size: int) -> bool:
        shorter = Grid(answers.start, answers.step, size)
        smaller = replace(request, answers=shorter, outputs=shorter)
        return all(method.why_not(smaller) is not None for method in near)

    return room + bisect_left(range(room + 1, len(answers)), True, key=is_too_many)
