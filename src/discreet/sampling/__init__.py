"""Exact draws: certified mechanism + random bits → output."""

from discreet.sampling.draw import draw, draw_many

__all__ = ["draw", "draw_many"]
