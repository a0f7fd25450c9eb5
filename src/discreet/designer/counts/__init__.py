"""Counts: neighbours one step apart, in closed form."""

from discreet.designer.counts.method import COUNTS

__all__ = ["COUNTS"]
