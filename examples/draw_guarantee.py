"""Draws docs/images/guarantee.svg: what an answer looks like with and without one person.

The bars are the exact probabilities of the truncated geometric mechanism for a count of ten at
ε = 0.5, in the columns of two neighbouring true answers.
"""

import math
from pathlib import Path

import matplotlib
from matplotlib import pyplot as plt

from discreet import Grid, Within, build

matplotlib.use("svg")
matplotlib.rcParams.update(
    {"svg.hashsalt": "discreet", "font.size": 11, "font.family": "sans-serif"}
)
WITH, WITHOUT, EPSILON = 6, 5, "0.5"
TARGET = Path(__file__).parents[1] / "docs" / "images" / "guarantee.svg"


def main() -> None:
    """Write the picture."""
    counts = Grid.between(0, 10)
    mechanism = build("geometric", counts, Within(1), EPSILON)
    chances = {
        answer: [int(row[answer]) / int(mechanism.total) for row in mechanism.weights]
        for answer in (WITH, WITHOUT)
    }
    figure, axes = plt.subplots(figsize=(7.2, 3.4), layout="constrained")
    for shift, answer, colour, label in (
        (-0.2, WITHOUT, "#9ca3af", "she says no: the true count is 5"),
        (0.2, WITH, "#15803d", "she says yes: the true count is 6"),
    ):
        places = [output + shift for output in range(11)]
        axes.bar(places, chances[answer], width=0.38, color=colour, label=label)
    axes.set_xticks(range(11))
    axes.set_xlabel("the count that is told")
    axes.set_ylabel("probability")
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_ylim(0, 0.33)
    axes.legend(frameon=False, loc="upper left")
    most = math.exp(float(EPSILON))
    axes.set_title(
        f"ε = {EPSILON}: no bar is more than {most:.2f} times its neighbour", fontsize=11
    )
    figure.savefig(TARGET, metadata={"Date": None}, facecolor="white")


if __name__ == "__main__":
    main()
