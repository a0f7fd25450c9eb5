"""Certificates, and the only door to a mechanism that may be drawn from."""

import hashlib
import json
from dataclasses import dataclass
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction
from typing import Any

from discreet.certifier.approximate import smallest_delta
from discreet.certifier.columns import check_columns, with_own_cells
from discreet.certifier.cover import uncovered_answer
from discreet.certifier.pure import breaks_a_ratio, worst_witness
from discreet.certifier.rays import check_ray_columns, ray_fault
from discreet.errors import MechanismError, NotCertified
from discreet.exact import EpsilonLike, RationalLike
from discreet.model import Guarantee, Mechanism, RayMechanism
from discreet.model.ray_mechanism import MOST_CELLS

_BY_CERTIFY = object()


@dataclass(frozen=True)
class Certificate:
    """What was checked of which mechanism: enough for anyone to check it again."""

    mechanism_digest: str
    guarantee: Guarantee
    ratio: Fraction
    """The rational p/q ≤ e^ε that every ratio was compared with."""
    covers_answers: bool
    """R.2: whether the outputs' categories hold every true answer."""

    def to_dict(self) -> dict[str, Any]:
        """The certificate as plain JSON values."""
        return {
            "mechanism": self.mechanism_digest,
            "epsilon": str(self.guarantee.epsilon),
            "delta": str(self.guarantee.delta),
            "ratio": str(self.ratio),
            "covers_answers": self.covers_answers,
        }

    @property
    def digest(self) -> str:
        """SHA-256 of the certificate's content."""
        return hashlib.sha256(json.dumps(self.to_dict(), sort_keys=True).encode()).hexdigest()


class Certified:
    """A mechanism with its certificate. Only `certify` makes one.

    Sent to another process, it is certified there again: a proof is not taken on trust.
    """

    __slots__ = ("certificate", "mechanism")

    mechanism: Mechanism
    certificate: Certificate

    def __init__(self, mechanism: Mechanism, certificate: Certificate, by: object = None) -> None:
        if by is not _BY_CERTIFY:
            raise MechanismError("a mechanism is certified by discreet.certify, and only there")
        object.__setattr__(self, "mechanism", mechanism)
        object.__setattr__(self, "certificate", certificate)

    def __init_subclass__(cls) -> None:
        raise TypeError("nothing else can call itself certified")

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("a certified mechanism cannot be changed")

    def __delattr__(self, name: str) -> None:
        raise AttributeError("a certified mechanism cannot be changed")

    def __reduce__(self) -> tuple[Any, ...]:
        return certify, (self.mechanism, self.guarantee.epsilon, self.guarantee.delta)

    @property
    def guarantee(self) -> Guarantee:
        """The promise that was proved."""
        return self.certificate.guarantee

    def __repr__(self) -> str:
        return f"Certified({self.mechanism!r}, {self.guarantee})"


def certify(mechanism: Mechanism, epsilon: EpsilonLike, delta: RationalLike = 0) -> Certified:
    """Prove the promise in integers, or raise NotCertified with the worst witness.

    >>> from discreet.model import AllPairs, Labels
    >>> coins = Labels.of(["no", "yes"])
    >>> flip = Mechanism.of(coins, coins, AllPairs(), [[3, 1], [1, 3]])
    >>> certify(flip, "log 3").guarantee.epsilon
    Epsilon('log 3')
    >>> certify(flip, "1.09")
    Traceback (most recent call last):
    discreet.errors.NotCertified: not private at ε = 1.09: output no is 3 times as likely under \
no as under yes, at most 2.97427 is allowed
    """
    promise = Guarantee.of(epsilon, delta)
    ratio = promise.epsilon.ratio_below
    mechanism = with_own_cells(mechanism)
    if type(mechanism) is RayMechanism:
        check_ray_columns(mechanism)
        fault = ray_fault(mechanism, ratio)
        if fault is None:
            return _certified(mechanism, promise, ratio)
        if mechanism.shape[0] * mechanism.shape[1] > MOST_CELLS:
            raise NotCertified(f"not private at {promise}: {fault}")
    check_columns(mechanism)
    if promise.delta == 0:
        _check_pure(mechanism, promise, ratio)
    else:
        _check_approximate(mechanism, promise)
    return _certified(mechanism, promise, ratio)


def _certified(mechanism: Mechanism, promise: Guarantee, ratio: Fraction) -> Certified:
    certificate = Certificate(
        mechanism.digest, promise, ratio, covers_answers=uncovered_answer(mechanism) is None
    )
    return Certified(mechanism, certificate, by=_BY_CERTIFY)


def _check_pure(mechanism: Mechanism, promise: Guarantee, ratio: Fraction) -> None:
    if not breaks_a_ratio(mechanism, ratio):
        return
    witness = worst_witness(mechanism)
    assert witness is not None
    output = mechanism.outputs.value(witness.output)
    likelier, rarer = (mechanism.answers.value(j) for j in (witness.likelier, witness.rarer))
    if witness.ratio is None:
        raise NotCertified(
            f"not private at {promise}: output {output} is possible under {likelier} and "
            f"impossible under {rarer}; no finite ε allows that"
        )
    raise NotCertified(
        f"not private at {promise}: output {output} is {_times(witness.ratio)} times as likely "
        f"under {likelier} as under {rarer}, {_allowed(witness.ratio, ratio)}"
    )


def _check_approximate(mechanism: Mechanism, promise: Guarantee) -> None:
    needed = smallest_delta(mechanism, promise.epsilon)
    if needed.high <= promise.delta:
        return
    assert needed.likelier is not None
    assert needed.rarer is not None
    likelier, rarer = (mechanism.answers.value(j) for j in (needed.likelier, needed.rarer))
    raise NotCertified(
        f"not private at {promise}: answers {likelier} and {rarer} need δ = "
        f"{_rounded_up(needed.high)}; ask for that δ or a larger ε"
    )


def _allowed(found: Fraction, ratio: Fraction) -> str:
    text = f"at most {float(ratio):.6g} is allowed"
    excess = found / ratio - 1
    return (
        text if excess > Fraction(1, 10**5) else f"{text} (exceeded by {float(excess):.1e} of it)"
    )


def _rounded_up(number: Fraction) -> Decimal:
    """Six digits that are not below the number, so that what a message suggests will do."""
    upward = Context(prec=6, rounding=ROUND_CEILING)
    return upward.divide(Decimal(number.numerator), Decimal(number.denominator))


def _times(ratio: Fraction) -> str:
    if ratio.denominator == 1 and ratio < 10**6:
        return str(ratio)
    try:
        return f"{float(ratio):.6g}"
    except OverflowError:
        return f"more than 2^{(ratio.numerator // ratio.denominator).bit_length() - 1}"
