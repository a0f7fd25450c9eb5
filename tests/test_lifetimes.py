"""What is kept in memory stays within its limit, and what was made first stays."""

import gc
import threading

from hypothesis import given
from hypothesis import strategies as st

from discreet.lifetimes import Recent, collect_as_usual, collect_rarely


@given(st.lists(st.integers(0, 12), max_size=60), st.integers(0, 20))
def test_the_weight_never_exceeds_the_limit_and_values_are_those_of_their_keys(keys, most):
    kept = Recent[int, str](most, lambda _, word: len(word))
    for key in keys:
        assert kept.get(key, lambda: "x" * key) == "x" * key  # noqa: B023
        assert sum(other for other in range(13) if other in kept) <= most
        assert (key in kept) == (key <= most)


def test_what_was_used_last_is_forgotten_last():
    kept = Recent[str, str](3, lambda _, word: len(word))
    for key in "abcad":
        kept.get(key, lambda: "x")
    assert [key in kept for key in "abcd"] == [True, False, True, True]


def test_two_threads_see_the_same_value():
    kept, gate = Recent[int, object](8, lambda *_: 1), threading.Barrier(8)
    seen = []

    def ask():
        gate.wait()
        seen.append(kept.get(1, object))

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({id(value) for value in seen}) == 1


def test_who_lives_on_looks_for_garbage_as_usual_but_not_among_what_was_loaded():
    usual = gc.get_threshold()
    try:
        collect_rarely()
        assert gc.get_threshold()[0] > 100 * usual[0]
        collect_as_usual()
        assert gc.get_threshold() == usual
        assert gc.get_freeze_count() > 0
    finally:
        gc.set_threshold(*usual)
        gc.unfreeze()
