"""Designs kept on disk: what a file holds, and the shelf they stand on."""

from discreet.designer.cache.shelf import Cache

__all__ = ["Cache"]
