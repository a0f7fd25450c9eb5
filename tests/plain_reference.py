"""Fast ways against the plain program: the same best loss, certified, with a bound that holds."""

import pytest

from discreet.certifier import Certified, certify
from discreet.designer import Method, Request
from discreet.designer.plain.method import PLAIN
from discreet.designer.request import Finding, absolute_error_of, value_above


def measured(request: Request, finding: Finding) -> float:
    """The value of a finding, measured on its matrix; what the finding says must agree."""
    value = value_above(request, finding.mechanism)
    if finding.value is not None:
        assert finding.value == pytest.approx(value, rel=1e-9, abs=1e-12)
        assert finding.value >= value * (1 - 1e-13)
    if finding.expected_absolute_error is not None:
        error = absolute_error_of(finding.mechanism)
        assert finding.expected_absolute_error == pytest.approx(error, rel=1e-9, abs=1e-12)
    return value


def assert_as_good_as_plain(
    method: Method, request: Request, tolerance: float = 1e-7
) -> tuple[Finding, Certified]:
    """The method suits the request, is certified, and reaches the plain program's optimum."""
    assert method.why_not(request) is None
    finding = method.run(request)
    certified = certify(finding.mechanism, request.epsilon)
    value = measured(request, finding)
    assert finding.lower_bound <= value
    plain = PLAIN.run(request)
    best = value_above(request, plain.mechanism)
    least = 1e-12 * float(request.loss.max())
    assert value <= best * (1 + tolerance) + least, "worse than the plain program"
    assert value >= plain.lower_bound - least, "better than any mechanism can be"
    assert finding.lower_bound <= best + least, "the bound is no bound"
    tight = value - finding.lower_bound <= tolerance * value + least
    # Where the plain program itself proves no more, floats are at their end: no worse than that.
    assert tight or finding.lower_bound >= plain.lower_bound - least, "the bound is loose"
    return finding, certified
