"""Pictures of mechanisms: matplotlib is imported only when one is drawn."""

from discreet.plots.comparison import comparison_picture
from discreet.plots.curves import curves_picture
from discreet.plots.heatmap import heat_map
from discreet.plots.saving import save_picture, suffix_of

__all__ = [
    "comparison_picture",
    "curves_picture",
    "heat_map",
    "save_picture",
    "suffix_of",
]
