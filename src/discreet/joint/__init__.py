"""Many answers from one charge: gauge noise, its exact draws and its laws."""

from discreet.joint.cells import CellNoise
from discreet.joint.counts import CountNoise
from discreet.joint.radius import Radius

__all__ = ["CellNoise", "CountNoise", "Radius"]
