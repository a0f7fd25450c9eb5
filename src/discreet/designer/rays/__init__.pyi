"""What the room offers, for type checkers: the names are in `__init__.py`."""

from discreet.designer.rays.method import RAYS
from discreet.designer.rays.turnpike import TURNPIKE
from discreet.designer.rays.worst_case import WORST_CASE

__all__ = ["RAYS", "TURNPIKE", "WORST_CASE"]
