"""Lazy tables: what the first bits decide is right, and what they do not is settled exactly."""

from bisect import bisect_right
from fractions import Fraction
from itertools import accumulate

import numpy as np
import pytest
from flint import arb
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import InvalidInput
from discreet.exact import enclosed
from discreet.sampling import real_choice, tables
from discreet.sampling.tables import BITS, LazyTable, refinement, settle
from statistics_bounds import assert_follows

WEIGHTS = st.lists(st.integers(0, 40), min_size=1, max_size=9).filter(any)


def _words(values):
    return np.array(values, dtype=np.uint64)


def _further_bits(monkeypatch, number, size):
    """The random bits after the first 63 are these; zeros follow them."""
    served = [(number >> max(size - 64 * (i + 1), 0)) & (2**64 - 1) for i in range(size // 64)]
    given_ = iter(served)
    monkeypatch.setattr(tables, "uniform_bits", lambda bits: next(given_, 0))


@given(WEIGHTS, st.integers(0, 2**40))
def test_over_all_integers_each_outcome_is_drawn_as_often_as_it_weighs(weights, low_bits):
    sums = list(accumulate(weights))
    bits = (sums[-1] - 1).bit_length()
    table = LazyTable.of_integers(sums)
    every = [(u << (BITS - bits)) + low_bits for u in range(1 << bits)]
    found = table.locate(_words(every))
    counts = np.bincount(found, minlength=len(weights) + 1)
    assert counts[:-1].tolist() == weights
    assert counts[-1] == (1 << bits) - sums[-1]
    assert table.slack == 0


@given(
    st.lists(st.integers(0, 2**130), min_size=1, max_size=6).filter(lambda w: sum(w) > 2**63),
    st.data(),
)
def test_large_totals_are_settled_by_exactly_the_integer_that_was_drawn(weights, data):
    sums = list(accumulate(weights))
    bits = (sums[-1] - 1).bit_length()
    near = st.tuples(st.sampled_from(sums), st.integers(-2, 2)).map(sum)
    integer = data.draw(near.filter(lambda u: 0 <= u < 1 << bits))
    rest = -(-(bits - BITS) // 64) * 64
    padded = integer << (BITS + rest - bits)
    with pytest.MonkeyPatch.context() as patch:
        _further_bits(patch, padded & ((1 << rest) - 1), rest)
        found = LazyTable.of_integers(sums).locate(_words([padded >> rest]))
    assert found.tolist() == [bisect_right(sums, integer)]


@given(st.lists(st.fractions(0, 1, max_denominator=10**6), min_size=1, max_size=8), st.data())
def test_decided_words_lie_on_the_right_side_of_every_real_boundary(ends, data):
    ends = sorted([*ends, Fraction(1)])
    table = LazyTable.of_reals(lambda: [enclosed(end) for end in ends])
    assert table.slack <= 1
    for end, word in zip(ends, table.ends.tolist(), strict=True):
        assert word <= end * 2**BITS <= word + table.slack
    word = data.draw(st.one_of(st.integers(0, 2**BITS - 1), _near(ends)))
    further = data.draw(st.integers(0, 2**64 - 1))
    with pytest.MonkeyPatch.context() as patch:
        _further_bits(patch, further << 192, 256)
        found = table.locate(_words([word]))[0]
        assert table.locate_few([word]) == [found]
    real = Fraction((word << 64) + further, 1 << (BITS + 64))
    assert found == bisect_right(ends, real)


def _near(ends):
    pairs = st.tuples(st.sampled_from([int(end * 2**BITS) for end in ends]), st.integers(-2, 2))
    return pairs.map(sum).filter(lambda w: 0 <= w < 2**BITS)


@pytest.mark.parametrize("words_equal", [1, 2, 5])
@pytest.mark.parametrize("last", [-1, 1])
def test_a_random_real_that_follows_a_boundary_for_long_is_settled_where_it_leaves(
    words_equal, last, monkeypatch
):
    size = 64 * words_equal
    boundary = (1 << (BITS + size)) // 3  # the first bits of 1/3
    following = boundary + last
    _further_bits(monkeypatch, following & ((1 << size) - 1), size)
    refine = refinement(lambda: [arb(1) / 3, arb(1)])
    assert settle(following >> size, refine) == (1 if last > 0 else 0)


def test_refining_asks_for_more_precision_until_the_ends_part():
    asked = []

    def refine(more):
        asked.append(more)
        return [(0, 1 << (BITS + more))] if more < 192 else [(0, 0)]

    assert settle(2**62, refine) == 1
    assert asked == [64, 128, 192]


@given(st.integers(1, 5_000))
def test_few_draws_take_as_many_steps_wherever_a_word_lies(outcomes):
    """Of 2^k − 1 ends a binary search takes k steps, of others k or one less."""
    table = LazyTable.of_integers(list(range(1, outcomes + 1)))
    padded = len(table._steps[0])
    assert padded >= outcomes
    assert padded & (padded + 1) == 0


@given(st.lists(st.integers(0, 10**6), min_size=1, max_size=300).filter(any))
def test_the_guide_decides_only_what_every_word_of_its_kind_decides(weights):
    table = LazyTable.of_integers(list(accumulate(weights)))
    guide = table._guide()
    first = np.arange(1 << 16, dtype=np.uint64) << np.uint64(BITS - 16)
    last = first + np.uint64(2 ** (BITS - 16) - 1)
    decided = guide >= 0
    assert (table.locate(first)[decided] == guide[decided]).all()
    assert (table.locate(last)[decided] == guide[decided]).all()
    assert (~decided).sum() <= len(weights)


def test_the_guide_leaves_open_what_slack_leaves_open():
    table = LazyTable(_words([1 << 47, 1 << 63]), 5, lambda more: [])
    assert table._guide()[:3].tolist() == [0, -1, 1]


@pytest.mark.parametrize("count", [1, 1000, 200_000, 1_200_000])
def test_vectors_of_any_length_follow_the_law(count):
    table = LazyTable.of_integers([5, 5, 6, 9])
    drawn = table.draw_many(count)
    assert drawn.shape == (count,)
    assert_follows(drawn, [Fraction(5, 9), 0, Fraction(1, 9), Fraction(3, 9)])


def test_single_draws_follow_the_law():
    table = LazyTable.of_reals(lambda: [arb(1) / 7, arb(3) / 7])
    assert_follows([table.draw() for _ in range(20_000)], [Fraction(1, 3), Fraction(2, 3)])


def test_slack_as_wide_as_everything_only_costs_time():
    table = LazyTable(_words([0, 1 << 63]), 2**63, refinement(lambda: [1 / arb(3), arb(1)]))
    drawn = [*table.draw_many(2000), *(table.draw() for _ in range(2000))]
    assert_follows(drawn, [Fraction(1, 3), Fraction(2, 3)])


def test_a_cauchy_law_cut_into_cells():
    edges = [-2, -1, 0, 1, 2]

    def cumulative():
        return [arb(1) / 2 + arb(edge).atan() / arb.pi() for edge in edges] + [arb(1)]

    below = [0.5 + np.arctan(edge) / np.pi for edge in edges]
    law = np.diff([0.0, *below, 1.0])
    assert_follows(real_choice(cumulative, 300_000), law)
    assert real_choice(cumulative) in range(6)


def test_a_ball_that_knows_nothing_yet_is_refined():
    def cumulative():
        from flint import ctx

        return [arb("nan") if ctx.prec < 150 else arb(1) / 2, arb(1)]

    assert_follows(real_choice(cumulative, 3000), [0.5, 0.5])


@pytest.mark.parametrize(
    ("cumulative", "message"),
    [
        (list, "last end"),
        (lambda: [arb(0)], "at least 1/4"),
        (lambda: [arb(1) / 2, arb("nan")], "at least 1/4"),
        (lambda: [arb(1) / 2, arb(1) / 3], "must not decrease"),
    ],
)
def test_ends_that_make_no_table_are_refused(cumulative, message):
    with pytest.raises(InvalidInput, match=message):
        real_choice(cumulative)


def test_enclosures_that_never_narrow_are_refused_rather_than_waited_for():
    with pytest.raises(InvalidInput, match="stay too wide"):
        real_choice(lambda: [arb(0.5, 0.5), arb(1)])


def test_weights_that_are_all_zero_are_refused():
    with pytest.raises(InvalidInput, match="last end"):
        LazyTable.of_integers([0, 0])


def test_words_that_16_bits_leave_open_are_16_bits_and_then_47_more(monkeypatch):
    table = LazyTable.of_integers([1, 3])
    located = []
    monkeypatch.setattr(LazyTable, "locate", lambda self, words: located.append(words) or 0 * words)
    monkeypatch.setattr(tables, "uniform_shorts", lambda count: np.array([5, 9], dtype=np.uint16))
    monkeypatch.setattr(tables, "uniform_words", lambda count: _words([2**64 - 1, 1 << 63][:count]))
    guide = np.full(1 << 16, -1, dtype=np.int32)
    table._tried(2, guide)
    assert located[0].tolist() == [(5 << 47) + 2**47 - 1, (9 << 47) + 2**46]
