"""Uniform integers from the operating system's random bits.

Nothing is buffered between calls, so a forked child or another thread never repeats a value.
"""

import os
import secrets

import numpy as np
import numpy.typing as npt

WORD = 64


def uniform_below(bound: int) -> int:
    """One integer, uniform on 0 … bound − 1."""
    return secrets.randbelow(bound)


def uniform_words(count: int) -> npt.NDArray[np.uint64]:
    """`count` words of 64 independent fair bits."""
    return np.frombuffer(os.urandom(8 * count), dtype=np.uint64)


def uniform_below_many(bound: int, count: int) -> npt.NDArray[np.uint64]:
    """`count` independent integers, uniform on 0 … bound − 1, for a bound of at most 2^64.

    Words are cut to the bits of the bound and the ones that do not fit are thrown away: exact for
    every bound, and at most half are lost.
    """
    if not 1 <= bound <= 2**WORD:
        raise ValueError(f"bound must lie between 1 and 2^64, got {bound}")
    shift = np.uint64(WORD - (bound - 1).bit_length())
    if bound == 1:
        return np.zeros(count, dtype=np.uint64)
    largest = np.uint64(bound - 1)
    kept = _fitting(uniform_words(count) >> shift, largest)
    while len(kept) < count:
        more = _fitting(uniform_words(2 * (count - len(kept)) + 16) >> shift, largest)
        kept = np.concatenate([kept, more])
    return kept[:count]


def _fitting(words: npt.NDArray[np.uint64], largest: np.uint64) -> npt.NDArray[np.uint64]:
    return words[words <= largest]
