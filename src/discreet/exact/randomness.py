"""Uniform integers from the operating system's random bits.

Nothing is buffered between calls, so a forked child or another thread never repeats a value.
"""

import os

import numpy as np
import numpy.typing as npt

from discreet.errors import InvalidInput

WORD = 64

Words = npt.NDArray[np.uint64]


def uniform_bits(bits: int) -> int:
    """One integer, uniform on 0 … 2^bits − 1."""
    size = (bits + 7) // 8
    return int.from_bytes(os.urandom(size), "big") >> (8 * size - bits)


def uniform_below(bound: int) -> int:
    """One integer, uniform on 0 … bound − 1.

    Of 64 bits more than it needs, at least, every value is owed to equally many; fewer than one of
    2⁶⁴ is thrown away. So the time hardly depends on the bound, which may be a drawn number itself.

    >>> uniform_below(1)
    0
    """
    if bound < 1:
        raise InvalidInput(f"the bound of a uniform integer must be at least 1, got {bound}")
    bits = 64 * (bound.bit_length() // 64 + 2)
    each = (1 << bits) // bound
    value = uniform_bits(bits) // each
    while value >= bound:
        value = uniform_bits(bits) // each
    return value


def uniform_words(count: int) -> Words:
    """`count` words of 64 independent fair bits."""
    return np.frombuffer(os.urandom(8 * count), dtype=np.uint64)


def uniform_few(count: int) -> list[int]:
    """The same as integers, which are quicker where there are few."""
    return memoryview(os.urandom(8 * count)).cast("Q").tolist()


def uniform_shorts(count: int) -> npt.NDArray[np.uint16]:
    """`count` words of 16 independent fair bits."""
    return np.frombuffer(os.urandom(2 * count), dtype=np.uint16)


def uniform_below_many(bound: int, count: int) -> Words:
    """`count` independent integers, uniform on 0 … bound − 1, for a bound of at most 2^64.

    Words are cut to the bits of the bound and the ones that do not fit are thrown away: exact for
    every bound, and at most half are lost.
    """
    if not 1 <= bound <= 2**WORD:
        raise InvalidInput(f"the bound must lie between 1 and 2^64, got {bound}")
    if bound == 1:
        return np.zeros(count, dtype=np.uint64)
    shift = np.uint64(WORD - (bound - 1).bit_length())
    largest = np.uint64(bound - 1)
    kept = _fitting(uniform_words(count) >> shift, largest)
    while len(kept) < count:
        more = _fitting(uniform_words(2 * (count - len(kept)) + 16) >> shift, largest)
        kept = np.concatenate([kept, more])
    return kept[:count]


def _fitting(words: Words, largest: np.uint64) -> Words:
    return words[words <= largest]


def uniform_below_each(bounds: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """One independent integer for each bound, uniform on 0 … bound − 1.

    A 63-bit word is kept below the largest multiple of the bound, and reduced.
    """
    if len(bounds) and bounds.min() < 1:
        raise InvalidInput(f"every bound must be at least 1, got {bounds.min()}")
    numbers = np.zeros(len(bounds), dtype=np.int64)
    waiting = np.flatnonzero(bounds > 1)
    while len(waiting):
        bound = bounds[waiting]
        words = (uniform_words(len(waiting)) >> np.uint64(1)).astype(np.int64)
        multiples = np.iinfo(np.int64).max // bound
        quotient = words // bound
        fits = quotient < multiples
        numbers[waiting[fits]] = (words - quotient * bound)[fits]
        waiting = waiting[~fits]
    return numbers
