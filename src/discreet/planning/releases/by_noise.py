"""What all answers have in common that are told from one noise on sums."""

from discreet.joint.moment_mechanism import MomentMechanism


class ByNoise:
    """Told by a mechanism: its certificate, and whether groups share it, are those of the noise."""

    mechanism: MomentMechanism

    @property
    def bytes(self) -> int:
        """About how much memory it takes: most of it is the law of the noise."""
        return self.mechanism.bytes

    @property
    def together(self) -> bool:
        """Whether all groups share one noise."""
        return self.mechanism.together

    @property
    def certificate(self) -> str | None:
        """The digest of the certificate of the noise."""
        return self.mechanism.certificate

    @property
    def drawable(self) -> bool:
        """Whether the noise can be drawn."""
        return self.mechanism.drawable
