"""A budget as a bar: what is spent, what a question would cost, what is left."""

from discreet.figures.marks import element, text
from discreet.figures.picture import WIDTH, Picture, drawn
from discreet.text import brief

_TALL, _TOP = 20.0, 2.0


def budget_meter(spent: float, allowed: float, asking: float = 0.0) -> Picture:
    """How much of a budget is gone, and how much a question would take.

    >>> budget_meter(0.5, 2.0).message
    'ε = 0.5 of 2 is spent, 1.5 is left.'
    """
    left = max(0.0, allowed - spent)
    message = f"ε = {brief(spent, 9)} of {brief(allowed, 9)} is spent, {brief(left, 9)} is left."
    rows = [("spent", brief(spent, 9)), ("left", brief(left, 9))]
    gone = _share(spent, allowed)
    taken = min(_share(asking, allowed), WIDTH - gone)
    marks = [
        element("rect", x=0, y=_TOP, width=WIDTH, height=_TALL, rx=3, class_="meter-all"),
        element("rect", x=0, y=_TOP, width=gone, height=_TALL, rx=3, class_="meter-spent"),
    ]
    if asking > 0:
        rows = [
            rows[0],
            ("this question", brief(asking, 9)),
            ("left afterwards", brief(max(0.0, left - asking), 9)),
        ]
        verdict = (
            f"this question takes {brief(asking, 9)}"
            if asking <= left * (1 + 1e-12)
            else f"this question would take {brief(asking, 9)}, which is more than is left"
        )
        message = f"{message[:-1]}; {verdict}."
        marks.append(
            element("rect", x=gone, y=_TOP, width=taken, height=_TALL, class_="meter-asking")
        )
    below = _TOP + _TALL + 16
    marks += [
        text(0, below, f"spent {brief(spent, 4)}", "tick"),
        text(WIDTH, below, f"left {brief(left, 4)}", "tick", "end"),
    ]
    return drawn(message, below + 6, marks, ("part of the budget", "ε"), rows, kind="meter")


def _share(part: float, whole: float) -> float:
    return WIDTH * min(1.0, max(0.0, part / whole)) if whole > 0 else WIDTH
