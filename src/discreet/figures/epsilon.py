"""What ε means: the answers with you and without you, side by side."""

import math

from discreet.figures.axis import Axis, bottom_axis
from discreet.figures.marks import element, text, title
from discreet.figures.picture import Picture, drawn
from discreet.text import brief

_LEFT, _RIGHT, _TOP, _BASE = 8.0, 412.0, 26.0, 160.0
_COUNT, _REACH = 40, 9


def what_epsilon_means(epsilon: float) -> Picture:
    """Noisy counts of 40 and of 41 people: no answer is more than e^ε times likelier for one.

    >>> what_epsilon_means(0.5).message.split(":")[0]
    'At ε = 0.5 no answer is more than 1.65 times likelier with you than without you'
    """
    alpha = math.exp(-epsilon)
    scale = (1 - alpha) / (1 + alpha)
    places = range(_COUNT - _REACH, _COUNT + _REACH + 2)
    laws = [[scale * alpha ** abs(place - true) for place in places] for true in (40, 41)]
    axis = Axis(low=places[0] - 0.5, high=places[-1] + 0.5, start=_LEFT, end=_RIGHT)
    high = Axis(low=0.0, high=scale, start=_BASE, end=_TOP)
    width = (_RIGHT - _LEFT) / len(places) * 0.4
    marks = [
        text(_LEFT, 13, "■ without you, the count is 40", "key-a"),
        text(_RIGHT, 13, "▨ with you, it is 41", "key-b", "end"),
    ]
    for law, shift, kind in zip(laws, (-width, 0.0), ("pair-a", "pair-b"), strict=True):
        marks += [
            element(
                "rect",
                title(f"{place}: {100 * chance:.1f} %"),
                x=axis.at(place) + shift,
                y=high.at(chance),
                width=width,
                height=_BASE - high.at(chance),
                class_=kind,
            )
            for place, chance in zip(places, law, strict=True)
        ]
    marks += bottom_axis(axis, _BASE, "answer")
    message = (
        f"At ε = {brief(epsilon, 3)} no answer is more than {math.exp(epsilon):.2f} times "
        "likelier with you than without you: no one can be sure from it whether you are there."
    )
    rows = [
        (str(place), f"{100 * without:.1f} %", f"{100 * with_you:.1f} %")
        for place, without, with_you in zip(places, *laws, strict=True)
    ]
    return drawn(
        message, _BASE + 42, marks, ("answer", "without you", "with you"), rows, kind="pair"
    )
