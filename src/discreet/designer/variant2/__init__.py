"""Variant 2 of 003: fair and row-monotone mechanisms, by small programs."""

from discreet.designer.variant2.lean import LEAN
from discreet.designer.variant2.method import VARIANT2

__all__ = ["LEAN", "VARIANT2"]
