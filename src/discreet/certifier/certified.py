"""Certificates, and the one kind of thing that may be drawn from."""

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from discreet.errors import MechanismError
from discreet.model import Guarantee, Mechanism


class Provable(Protocol):
    """What a certificate can be about: whatever has a digest of all that defines it."""

    @property
    def digest(self) -> str:
        """SHA-256 of what defines the mechanism."""


P = TypeVar("P", bound=Provable)
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
    def digest(self) -> str:
        """SHA-256 of the certificate's content."""
        return hashlib.sha256(json.dumps(self.to_dict(), sort_keys=True).encode()).hexdigest()


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
            raise MechanismError("a mechanism is certified by discreet.certify, and only there")
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
