"""Whatever is given to the Python interface is used or refused in one line, and never charged."""

from decimal import Decimal

import numpy as np
import pytest

from discreet.curator import Curator, Order, open_dataset
from discreet.errors import InvalidInput, QuestionError


class Unspeakable:
    def __repr__(self):
        raise RuntimeError

    __str__ = __repr__


ODD = [
    True, -1, 2.5, float("nan"), float("inf"), 1j, 10**5000, Decimal("sNaN"), b"mood", "", "\0",
    "\ud800", "nosuch", "9" * 500, "(" * 5000, [], ["mood"], {"a": 1}, (), object(), Unspeakable(),
    np.array([1, 2]), range(3), type, print,
]  # fmt: skip
NAMES = ["sum", "mean", "min", "max", "median", "quartiles", "deciles", "mode", "histogram"]
PLACES = {
    **{name: lambda s, odd, name=name: getattr(s, name)(odd) for name in NAMES},
    "share": lambda s, odd: s.share(odd),
    "count": lambda s, odd: s.count(odd),
    "where": lambda s, odd: s.median("mood", where=odd),
    "where of a histogram": lambda s, odd: s.histogram("mood", where=odd),
    "p": lambda s, odd: s.quantile("mood", odd),
    "column of quantile": lambda s, odd: s.quantile(odd, 0.5),
    "shares": lambda s, odd: s.quantiles("mood", odd),
    "one of the shares": lambda s, odd: s.quantiles("mood", [0.5, odd]),
    "r": lambda s, odd: s.top("clinic", odd),
    "column of top": lambda s, odd: s.top(odd, 1),
    "width": lambda s, odd: s.histogram("mood", odd),
    "sql": lambda s, odd: s.sql(odd),
    "epsilon": lambda s, odd: s.count("smokes").ask(epsilon=odd),
    "within": lambda s, odd: s.count("smokes").ask(within=odd),
    "id": lambda s, odd: s.count("smokes").ask(epsilon=1, id=odd),
    "path": lambda s, odd: open_dataset(odd),
    "analyst": lambda s, odd: open_dataset(s.curator.path, analyst=odd),
    "asker": lambda s, odd: s.curator.left(odd),
    "receipt": lambda s, odd: s.curator.stored(odd),
    "order": lambda s, odd: s.curator.ask(odd),
    "order with an id": lambda s, odd: s.curator.ask(odd, question_id="a"),
    "order to plan": lambda s, odd: s.curator.plan(odd),
    "question": lambda s, odd: Order.of(odd, epsilon=1),
    **{
        wish: lambda s, odd, wish=wish: s.count("smokes").ask(epsilon=1, **{wish: odd})
        for wish in ("loss", "prior", "worst_case", "unbiased", "confidence", "remap", "consistent")
    },
}
GOOD = {
    "epsilon": [2.5], "within": [2.5], "id": ["nosuch", "(" * 5000], "analyst": ["nosuch"],
    "asker": ["nosuch"], "worst_case": [True], "unbiased": [True],
}  # fmt: skip


@pytest.mark.parametrize("place", PLACES)
def test_what_is_odd_is_refused_in_one_line_and_free(survey, place):
    for odd in ODD:
        if any(type(odd) is type(good) and odd == good for good in GOOD.get(place, [])):
            continue
        with pytest.raises(InvalidInput) as refused:
            PLACES[place](survey, odd)
        assert "\n" not in str(refused.value)
        assert len(str(refused.value)) < 400
    assert survey.curator.ledger.balance().spent == 0


@pytest.mark.parametrize("name", ["share", *NAMES])
def test_nothing_is_no_column_and_no_condition(survey, name):
    with pytest.raises(InvalidInput, match="got None"):
        getattr(survey, name)(None)


@pytest.mark.parametrize(
    ("call", "word"),
    [
        (lambda s: s.median("mood", foo=3), "'foo'"),
        (lambda s: s.mean("mood", condition="smokes"), "'condition'"),
        (lambda s: s.max("mood", rank="1/2"), "'rank'"),
        (lambda s: s.top("clinic", 2, most=3), "'most'"),
        (lambda s: s.quantile("mood"), "'p'"),
        (lambda s: s.count("smokes", 3), "positional"),
        (lambda s: s.sql(), "'text'"),
        (lambda s: s.median("mood").plan(epsilon=1, foo=3), "'foo'"),
        (lambda s: s.median("mood").plan(epsilon=1, id="a"), "'id'"),
        (lambda s: s.median("mood").ask(epsilon=1, foo=3), "'foo'"),
        (lambda s: s.median("mood").ask(1), "positional"),
        (lambda s: s.curator.ask(s.median("mood"), foo=3), "'foo'"),
        (lambda s: open_dataset(s.curator.path, foo=3), "'foo'"),
        (lambda s: Order.of(s.median("mood").question, epsilon=1, foo=3), "'foo'"),
    ],
)
def test_arguments_that_a_method_does_not_take_are_pythons_own_error(survey, call, word):
    with pytest.raises(TypeError, match=word):
        call(survey)
    assert survey.curator.ledger.balance().spent == 0


@pytest.mark.parametrize("r", ["3", 2.5, True, None])
def test_how_many_words_is_a_whole_number(survey, r):
    with pytest.raises(QuestionError, match="from 1 to 3, a whole number, got "):
        survey.top("clinic", r)


def test_whole_numbers_of_any_kind_are_whole_numbers(survey):
    assert survey.top("clinic", np.int64(2)).question == survey.top("clinic", 2).question


@pytest.mark.parametrize("width", [10**30, "1e5000", 1e300])
def test_a_bin_is_not_wider_than_numbers_go(survey, width):
    with pytest.raises(QuestionError, match="steps wide"):
        survey.histogram("mood", width)
    with pytest.raises(QuestionError, match="steps wide"):
        survey.sql("SELECT COUNT(*) GROUP BY BIN(mood, 1e30)")


def test_a_curator_names_its_analyst_or_the_usual_one(make, survey):
    with Curator(make()) as curator:
        assert curator.analyst == "tester"
        assert curator.left() == curator.left("tester")
