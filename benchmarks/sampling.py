"""Exact draws beside OpenDP's, which are exact too."""

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from types import ModuleType
from typing import Any

from benchmarks.timing import Row, Work, beside
from discreet.certifier import certify
from discreet.exact import uniform_below
from discreet.mechanisms.catalogue import build
from discreet.model import AllPairs, Labels
from discreet.sampling import (
    discrete_laplace,
    draw,
    draw_many,
    exponential_choice,
    noisy_max_choice,
    permute_and_flip_choice,
)

MILLION = 1_000_000
RATE = Fraction(1, 2)
SIZES = (10, 100, 1000)


def rows() -> Iterator[Row]:
    """Vectors and single draws: a matrix column, discrete Laplace, choices."""
    opendp = _opendp()
    peer = f"OpenDP {_version()}" if opendp else "OpenDP is not installed"
    yield from _matrix(opendp, peer)
    yield from _laplace(opendp, peer)
    yield from _choices(opendp, peer)


def _opendp() -> ModuleType | None:
    try:
        import opendp.prelude as dp
    except ImportError:
        return None
    dp.enable_features("contrib")
    return dp


def _version() -> str:
    from importlib.metadata import version

    return version("opendp")


def _times(count: int, work: Work) -> Work:
    def repeated() -> None:
        for _ in range(count):
            work()

    return repeated


def _matrix(dp: Any, peer: str) -> Iterator[Row]:
    """Randomized response with ten labels: a column of a matrix, a measurement of OpenDP's."""
    names = [f"label {i}" for i in range(10)]
    labels = Labels.of(names)
    matrix = certify(build("randomized-response", labels, AllPairs(), "1"), "1")
    theirs = None
    if dp:
        respond = dp.m.make_randomized_response(names, prob=0.25)
        theirs = _times(2000, lambda: respond("label 3"))
    yield beside(
        "matrix column, a million draws", lambda: draw_many(matrix, 3, MILLION), theirs,
        peer=peer, count=MILLION, theirs_count=2000,
    )  # fmt: skip
    yield beside(
        "matrix column, one draw at a time", _times(20_000, lambda: draw(matrix, 3)), theirs,
        peer=peer, count=20_000, theirs_count=2000,
    )  # fmt: skip


def _laplace(dp: Any, peer: str) -> Iterator[Row]:
    for rate in (Fraction(1), Fraction(1, 1000)):
        vector = scalar = None
        if dp:
            atoms = dp.atom_domain(T=int)
            noise = dp.m.make_laplace(
                dp.vector_domain(atoms), dp.l1_distance(T=int), scale=float(1 / rate)
            )
            single = dp.m.make_laplace(atoms, dp.absolute_distance(T=int), scale=float(1 / rate))
            zeros = [0] * MILLION
            vector, scalar = _call(noise, zeros), _times(3000, _call(single, 0))
        yield beside(
            f"discrete Laplace, rate {rate}, vector of a million",
            _call(discrete_laplace, rate, MILLION), vector,
            peer=peer, count=MILLION, rounds=2, wanted=20,
        )  # fmt: skip
        yield beside(
            f"discrete Laplace, rate {rate}, one at a time",
            _times(20_000, _call(discrete_laplace, rate)), scalar,
            peer=peer, count=20_000, theirs_count=3000, wanted=5,
        )  # fmt: skip


def _choices(dp: Any, peer: str) -> Iterator[Row]:
    """Fresh scores for every draw, so that nothing about them can have been kept."""
    for size in SIZES:
        pool = [[uniform_below(100) for _ in range(size)] for _ in range(100)]
        exponential_noise = gumbel_noise = None
        if dp:
            exponential_noise = _each(_noisy_max(dp, dp.max_divergence()), pool)
            gumbel_noise = _each(_noisy_max(dp, dp.zero_concentrated_divergence()), pool)
        in_turn = partial(beside, peer=peer, count=len(pool), rounds=9)
        yield in_turn(
            f"noisy max of {size}, exponential noise",
            _each(lambda scores: permute_and_flip_choice(scores, rate=RATE), pool),
            exponential_noise, wanted=5,
        )  # fmt: skip
        yield in_turn(
            f"noisy max of {size}, Laplace (theirs exponential)",
            _each(lambda scores: noisy_max_choice(scores, RATE), pool),
            exponential_noise,
        )  # fmt: skip
        yield in_turn(
            f"exponential mechanism on {size}",
            _each(lambda scores: exponential_choice(scores, rate=RATE), pool),
            gumbel_noise,
        )  # fmt: skip
        yield beside(
            f"exponential mechanism on {size}, a million draws",
            _call(_vector_choice, pool[0]), gumbel_noise,
            peer=peer, count=MILLION, theirs_count=len(pool),
        )  # fmt: skip


def _noisy_max(dp: Any, measure: Any) -> Callable[[list[int]], object]:
    made: Callable[[list[int]], object] = dp.m.make_noisy_max(
        dp.vector_domain(dp.atom_domain(T=int)), dp.linf_distance(T=int), measure,
        scale=float(1 / RATE),
    )  # fmt: skip
    return made


def _vector_choice(scores: list[int]) -> object:
    return exponential_choice(scores, MILLION, rate=RATE)


def _call(function: Callable[..., object], *arguments: object) -> Work:
    return lambda: function(*arguments)


def _each(choose: Callable[[list[int]], object], pool: list[list[int]]) -> Work:
    def every() -> None:
        for scores in pool:
            choose(scores)

    return every
