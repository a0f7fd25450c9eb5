"""Pictures as SVG text: pure functions of public numbers, each with its message and its table.

Colours come from classes in the style sheet, so that the same picture is light and dark.
"""

from discreet.on_demand import face

__all__, __getattr__, __dir__ = face(
    __name__,
    {
        "comparing": "loss_bars",
        "curves": "Curve error_curves",
        "epsilon": "what_epsilon_means",
        "groups": "Bar group_bars",
        "heat": "heat_map",
        "lines": "DatedAnswer GroupPanel fitted_line line_panels time_line",
        "meter": "budget_meter",
        "picture": "Picture",
        "scatter_plot": "scatter word_scatter",
        "span": "GroupSpread answer_span quantile_spreads",
    },
)
