"""Random mechanisms kept as rays, and what they mean, slowly."""

from fractions import Fraction

from hypothesis import strategies as st

from discreet.model import AllPairs, Grid, RayBlocks, RayMechanism, Within


@st.composite
def ray_mechanisms(draw: st.DrawFn, kind: str = "any") -> RayMechanism:
    """Any rays that fit under the total; "fair" ladders fall by no more than a half."""
    size, outputs = draw(st.integers(1, 14)), draw(st.integers(1, 14))
    neighbours = draw(st.one_of(st.builds(Within, st.integers(1, 6)), st.just(AllPairs())))
    steps = (
        min(neighbours.steps, max(1, size - 1))
        if isinstance(neighbours, Within)
        else max(1, size - 1)
    )
    most = -(-(size - 1) // steps) + 1
    ladders = [
        _ladder(draw, draw(st.integers(1, most)), kind) for _ in range(draw(st.integers(1, 3)))
    ]
    longest = max(map(len, ladders))
    ladders = [ladder + [ladder[-1]] * (longest - len(ladder)) for ladder in ladders]
    rows = [_block(draw, size, outputs, len(ladders)) for _ in range(draw(st.integers(0, 6)))]
    names = ("first", "length", "count", "ladder", "output", "stride")
    columns = zip(*rows, strict=True) if rows else [[]] * 6
    blocks = RayBlocks.of(
        **{name: list(column) for name, column in zip(names, columns, strict=True)}
    )
    total = max(1, sum(row[2] * ladders[row[3]][0] for row in rows)) + draw(st.integers(0, 1000))
    return RayMechanism.of(
        Grid(Fraction(0), Fraction(1), size), Grid(Fraction(0), Fraction(1), outputs), neighbours,
        ladders, blocks, spare_output=draw(st.integers(0, outputs - 1)), total=min(total, 2**62),
    )  # fmt: skip


def _ladder(draw: st.DrawFn, rungs: int, kind: str) -> list[int]:
    top = draw(st.one_of(st.integers(1, 20), st.integers(1, 2**55)))
    ladder = [top]
    while len(ladder) < rungs:
        lowest = -(-ladder[-1] // 2) if kind == "fair" else 0
        ladder.append(draw(st.integers(lowest, ladder[-1])))
    return ladder


def _block(draw: st.DrawFn, size: int, outputs: int, ladders: int) -> tuple[int, ...]:
    count = draw(st.integers(1, size))
    length = draw(st.integers(1, size - count + 1))
    first = draw(st.integers(0, size - count - length + 1))
    stride = draw(st.integers(0, (outputs - 1) // (count - 1) if count > 1 else 1))
    output = draw(st.integers(0, outputs - 1 - (count - 1) * stride))
    return first, length, count, draw(st.integers(0, ladders - 1)), output, stride


def slow_weights(rays: RayMechanism) -> list[list[int]]:
    """The matrix by the definition, one ray and one cell at a time."""
    size = len(rays.answers)
    matrix = [[0] * size for _ in range(len(rays.outputs))]
    for first, length, count, ladder, output, stride in rays.blocks.to_lists():
        for k in range(count):
            for j in range(size):
                away = max(first + k - j, j - (first + k + length - 1), 0)
                rung = min(-(-away // rays.steps), rays.ladders.shape[1] - 1)
                matrix[output + k * stride][j] += int(rays.ladders[ladder, rung])
    for j in range(size):
        matrix[rays.spare_output][j] += rays.total - sum(row[j] for row in matrix)
    return matrix
