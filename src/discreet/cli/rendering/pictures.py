"""Saving the pictures that --plot asks for."""

from discreet.model import Mechanism
from discreet.plots import heat_map, save_picture, suffix_of


def save_heat_map(mechanism: Mechanism, path: str, title: str | None = None) -> str:
    """Save the matrix as a heat map; the path, for the reply."""
    suffix_of(path)
    return str(save_picture(heat_map(mechanism, title=title), path))
