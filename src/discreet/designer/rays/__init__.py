"""Rays: neighbours within some steps on a line, by column generation."""

from discreet.on_demand import face

__all__, __getattr__, __dir__ = face(
    __name__,
    {
        "method": "RAYS",
        "turnpike": "TURNPIKE",
        "worst_case": "WORST_CASE",
    },
)
