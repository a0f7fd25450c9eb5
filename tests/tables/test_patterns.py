"""LIKE on the words of a public list: what it means, and that no pattern takes long."""

import re
import time
from itertools import product

import pytest

from discreet.tables.expressions.patterns import matches


def _by_expression(word, pattern, any_case):
    """The same as one regular expression: quick for short words alone."""
    form = "".join({"%": ".*", "_": "."}.get(one) or re.escape(one) for one in pattern)
    flags = re.DOTALL | (re.IGNORECASE if any_case else 0)
    return re.fullmatch(form, word, flags) is not None


@pytest.mark.parametrize("any_case", [False, True])
def test_a_pattern_means_what_its_regular_expression_means(any_case):
    """All patterns of up to four marks, on all words of up to three letters."""
    words = ["".join(one) for many in range(4) for one in product("aA\n", repeat=many)]
    for many in range(5):
        for marks in product("aA%_", repeat=many):
            pattern = "".join(marks)
            told = [matches(word, pattern, any_case) for word in words]
            assert told == [_by_expression(word, pattern, any_case) for word in words], pattern


@pytest.mark.parametrize(
    "pattern", ["%" + "a%" * 40 + "b", "%_" * 40 + "b", "%" + "aa_%" * 19 + "b"]
)
def test_no_pattern_takes_long(pattern):
    """One that can be tried in many ways would hold up everybody: nobody can interrupt it."""
    started = time.process_time()
    assert not matches("a" * 60 + "1", pattern)
    assert time.process_time() - started < 5
