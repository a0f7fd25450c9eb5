"""The certificates of draws that several answers share, checked again from a charge's entry.

They were proved when they were made; here what the entry says of them is held against what was
charged (docs/proofs/gauge-noise.md).
"""

from fractions import Fraction
from typing import Any

from discreet.errors import EpsilonError
from discreet.exact import Epsilon

_DIGITS = frozenset("0123456789abcdef")
_BILLION = 10**9


def joint_problems(together: Any, charged: int) -> list[str]:
    """What is wrong with the certificates of a charge of so many billionths.

    >>> joint_problems([{"parts": [0], "epsilon": "2", "body": None}], 10**9)
    ['shared draws cost 2,000,000,000 billionths, more than the 1,000,000,000 charged']
    """
    if not isinstance(together, list):
        return ["what was drawn together cannot be read"]
    problems, spent = list[str](), 0
    for one in together:
        try:
            cost = Epsilon.of(one["epsilon"]).billionths
            problems += _problems(one, cost)
        except (KeyError, TypeError, ValueError, ZeroDivisionError, EpsilonError):
            return [*problems, "what was drawn together cannot be read"]
        spent += cost
    if spent > charged:
        problems.append(
            f"shared draws cost {spent:,} billionths, more than the {charged:,} charged"
        )
    return problems


def _problems(one: dict[str, Any], cost: int) -> list[str]:
    problems = [] if one["parts"] else ["a shared draw belongs to no answer"]
    body = one["body"]
    if body is None:
        return problems
    width, rate = body["width"], Fraction(body["rate"])
    if width <= 0 or rate <= 0 or width * rate * _BILLION > cost:
        problems.append(f"{width} steps of {rate} do not match a cost of {cost:,} billionths")
    if len(one["certificate"]) != 64 or set(one["certificate"]) - _DIGITS:
        problems.append("a shared draw has no certificate")
    return problems
