"""All pairs: one record can lead anywhere, in closed form."""

from discreet.designer.all_pairs.method import ALL_PAIRS

__all__ = ["ALL_PAIRS"]
