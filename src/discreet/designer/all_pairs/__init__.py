"""All pairs: one record can lead anywhere; in closed form, and mixtures of closed forms."""

from discreet.designer.all_pairs.method import ALL_PAIRS
from discreet.designer.all_pairs.worst_case import WORST_OF_ALL_PAIRS

__all__ = ["ALL_PAIRS", "WORST_OF_ALL_PAIRS"]
