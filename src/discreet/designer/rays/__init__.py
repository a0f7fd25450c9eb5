"""Rays: neighbours within some steps on a line, by column generation."""

from discreet.designer.rays.method import RAYS
from discreet.designer.rays.turnpike import TURNPIKE
from discreet.designer.rays.worst_case import WORST_CASE

__all__ = ["RAYS", "TURNPIKE", "WORST_CASE"]
