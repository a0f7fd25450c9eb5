"""Moments of all groups where a row that changes leaves one and enters another: one noise for all.

M(z) is the sum over groups of each group's box, and the noise of the counts cancels: one row moves
it by two boxes (docs/proofs/moments-together.md).
"""

from dataclasses import dataclass
from fractions import Fraction

from discreet.certifier import Certified
from discreet.certifier.gauges import certify_gauge
from discreet.exact import Epsilon
from discreet.joint.moments import MomentShape, drawn, kept
from discreet.model import Relation
from discreet.model.gauges import Form, GaugeNoise
from discreet.sampling.laplace import can_be_drawn


@dataclass(frozen=True)
class GroupedMoments:
    """One noise for the moments of several groups.

    Where not every row is in a group, the number of the others is one more cell, which nobody is
    told.
    """

    shape: MomentShape
    """The box of one group; its first coordinate is the count."""
    groups: int
    rest: bool
    """Whether some rows may be in no group, or their number is not public."""
    certified: Certified[GaugeNoise]

    @classmethod
    def of(
        cls,
        shape: MomentShape,
        groups: int,
        epsilon: Epsilon,
        *,
        rest: bool,
        rate: Fraction,
        rows_per_unit: int = 1,
    ) -> "GroupedMoments":
        """The noise of a rate at most ε over all that a person can do, certified."""
        each = len(shape.reaches)
        width = 2 * rows_per_unit * shape.width(Relation.ADD_OR_REMOVE)
        last = ((groups * each, shape.joint * shape.top),)
        summands = [
            tuple(_moved(form, group * each) for form in shape.forms()) for group in range(groups)
        ]
        rows = [_moved(row, group * each) for group in range(groups) for row in shape.rows() if row]
        counts: list[tuple[int, int]] = [(group * each, 1) for group in range(groups)]
        if rest:
            summands.append((last, ((groups * each, -shape.joint * shape.top),)))
            rows.append(((groups * each, 1),))
            counts.append((groups * each, 1))
        noise = GaugeNoise(
            dimension=groups * each + rest,
            summands=tuple(summands),
            equations=(tuple(counts),),
            row=(tuple(rows),),
            relation=Relation.CHANGE,
            width=width,
            rows_per_unit=rows_per_unit,
            rate=rate / width,
        )
        return cls(shape, groups, rest, certify_gauge(noise, epsilon))

    @property
    def rate(self) -> Fraction:
        """What one step of the gauge costs."""
        return self.certified.mechanism.rate

    @property
    def drawable(self) -> bool:
        """Whether it can be drawn."""
        return can_be_drawn(self.rate / len(self.shape.reaches))

    def draw(self) -> list[tuple[int, ...]]:
        """One noise for all groups, whose counts cancel (with those of the rest)."""
        free = self.groups if self.rest else self.groups - 1
        while True:
            noise = [drawn(self.shape, self.rate) for _ in range(free)]
            count = -sum(one[0] for one in noise)
            if self.rest:
                if kept(self.rate, self.shape.joint * self.shape.top * abs(count)):
                    return noise
                continue
            others = _with_count(self.shape, self.rate, count)
            if others is not None:
                return [*noise, (count, *others)]


def _with_count(shape: MomentShape, rate: Fraction, count: int) -> tuple[int, ...] | None:
    """The other coordinates beside this count; None where the coin decides against it.

    Drawn as if the count were 0, they are kept with probability e^(−rate·(what the count adds)).
    """
    inner = MomentShape(
        reaches=shape.reaches[1:],
        alone=(0,) * len(shape.alone[1:]),
        joint=shape.joint,
        counted=False,
        levels=shape.levels,
    )
    others = drawn(inner, rate)
    more = shape.joint * shape.top * abs(count) - inner.gauge(others)
    return others if kept(rate, more) else None


def _moved(form: Form, by: int) -> Form:
    return tuple((place + by, entry) for place, entry in form)
