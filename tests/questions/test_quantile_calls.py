"""Several quantiles by one word, and quantiles as other systems write them."""

from fractions import Fraction

import pytest

from discreet.errors import QuestionError
from discreet.questions import parse_sql, question_text
from planning.facts import dataset

FACTS = dataset(600)


def shares(asked):
    return [str(item.statistic.share) for item in parse_sql(f"SELECT {asked}", FACTS).items]


@pytest.mark.parametrize(
    ("asked", "wanted"),
    [
        ("QUARTILES(mood)", "1/4 1/2 3/4"),
        ("deciles(mood)", "1/10 1/5 3/10 2/5 1/2 3/5 7/10 4/5 9/10"),
        ("QUANTILES(mood, 0.9, 0, 0.125)", "9/10 0 1/8"),
        ("QUANTILES(mood, [0.1, 0.3])", "1/10 3/10"),
        ("QUANTILE_DISC(mood, [0.1, 0.3])", "1/10 3/10"),
        ("PERCENTILE_DISC(0.5) WITHIN GROUP (ORDER BY mood)", "1/2"),
        ("PERCENTILE_DISC(ARRAY[0.1, 0.5]) WITHIN GROUP (ORDER BY mood ASC)", "1/10 1/2"),
        ("QUARTILES(mood), MAX(mood)", "1/4 1/2 3/4 1"),
    ],
)
def test_each_share_is_a_statistic_of_its_own(asked, wanted):
    assert shares(asked) == wanted.split()
    again = question_text(parse_sql(f"SELECT {asked}", FACTS), FACTS)
    assert shares(again.removeprefix("SELECT ")) == wanted.split()


def test_a_name_for_all_is_followed_by_the_share():
    asked = "SELECT QUARTILES(mood) AS q, PERCENTILE_DISC(0.5) WITHIN GROUP (ORDER BY mood) AS m"
    question = parse_sql(asked, FACTS)
    labels = [one.label for one in question.view.outputs]
    assert len(question.items) == 3
    assert labels == ["q 0.25", "q 0.5", "q 0.75", "m"]
    (first, *_) = parse_sql(
        "SELECT QUARTILES(mood) WHERE clinic = 'A' GROUP BY weight", FACTS
    ).items
    assert first.label == "QUANTILE(mood, 0.25)"
    assert first.statistic.share == Fraction(1, 4)


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("QUANTILES(mood)", r"lacks its shares, from 0 to 1: write QUANTILES\(mood, 0.25, 0.5"),
        ("QUANTILE(mood, 0.3, 0.5)", r"one share: for several, write QUANTILES\(mood, 0.3, 0.5\)$"),
        ("MAX(mood), quantile_disc(mood, 0.3 ,0.5)", r"write QUANTILES\(mood, 0.3 ,0.5\)$"),
        ("QUARTILES(mood, 0.3)", r"a column and nothing else: write QUARTILES\(mood\)"),
        ("DECILES()", r"a column and nothing else: write DECILES\(column\)"),
        ("QUANTILES(mood, 2)", r"needs p from 0 to 1, got 2"),
        ("QUANTILES(mood, 0.5, mood)", r"a constant is expected here"),
        ("QUARTILES(clinic)", r"needs numbers, but clinic holds words"),
        ("PERCENTILE_CONT(mood, 0.9)", r"interpolate.*: ask QUANTILE\(mood, 0.9\)$"),
        ("QUANTILE_CONT(mood, [0.1, 0.9])", r"interpolate.*: ask QUANTILES\(mood, 0.1, 0.9\)$"),
        (
            "PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY mood)",
            r"interpolate.*: ask QUANTILE\(mood, 0.5\)$",
        ),
        (
            "PERCENTILE_DISC(0.9) WITHIN GROUP (ORDER BY mood DESC)",
            r"counts from above: leave out DESC .*QUANTILE\(mood, 1 - 0.9\)$",
        ),
        ("MODE() WITHIN GROUP (ORDER BY mood)", r"^WITHIN GROUP is for one quantile"),
        ("PERCENTILE_DISC(0.5) WITHIN GROUP (ORDER BY mood, weight)", r"^WITHIN GROUP is for one"),
    ],
)
def test_what_cannot_be_asked_is_refused_with_what_can(asked, told):
    with pytest.raises(QuestionError, match=told) as refused:
        parse_sql(f"SELECT {asked}", FACTS)
    assert "\n" not in str(refused.value)


def test_no_more_statistics_by_one_word_than_one_by_one():
    with pytest.raises(QuestionError, match="at most 50 statistics"):
        parse_sql(f"SELECT QUANTILES(mood, {', '.join(['0.5'] * 51)})", FACTS)
