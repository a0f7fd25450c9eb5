"""An audit holds the certificates of shared draws against what was charged."""

import pytest

from discreet.budget import Ledger, Single
from discreet.budget.verify import joint_problems
from discreet.exact import Epsilon

BODY = {
    "gauge": "max |z|",
    "dimension": 2,
    "relation": "change",
    "rows_per_unit": 1,
    "width": 3,
    "rate": "1/6",
}
GOOD = {"parts": [0, 2], "epsilon": "0.5", "certificate": 64 * "0", "body": BODY}


def test_a_sound_certificate_has_no_problems():
    chosen = {"parts": [1], "epsilon": "log 3", "certificate": None, "body": None}
    assert joint_problems([GOOD, chosen, GOOD], 3 * 10**9) == []
    assert joint_problems([], 0) == []


@pytest.mark.parametrize(
    ("spoilt", "problem"),
    [
        ({"body": BODY | {"width": 4}}, "4 steps of 1/6 do not match a cost of 500,000,000"),
        ({"body": BODY | {"rate": "500000001/3000000000"}}, "do not match"),
        ({"body": BODY | {"rate": "0"}}, "do not match"),
        ({"body": BODY | {"rate": "1/0"}}, "cannot be read"),
        ({"body": BODY | {"width": "1"}}, "cannot be read"),
        ({"certificate": "none"}, "no certificate"),
        ({"certificate": None}, "cannot be read"),
        ({"epsilon": "much"}, "cannot be read"),
        ({"parts": []}, "belongs to no answer"),
    ],
)
def test_what_does_not_fit_is_told(spoilt, problem):
    (found,) = joint_problems([GOOD | spoilt], 500_000_000)
    assert problem in found


def test_shared_draws_cost_no_more_than_was_charged():
    assert joint_problems([GOOD], 499_999_999)
    assert joint_problems([GOOD, GOOD], 10**9) == []
    assert joint_problems({"a": 1}, 1) == ["what was drawn together cannot be read"]


def test_the_audit_of_a_ledger_finds_it(tmp_path):
    half = Single.of(Epsilon.of("0.5"))
    with Ledger.create(tmp_path / "survey.ledger", "2") as ledger:
        ledger.charge("good", half, analyst="ana", facts={"together": [GOOD]})
        assert ledger.audit().clean
        ledger.charge("bad", half, analyst="ana", facts={"together": [GOOD, GOOD]})
        (problem,) = ledger.audit().problems
        assert "shared draws cost 1,000,000,000 billionths" in problem
