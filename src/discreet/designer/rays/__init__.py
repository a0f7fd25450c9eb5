"""Rays: neighbours within some steps on a line, by column generation."""

from discreet.designer.rays.method import RAYS
from discreet.designer.rays.turnpike import TURNPIKE

__all__ = ["RAYS", "TURNPIKE"]
