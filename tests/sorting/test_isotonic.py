"""The fit is the nearest list that is sorted, not negative and of the total asked for."""

from fractions import Fraction
from itertools import pairwise, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import InvalidInput
from discreet.sorting import decreasing_fit, sorted_counts_fit, whole_counts

LISTS = st.lists(
    st.integers(-9, 9) | st.fractions(-9, 9, max_denominator=5), min_size=1, max_size=6
)


def squares(one, other):
    return sum((Fraction(a) - Fraction(b)) ** 2 for a, b in zip(one, other, strict=True))


def is_sorted(counts):
    return all(a >= b for a, b in pairwise(counts))


def nearest_by_all_faces(numbers, *, zeros, total=None):
    """Every way to tie neighbours and to put the last ones to zero, minimised on each face."""
    size, found = len(numbers), []
    for ties in product([False, True], repeat=size - 1):
        blocks = [[0]]
        for place, tied in enumerate(ties, start=1):
            if tied:
                blocks[-1].append(place)
            else:
                blocks.append([place])
        for zero_last in (False, True) if zeros else (False,):
            free = blocks[:-1] if zero_last else blocks
            held = sum(len(block) for block in free)
            if total is not None and held == 0 and total != 0:
                continue
            means = [Fraction(sum(numbers[i] for i in block)) / len(block) for block in free]
            shift = Fraction(0)
            if total is not None and held:
                over = sum(mean * len(block) for mean, block in zip(means, free, strict=True))
                shift = (over - total) / held
            entries = [Fraction(0)] * size
            for mean, block in zip(means, free, strict=True):
                for i in block:
                    entries[i] = mean - shift
            if is_sorted(entries) and (not zeros or entries[-1] >= 0):
                found.append(tuple(entries))
    return min(found, key=lambda entries: squares(entries, numbers))


@given(LISTS)
def test_pooling_is_least_squares(numbers):
    assert decreasing_fit(numbers) == nearest_by_all_faces(numbers, zeros=False)


@given(LISTS)
def test_negative_numbers_become_zero(numbers):
    assert sorted_counts_fit(numbers) == nearest_by_all_faces(numbers, zeros=True)


@given(LISTS, st.integers(0, 20))
def test_the_total_is_kept_at_least_cost(numbers, total):
    found = sorted_counts_fit(numbers, total=total)
    assert sum(found) == total
    assert found == nearest_by_all_faces(numbers, zeros=True, total=total)


@given(LISTS, st.integers(0, 20))
def test_a_bound_on_the_total_is_kept_at_least_cost(numbers, most):
    free = nearest_by_all_faces(numbers, zeros=True)
    wanted = free if sum(free) <= most else nearest_by_all_faces(numbers, zeros=True, total=most)
    assert sorted_counts_fit(numbers, at_most=most) == wanted


@given(LISTS, st.lists(st.integers(0, 9), min_size=6, max_size=6))
def test_the_fit_brings_a_noisy_list_no_farther_from_any_sorted_one(numbers, others):
    truth = sorted(others, reverse=True)[: len(numbers)]
    fit = sorted_counts_fit(numbers)
    noise = [abs(Fraction(a) - b) for a, b in zip(numbers, truth, strict=True)]
    error = [abs(a - b) for a, b in zip(fit, truth, strict=True)]
    assert sum(error) <= sum(noise)
    assert max(error) <= max(noise)
    assert squares(fit, truth) <= squares(numbers, truth)
    summed = sorted_counts_fit(numbers, total=sum(truth))
    assert squares(summed, truth) <= squares(numbers, truth)
    assert sum(abs(a - b) for a, b in zip(summed, truth, strict=True)) <= 2 * sum(noise)
    assert max(abs(a - b) for a, b in zip(summed, truth, strict=True)) <= 2 * max(noise)


@given(st.lists(st.fractions(0, 4, max_denominator=6), min_size=1, max_size=4))
def test_whole_counts_are_the_nearest_whole_list_of_that_sum(numbers):
    counts = tuple(sorted(numbers, reverse=True))
    found = whole_counts(counts)
    assert is_sorted(found)
    assert abs(sum(found) - sum(counts)) <= Fraction(1, 2)
    same_sum = [
        other for other in product(range(6), repeat=len(counts)) if sum(other) == sum(found)
    ]
    assert squares(found, counts) == min(squares(other, counts) for other in same_sum)


def test_totals_that_cannot_be():
    with pytest.raises(InvalidInput, match="a total must be 0 or more"):
        sorted_counts_fit([1, 2], total=-1)
    with pytest.raises(InvalidInput, match="the total of no counts is 0"):
        sorted_counts_fit([], total=1)
    assert sorted_counts_fit([], total=0) == ()
    assert sorted_counts_fit([3, 1], total=0) == (0, 0)
