"""The certifier beside the same comparisons in plain Python."""

from collections.abc import Iterator
from fractions import Fraction

from benchmarks.timing import Row, beside
from discreet.certifier import certify
from discreet.exact import Epsilon
from discreet.mechanisms.catalogue import build
from discreet.model import Grid, Within


def rows() -> Iterator[Row]:
    """A certificate for a matrix of 501 by 501, neighbours one step or fifty steps apart."""
    epsilon = Epsilon.of("0.5")
    for steps in (1, 50):
        space = Grid.between(0, 500)
        mechanism = build("geometric", space, Within(steps), epsilon)
        weights = mechanism.weights.tolist()
        yield beside(
            f"certify 501 × 501, neighbours within {steps}",
            lambda made=mechanism: certify(made, epsilon),  # type: ignore[misc]
            lambda rows=weights, reach=steps: _plain(rows, reach, epsilon.ratio_below),  # type: ignore[misc]
            peer="plain Python", rounds=3 if steps == 1 else 1, within=1.0,
        )  # fmt: skip


def _plain(rows: list[list[int]], steps: int, ratio: Fraction) -> bool:
    p, q = ratio.numerator, ratio.denominator
    for row in rows:
        for j, one in enumerate(row):
            for other in row[j + 1 : j + 1 + steps]:
                if one * q > p * other or other * q > p * one:
                    return False
    return True
