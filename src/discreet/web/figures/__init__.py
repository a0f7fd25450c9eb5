"""Pictures as SVG text: pure functions of public numbers, each with its message and its table.

Colours come from classes in the style sheet, so that the same picture is light and dark.
"""

from discreet.web.figures.comparing import loss_bars
from discreet.web.figures.curves import Curve, error_curves
from discreet.web.figures.epsilon import what_epsilon_means
from discreet.web.figures.groups import Bar, group_bars
from discreet.web.figures.heat import heat_map
from discreet.web.figures.meter import budget_meter
from discreet.web.figures.picture import Picture
from discreet.web.figures.scatter_plot import scatter, word_scatter
from discreet.web.figures.span import answer_span

__all__ = [
    "Bar",
    "Curve",
    "Picture",
    "answer_span",
    "budget_meter",
    "error_curves",
    "group_bars",
    "heat_map",
    "loss_bars",
    "scatter",
    "what_epsilon_means",
    "word_scatter",
]
