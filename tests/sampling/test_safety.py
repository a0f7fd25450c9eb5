"""After a fork and among threads: nobody repeats a value, nobody waits for ever."""

import subprocess
import sys
import threading
from fractions import Fraction

import flint
import numpy as np
import pytest

from discreet.exact.numbers import enclosed, integer_ends, working_precision
from discreet.sampling import discrete_laplace, permute_and_flip_choice
from discreet.sampling.laplace import NoiseTables

FORK = """
import os, threading
from fractions import Fraction
from discreet.certifier import certify
from discreet.exact import uniform_below, uniform_words
from discreet.exact.numbers import working_precision
from discreet.model import AllPairs, Grid, Mechanism
from discreet.sampling import *

space = Grid.between(0, 63)
flat = certify(Mechanism.of(space, space, AllPairs(), [[1] * 64] * 64), 1)
samplers = [
    lambda: discrete_laplace("1e-9"), lambda: discrete_laplace("1e-9", 2).tolist(),
    lambda: geometric("1e-9"), lambda: staircase_noise("1e-6", 10**6, 5),
    lambda: draw_many(flat, 3, 12).tolist(), lambda: [draw(flat, 3) for _ in range(12)],
    lambda: draw_each(flat, [1, 2] * 6).tolist(),
    lambda: exponential_choice([0] * 64, 12).tolist(),
    lambda: permute_and_flip_choice([0] * 64, 12).tolist(),
    lambda: noisy_max_choice([0] * 64, 1, 12).tolist(),
    lambda: uniform_below(2**80), lambda: uniform_words(1).tolist(),
]
for sampler in samplers:
    sampler()

inside, leave = threading.Event(), threading.Event()
def hold():
    with working_precision(100):
        inside.set()
        leave.wait(60)
threading.Thread(target=hold, daemon=True).start()
inside.wait(60)

pipes = []
for child in range(4):
    read, write = os.pipe()
    if os.fork() == 0:
        fresh_table = discrete_laplace(Fraction(1, 10**6 + child))
        os.write(write, repr([sampler() for sampler in samplers]).encode())
        os._exit(0)
    os.close(write)
    pipes.append(read)
leave.set()
answers = [eval(os.fdopen(read).read()) for read in pipes] + [[s() for s in samplers]]
for number, drawn in enumerate(zip(*answers)):
    assert len(set(map(str, drawn))) == 5, (number, drawn)
print("all different")
"""


@pytest.mark.skipif(not hasattr(sys.modules["os"], "fork"), reason="there is no fork here")
def test_forked_children_draw_their_own_values_even_while_a_thread_holds_the_precision():
    ran = subprocess.run(
        [sys.executable, "-W", "ignore::DeprecationWarning", "-c", FORK],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ran.stdout == "all different\n", ran.stderr


def _in_threads(work, count=8):
    results = [None] * count
    start = threading.Barrier(count)

    def run(place):
        start.wait()
        results[place] = work(place)

    threads = [threading.Thread(target=run, args=(place,)) for place in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    return results


def test_threads_never_share_a_value():
    drawn = _in_threads(lambda _: discrete_laplace("1e-12", 1000))
    everything = np.concatenate(drawn)
    assert len(np.unique(everything)) > 0.999 * len(everything)


def test_tables_built_at_the_same_time_equal_those_built_alone():
    rates = [Fraction(1, n) for n in (1, 3, 7, 20, 50, 200, 1000, 10**5)]
    together = _in_threads(lambda place: NoiseTables.of(rates[place]))
    for rate, tables in zip(rates, together, strict=True):
        alone = NoiseTables.of(rate)
        assert (tables.leading.ends == alone.leading.ends).all()
        assert tables.leading.refine(64) == alone.leading.refine(64)
        for one, other in zip(tables.digits, alone.digits, strict=True):
            assert (one.ends == other.ends).all()


def test_one_thread_at_a_time_sets_the_precision_and_the_old_one_comes_back():
    before = flint.ctx.prec

    def work(place):
        bits = 100 + 50 * place
        for _ in range(200):
            with working_precision(bits):
                assert flint.ctx.prec == bits
                ends = integer_ends(enclosed(Fraction(1, 3)).exp(), bits - 20)
                with working_precision(bits + 10):
                    assert flint.ctx.prec == bits + 10
                assert flint.ctx.prec == bits
                assert ends[1] - ends[0] <= 1
        return True

    assert all(_in_threads(work))
    assert flint.ctx.prec == before


def test_an_error_gives_the_precision_back():
    before = flint.ctx.prec
    with pytest.raises(ZeroDivisionError), working_precision(999):
        raise ZeroDivisionError
    assert flint.ctx.prec == before


def test_threads_may_use_one_table_together():
    drawn = _in_threads(lambda _: permute_and_flip_choice([0, 0, -1], 2000, rate=1))
    assert all(len(part) == 2000 for part in drawn)
