"""How answers would scatter around a truth: a bar for every answer, or for every few of them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from discreet.figures.axis import Axis, bottom_axis
from discreet.figures.marks import element, line, text, title
from discreet.figures.picture import WIDTH, Picture, drawn
from discreet.text import brief, shortened, year_text

MOST_BARS = 61
"""With more answers than this, neighbouring ones share a bar."""
_LEFT, _RIGHT, _TOP, _BASE = 8.0, 412.0, 30.0, 170.0
_NEGLIGIBLE = 0.0005


@dataclass(frozen=True)
class _Bin:
    low: float
    high: float
    chance: float

    def named(self, number: Callable[[float], str]) -> str:
        if self.low == self.high:
            return number(self.low)
        return f"{number(self.low)} to {number(self.high)}"

    @property
    def middle(self) -> float:
        return (self.low + self.high) / 2


def scatter(
    answers: Sequence[float],
    chances: Sequence[float],
    truth: float,
    message: str,
    *,
    name: str = "answer",
    near: tuple[float, float] | None = None,
    years: bool = False,
) -> Picture:
    """The law of an answer as bars around a marked truth; `near` is shaded as the usual range.

    The axis holds the truth, even where it is no answer that may be told.
    Answers are in rising order. Far ends that together are less likely than one in a thousand are
    not drawn, and the table says so.
    """
    bins = _binned(*_window(answers, chances, truth))
    pace = _pace(bins)
    first, last = min(bins[0].middle, truth), max(bins[-1].middle, truth)
    axis = Axis(low=first - pace / 2, high=last + pace / 2, start=_LEFT, end=_RIGHT, years=years)
    number = year_text if years else brief
    tallest = max(one.chance for one in bins) or 1.0
    high = Axis(low=0.0, high=tallest, start=_BASE, end=_TOP)
    width = max(1.0, (_RIGHT - _LEFT) * pace / (axis.high - axis.low) * 0.82)
    marks = []
    if near is not None:
        left, right = axis.at(near[0] - pace / 2), axis.at(near[1] + pace / 2)
        marks.append(
            element(
                "rect",
                x=left,
                y=_TOP - 8,
                width=right - left,
                height=_BASE - _TOP + 8,
                class_="near",
            )
        )
    marks += [
        element(
            "rect",
            title(f"{one.named(number)}: {_percent(one.chance)}"),
            x=axis.at(one.middle) - width / 2,
            y=high.at(one.chance),
            width=width,
            height=_BASE - high.at(one.chance),
            class_="bar",
        )
        for one in bins
    ]
    marks += [
        *_truth_mark(axis.at(truth), f"if it were {number(truth)}"),
        *bottom_axis(axis, _BASE, name),
    ]
    rows = [(one.named(number), _percent(one.chance)) for one in bins]
    rest = 1.0 - sum(one.chance for one in bins)
    if rest > 5e-7:
        rows.append(("farther away", _percent(rest)))
    return drawn(message, _BASE + 42, marks, (name, "chance"), rows, kind="scatter")


def word_scatter(
    words: Sequence[str], chances: Sequence[float], truth: str, message: str
) -> Picture:
    """How often each word would be told, were one of them true."""
    pace, left, right = 26.0, 130.0, 306.0
    axis = Axis(low=0.0, high=max(chances) or 1.0, start=left, end=right)
    marks = []
    for place, (word, chance) in enumerate(zip(words, chances, strict=True)):
        y = 6 + pace * place
        kind = "bar truth-bar" if word == truth else "bar"
        name = f"{word} (if it were true)" if word == truth else word
        marks += [
            text(left - 8, y + 15, shortened(word, 14), "label", "end"),
            element(
                "rect",
                title(f"{name}: {_percent(chance)}"),
                x=left,
                y=y + 2,
                width=axis.at(chance) - left,
                height=pace - 8,
                class_=kind,
            ),
            text(
                axis.at(chance) + 6,
                y + 15,
                _percent(chance) + (" if it were true" if word == truth else ""),
                "tick",
            ),
        ]
    rows = [(word, _percent(chance)) for word, chance in zip(words, chances, strict=True)]
    return drawn(message, 10 + pace * len(words), marks, ("answer", "chance"), rows, kind="words")


def _truth_mark(x: float, label: str) -> list[str]:
    anchor = "start" if x < 80 else "end" if x > WIDTH - 80 else "middle"
    return [line(x, _TOP - 10, x, _BASE, "truth"), text(x, _TOP - 15, label, "truth-label", anchor)]


def _window(
    answers: Sequence[float], chances: Sequence[float], truth: float
) -> tuple[list[float], list[float]]:
    """Without the far ends that hardly ever come out."""
    first, last = 0, len(answers) - 1
    gone = 0.0
    while first < last and answers[first] < truth and gone + chances[first] < _NEGLIGIBLE:
        gone += chances[first]
        first += 1
    gone = 0.0
    while last > first and answers[last] > truth and gone + chances[last] < _NEGLIGIBLE:
        gone += chances[last]
        last -= 1
    return list(answers[first : last + 1]), list(chances[first : last + 1])


def _binned(answers: list[float], chances: list[float]) -> list[_Bin]:
    together = -(-len(answers) // MOST_BARS)
    return [
        _Bin(
            answers[at],
            answers[min(at + together, len(answers)) - 1],
            sum(chances[at : at + together]),
        )
        for at in range(0, len(answers), together)
    ]


def _pace(bins: list[_Bin]) -> float:
    if len(bins) < 2:
        return 1.0
    return (bins[-1].middle - bins[0].middle) / (len(bins) - 1)


def _percent(chance: float) -> str:
    if 0 < chance < 0.0005:
        return "under 0.1 %"
    return f"{100 * chance:.1f} %"
