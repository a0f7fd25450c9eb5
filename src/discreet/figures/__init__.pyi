"""What the room offers, for type checkers: the names are in `__init__.py`."""

from discreet.figures.comparing import loss_bars
from discreet.figures.curves import Curve, error_curves
from discreet.figures.epsilon import what_epsilon_means
from discreet.figures.groups import Bar, group_bars
from discreet.figures.heat import heat_map
from discreet.figures.lines import DatedAnswer, GroupPanel, fitted_line, line_panels, time_line
from discreet.figures.meter import budget_meter
from discreet.figures.picture import Picture
from discreet.figures.scatter_plot import scatter, word_scatter
from discreet.figures.span import GroupSpread, answer_span, quantile_spreads

__all__ = [
    "Bar",
    "Curve",
    "DatedAnswer",
    "GroupPanel",
    "GroupSpread",
    "Picture",
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
