"""Draws for a true answer as JSON values."""

from typing import Any

from discreet.cli.parsing.draws import Draws
from discreet.cli.rendering.description import certificate_facts, mechanism_facts


def document(draws: Draws) -> dict[str, Any]:
    """The draws, with what they were drawn from."""
    return {
        "mechanism": mechanism_facts(draws.certified.mechanism),
        "certificate": certificate_facts(draws.certified),
        "draws": draws.to_dict(),
    }
