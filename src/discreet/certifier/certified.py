"""Certificates, the one kind of thing that may be drawn from, and the door to it."""

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from discreet.certifier.approximate import smallest_delta
from discreet.certifier.conditions import (
    breaks_a_ratio,
    check_columns,
    uncovered_answer,
    with_own_cells,
    worst_witness,
)
from discreet.certifier.rays import check_ray_columns, ray_fault
from discreet.errors import MechanismError, NotCertified
from discreet.exact import EpsilonLike, RationalLike
from discreet.model import Guarantee, Mechanism, RayMechanism
from discreet.model.ray_mechanism import MOST_CELLS


class Provable(Protocol):
    """What a certificate can be about: whatever has a digest of all that defines it."""

    @property
    def digest(self) -> str:
        """SHA-256 of what defines the mechanism."""


P = TypeVar("P", bound=Provable)
F = TypeVar("F", bound=Mechanism)
if TYPE_CHECKING:
    from typing_extensions import TypeVar as TypeVarWithDefault

    M_co = TypeVarWithDefault("M_co", bound=Provable, covariant=True, default=Mechanism)
else:
    M_co = TypeVar("M_co", bound=Provable, covariant=True)
_BY_CERTIFIER = object()


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
    def text(self) -> str:
        """The certificate's content, as it is hashed."""
        return json.dumps(self.to_dict(), sort_keys=True)

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the certificate's content."""
        return hashlib.sha256(self.text.encode()).hexdigest()


class Certified(Generic[M_co]):
    """A mechanism of any form with its certificate. Only the certifier makes one.

    Sent to another process, it is certified there again: a proof is not taken on trust.
    """

    __slots__ = ("_certify", "certificate", "mechanism")

    mechanism: M_co
    certificate: Certificate
    _certify: "Callable[..., Certified[M_co]]"

    def __init__(
        self,
        mechanism: M_co,
        certificate: Certificate,
        again: "Callable[..., Certified[M_co]] | None" = None,
        by: object = None,
    ) -> None:
        if by is not _BY_CERTIFIER:
            raise MechanismError("a mechanism can be certified only by discreet.certify")
        object.__setattr__(self, "mechanism", mechanism)
        object.__setattr__(self, "certificate", certificate)
        object.__setattr__(self, "_certify", again)

    def __init_subclass__(cls) -> None:
        raise TypeError("nothing else can call itself certified")

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("a certified mechanism cannot be changed")

    def __delattr__(self, name: str) -> None:
        raise AttributeError("a certified mechanism cannot be changed")

    def __reduce__(self) -> tuple[Any, ...]:
        promise = self.guarantee
        delta = (promise.delta,) if promise.delta else ()
        return self._certify, (self.mechanism, promise.epsilon, *delta)

    @property
    def guarantee(self) -> Guarantee:
        """The promise that was proved."""
        return self.certificate.guarantee

    def __repr__(self) -> str:
        return f"Certified({self.mechanism!r}, {self.guarantee})"


def _seal(
    mechanism: P,
    promise: Guarantee,
    *,
    covers_answers: bool,
    again: Callable[..., Certified[P]],
) -> Certified[P]:
    """The seal, for the modules of this room alone, when all comparisons have been made.

    `again` makes them once more, wherever the mechanism is sent to.
    """
    certificate = Certificate(
        mechanism.digest, promise, promise.epsilon.ratio_below, covers_answers=covers_answers
    )
    return Certified(mechanism, certificate, again, by=_BY_CERTIFIER)


def certify(mechanism: F, epsilon: EpsilonLike, delta: RationalLike = 0) -> Certified[F]:
    """Prove the promise in integers, or raise NotCertified with the worst witness.

    Args:
        mechanism: The matrix, or its description by rays.
        epsilon: ε of the promise, such as `1`, `"0.5"` or `"log 3"`.
        delta: δ of the promise; 0 is pure ε.

    Returns:
        The mechanism with its certificate: the only thing that can be drawn from.

    Raises:
        NotCertified: The promise is broken; the message names an output and two neighbouring
            answers that break it.
        MechanismError: This is not a mechanism, or not one made by `Mechanism.of`.
        EpsilonError: ε is not a positive number.

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
    mechanism = with_own_cells(mechanism)
    if not (isinstance(mechanism, RayMechanism) and _rays_keep(mechanism, promise)):
        _check_matrix(mechanism, promise)
    covers = uncovered_answer(mechanism) is None
    return _seal(mechanism, promise, covers_answers=covers, again=certify)


def _rays_keep(mechanism: RayMechanism, promise: Guarantee) -> bool:
    """Whether the rays alone show it; if not, the matrix decides while it can be written out."""
    check_ray_columns(mechanism)
    fault = ray_fault(mechanism, promise.epsilon.ratio_below)
    if fault is not None and mechanism.shape[0] * mechanism.shape[1] > MOST_CELLS:
        raise NotCertified(f"not private at {promise}: {fault}")
    return fault is None


def _check_matrix(mechanism: Mechanism, promise: Guarantee) -> None:
    check_columns(mechanism)
    if promise.delta == 0:
        _check_pure(mechanism, promise, promise.epsilon.ratio_below)
    else:
        _check_approximate(mechanism, promise)


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
            f"impossible under {rarer}; no finite ε allows that",
            output=output,
            answers=(likelier, rarer),
        )
    raise NotCertified(
        f"not private at {promise}: output {output} is {_times(witness.ratio)} times as likely "
        f"under {likelier} as under {rarer}, {_allowed(witness.ratio, ratio)}",
        output=output,
        answers=(likelier, rarer),
        ratio=witness.ratio,
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
        f"{_rounded_up(needed.high)}; ask for that δ or a larger ε",
        answers=(likelier, rarer),
    )


def _allowed(reached: Fraction, ratio: Fraction) -> str:
    text = f"at most {float(ratio):.6g} is allowed"
    excess = reached / ratio - 1
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
