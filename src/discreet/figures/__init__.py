"""Pictures as SVG text: pure functions of public numbers, each with its message and its table.

Colours come from classes in the style sheet, so that the same picture is light and dark.
"""

from discreet.figures.comparing import loss_bars
from discreet.figures.curves import Curve, error_curves
from discreet.figures.epsilon import what_epsilon_means
from discreet.figures.groups import Bar, group_bars
from discreet.figures.heat import heat_map
from discreet.figures.lines import Moment, Panel, fitted_line, line_panels, time_line
from discreet.figures.meter import budget_meter
from discreet.figures.picture import Picture
from discreet.figures.scatter_plot import scatter, word_scatter
from discreet.figures.span import Spread, answer_span, quantile_spreads

__all__ = [
    "Bar",
    "Curve",
    "Moment",
    "Panel",
    "Picture",
    "Spread",
    "answer_span",
    "budget_meter",
    "error_curves",
    "fitted_line",
    "group_bars",
    "heat_map",
    "line_panels",
    "loss_bars",
    "quantile_spreads",
    "scatter",
    "time_line",
    "what_epsilon_means",
    "word_scatter",
]
