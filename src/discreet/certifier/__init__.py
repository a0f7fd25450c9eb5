"""The independent exact checker: R.1–R.3 of paper 003, decided by comparing integers.

It shares no code with what makes matrices, and believes nothing they say.
"""

from discreet.certifier.approximate import DeltaBounds, smallest_delta
from discreet.certifier.by_distance import certify_by_distance
from discreet.certifier.certified import Certificate, Certified, certify
from discreet.certifier.conditions import TightEpsilon, Witness, tight_epsilon, uncovered_answer
from discreet.certifier.layers import certify_layers

__all__ = [
    "Certificate",
    "Certified",
    "DeltaBounds",
    "TightEpsilon",
    "Witness",
    "certify",
    "certify_by_distance",
    "certify_layers",
    "smallest_delta",
    "tight_epsilon",
    "uncovered_answer",
]
