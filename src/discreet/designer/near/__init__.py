"""Cells near the diagonal: what is far from it is zero or tied, and the bound is for all cells."""

from discreet.designer.near.required import NEAR_REQUIRED
from discreet.designer.near.with_delta import NEAR_DELTA

__all__ = ["NEAR_DELTA", "NEAR_REQUIRED"]
