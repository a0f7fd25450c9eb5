"""Stored releases serve later questions: what is a part of one costs nothing
(docs/proofs/stored-releases.md)."""

from discreet.curator.stored.serving import StoredPart, StoredReleases, find_part, tells

__all__ = ["StoredPart", "StoredReleases", "find_part", "tells"]
