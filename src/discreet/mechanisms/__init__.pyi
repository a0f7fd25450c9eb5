"""What the room offers, for type checkers: the names are in `__init__.py`."""

from discreet.mechanisms.catalogue import FAMILIES, Family, FamilyOption, build
from discreet.mechanisms.discretisation import (
    Density,
    Noise,
    category_masses,
    density_of,
    discretised,
    snapped,
    snapped_density,
)
from discreet.mechanisms.families.exponential import ExponentialMechanism, exponential
from discreet.mechanisms.families.fair import explicit_fair, randomized_response
from discreet.mechanisms.families.laplace import (
    GeometricMechanism,
    LaplaceMechanism,
    geometric,
    laplace,
    laplace_accuracy,
    normalized_laplace,
)
from discreet.mechanisms.families.noisy_max import NoisyMaxMechanism, noisy_max
from discreet.mechanisms.families.permute_and_flip import PermuteAndFlipMechanism, permute_and_flip
from discreet.mechanisms.families.smooth_sensitivity import (
    SmoothSensitivityMechanism,
    databases,
    smooth_sensitivity,
)
from discreet.mechanisms.families.staircase import StaircaseMechanism, staircase
from discreet.mechanisms.families.uniform import uniform
from discreet.mechanisms.smooth_bounds import SmoothBound, smooth_bound

__all__ = [
    "FAMILIES",
    "Density",
    "ExponentialMechanism",
    "Family",
    "FamilyOption",
    "GeometricMechanism",
    "LaplaceMechanism",
    "Noise",
    "NoisyMaxMechanism",
    "PermuteAndFlipMechanism",
    "SmoothBound",
    "SmoothSensitivityMechanism",
    "StaircaseMechanism",
    "build",
    "category_masses",
    "databases",
    "density_of",
    "discretised",
    "explicit_fair",
    "exponential",
    "geometric",
    "laplace",
    "laplace_accuracy",
    "noisy_max",
    "normalized_laplace",
    "permute_and_flip",
    "randomized_response",
    "smooth_bound",
    "smooth_sensitivity",
    "snapped",
    "snapped_density",
    "staircase",
    "uniform",
]
