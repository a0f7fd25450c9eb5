"""Any text may be asked: it is answered and charged, or refused in one line and not charged."""

import os

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from asked_at_random import ask_at_random, write_survey
from discreet.curator import open_dataset
from question_grammar import QUESTIONS, SPOILT

SOAK = bool(os.environ.get("DISCREET_SOAK"))
JUMBLED, WRITTEN = (100_000, 100_000) if SOAK else (1_000, 100)

WORDS = """
    SELECT COUNT(*) SUM( AVG( MIN( MAX( MEDIAN( MODE( TOP( QUANTILE( SHARE( BIN( ) , ; * mood
    weight clinic smokes 1 2.5 -3 'A' 'B' 'x' 0.9 1e999 NULL TRUE WHERE AND OR NOT = < >= IN (
    BETWEEN GROUP BY ORDER LIMIT FROM data JOIN DISTINCT CASE WHEN error('x') CAST(mood AS INT)
    ROUND( LEAST( CLAMP( COALESCE( CASE THEN ELSE END YEAR( DATE_TRUNC('month', visit LIKE 'A%' IS
    + - / INTERVAL 3 DAY DATE '2023-05-01' AGE_AT( DATE_DIFF('day', ABS( half
    read_csv('rows.csv') DROP TABLE clean -- /* */ ' $1 :x ? :: || HAVING OVER () UNION ALL
"""
VALID = (
    "SELECT COUNT(*) WHERE mood > 2",
    "SELECT AVG(mood), MAX(weight) WHERE clinic = 'A' GROUP BY smokes",
    "SELECT QUANTILE(weight, 0.9) WHERE mood IN (1, 2) OR NOT smokes",
    "SELECT AVG(ROUND(weight / mood, 0.5)) WHERE visit >= DATE '2023-05-01' + INTERVAL 3 DAY",
    "SELECT COUNT(*) GROUP BY CASE WHEN mood < 3 THEN 'low' ELSE 'high' END, YEAR(visit)",
    "SELECT MEDIAN(visit), COUNT(half > 2) WHERE clinic LIKE 'A%' AND ABS(mood - 3) IS NOT NULL",
)
jumbled = st.lists(st.sampled_from(WORDS.split()), max_size=14).map(" ".join)
mangled = st.tuples(
    st.sampled_from(VALID), st.integers(0, 60), st.integers(0, 6), st.text(max_size=6)
).map(lambda t: t[0][: t[1]] + t[3] + t[0][t[1] + t[2] :])


@pytest.fixture(scope="module")
def survey(tmp_path_factory):
    with open_dataset(write_survey(tmp_path_factory.mktemp("fuzz")), analyst="tester") as opened:
        yield opened


@given(st.one_of(jumbled, mangled, st.text(max_size=40)))
@settings(max_examples=JUMBLED, deadline=None)
def test_no_text_breaks_the_curator_and_only_answers_are_charged(survey, sql):
    ask_at_random(survey, sql)


@example("SELECT COUNT(*) GROUP BY clinic, CASE WHEN TRUE THEN 'x' ELSE 'x' END")
@example("SELECT COVAR_SAMP(HOUR(seen), weight), MIN(seen)")
@example("SELECT RATIO(weight, -3) GROUP BY DATE_TRUNC('quarter', visit)")
@given(st.one_of(QUESTIONS, QUESTIONS, SPOILT))
@settings(max_examples=WRITTEN, deadline=None)
def test_no_sentence_of_the_language_breaks_the_curator(survey, sql):
    ask_at_random(survey, sql)
