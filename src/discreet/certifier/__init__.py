"""The independent exact checker: R.1–R.3 of paper 003, decided by comparing integers.

It shares no code with what makes matrices, and believes nothing they say.
"""

from discreet.certifier.approximate import DeltaBounds, smallest_delta
from discreet.certifier.certified import Certificate, Certified, certify
from discreet.certifier.columns import uncovered_answer
from discreet.certifier.layers import certify_layers
from discreet.certifier.pure import TightEpsilon, Witness, tight_epsilon

__all__ = [
    "Certificate",
    "Certified",
    "DeltaBounds",
    "TightEpsilon",
    "Witness",
    "certify",
    "certify_layers",
    "smallest_delta",
    "tight_epsilon",
    "uncovered_answer",
]
