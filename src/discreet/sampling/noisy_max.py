"""Report noisy max (001 Example 4): the index of the largest noisy score, drawn exactly."""

from collections.abc import Callable
from typing import Literal, overload

import numpy as np
import numpy.typing as npt

from discreet.errors import InvalidInput
from discreet.exact import RationalLike, show
from discreet.sampling.choices import (
    exponential_choice,
    in_blocks,
    permute_and_flip_choice,
    pick_each,
    pick_one,
)
from discreet.sampling.laplace import discrete_laplace, geometric
from discreet.sampling.tables import Indices, checked_count
from discreet.sampling.weights import Scores, whole_scores

Noise = Literal["laplace", "geometric", "exponential", "gumbel"]

_LARGEST = 2**62
_ON_A_GRID: dict[str, Callable[[RationalLike, int], Indices]] = {
    "laplace": discrete_laplace,
    "geometric": geometric,
}


@overload
def noisy_max_choice(
    scores: Scores, rate: RationalLike, count: None = None, *, noise: Noise = ...
) -> int: ...
@overload
def noisy_max_choice(
    scores: Scores, rate: RationalLike, count: int, *, noise: Noise = ...
) -> Indices: ...
def noisy_max_choice(
    scores: Scores, rate: RationalLike, count: int | None = None, *, noise: Noise = "laplace"
) -> int | Indices:
    """The index of the largest score plus independent noise, ties broken uniformly.

    Scores on a grid, as whole numbers of its steps, take discrete `laplace` noise (001 Example 4)
    or one-sided `geometric` noise. Real-valued `exponential` noise is permute-and-flip and `gumbel`
    noise is the exponential mechanism; both take any rational scores. When one record moves every
    score by at most Δ, ε = 2·Δ·rate; when it moves them all the same way, Δ·rate
    (docs/proofs/noisy-max.md; the laws, docs/proofs/exact-draws.md).

    >>> noisy_max_choice([0, 500], 1), noisy_max_choice([0, 500], 1, noise="gumbel")
    (1, 1)
    """
    if noise == "exponential":
        return permute_and_flip_choice(scores, count, rate=rate)
    if noise == "gumbel":
        return exponential_choice(scores, count, rate=rate)
    if noise not in _ON_A_GRID:
        raise InvalidInput(
            f"noise must be laplace, geometric, exponential or gumbel, got {show(noise)}"
        )
    whole = whole_scores(scores)
    if whole is None or whole.max() > _LARGEST or whole.min() < -_LARGEST:
        raise InvalidInput(
            f"{noise} noise needs scores that are whole numbers below 2^62: count steps of a grid, "
            "and multiply the rate by the size of a step"
        )
    if count is None:
        return pick_one(_is_largest(whole, rate, 1, _ON_A_GRID[noise])[0])
    return in_blocks(
        lambda rows: pick_each(_is_largest(whole, rate, rows, _ON_A_GRID[noise])),
        checked_count(count),
        len(whole),
    )


def _is_largest(
    scores: Indices, rate: RationalLike, rows: int, noise: Callable[[RationalLike, int], Indices]
) -> npt.NDArray[np.bool_]:
    noisy = noise(rate, rows * len(scores)).reshape(rows, -1)
    noisy += scores
    return np.asarray(noisy == noisy.max(axis=1, keepdims=True))
