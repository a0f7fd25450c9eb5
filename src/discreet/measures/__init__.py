"""Losses, Bayes remap, properties, error quantiles, test bounds, information: what a matrix is.

Each is a function of a mechanism. Properties, total variation and error quantiles are decided
exactly; losses and information are floats.
"""

from discreet.measures.information import min_entropy_leakage, mutual_information
from discreet.measures.losses import (
    bayes_absolute_error,
    bayes_loss,
    bayes_remap,
    bayes_squared_error,
    error_quantile,
    error_quantiles,
    expected_absolute_error,
    expected_loss,
    expected_squared_error,
    loss_by_answer,
    worst_case_loss,
    worst_error_quantile,
    worst_error_quantiles,
)
from discreet.measures.property_checks import Properties, PropertyVerdict, properties
from discreet.measures.summary import ErrorQuantile, Losses, Measures, measure
from discreet.measures.testing import TestingBounds, testing_bounds, total_variation

__all__ = [
    "ErrorQuantile",
    "Losses",
    "Measures",
    "Properties",
    "PropertyVerdict",
    "TestingBounds",
    "bayes_absolute_error",
    "bayes_loss",
    "bayes_remap",
    "bayes_squared_error",
    "error_quantile",
    "error_quantiles",
    "expected_absolute_error",
    "expected_loss",
    "expected_squared_error",
    "loss_by_answer",
    "measure",
    "min_entropy_leakage",
    "mutual_information",
    "properties",
    "testing_bounds",
    "total_variation",
    "worst_case_loss",
    "worst_error_quantile",
    "worst_error_quantiles",
]
