"""Many answers from one charge: gauge noise, its exact draws and its laws."""

from discreet.joint.cells import CellNoise

__all__ = ["CellNoise"]
