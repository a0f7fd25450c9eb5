"""A file for each classic family of mechanisms and its variants: citation, proof and accuracy.

A family gives an uncertified integer matrix; `discreet.certify` has the last word. Families with
infinite support, and those that choose among any scores, also have a class that draws exactly.
"""

from discreet.on_demand import face

__all__, __getattr__, __dir__ = face(
    __name__,
    {
        "catalogue": "FAMILIES Family FamilyOption build",
        "discretisation": "Density Noise category_masses density_of discretised snapped "
        "snapped_density",
        "families.exponential": "ExponentialMechanism exponential",
        "families.fair": "explicit_fair randomized_response",
        "families.laplace": "GeometricMechanism LaplaceMechanism geometric laplace "
        "laplace_accuracy normalized_laplace",
        "families.noisy_max": "NoisyMaxMechanism noisy_max",
        "families.permute_and_flip": "PermuteAndFlipMechanism permute_and_flip",
        "families.smooth_sensitivity": "SmoothSensitivityMechanism databases smooth_sensitivity",
        "families.staircase": "StaircaseMechanism staircase",
        "families.uniform": "uniform",
        "smooth_bounds": "SmoothBound smooth_bound",
    },
)
