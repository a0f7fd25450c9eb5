"""Variant 2 of 003: fair and row-monotone mechanisms, by small programs."""
