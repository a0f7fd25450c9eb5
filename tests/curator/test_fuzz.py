"""Any text may be asked: it is answered and charged, or refused in one line and not charged."""

import os
import time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from discreet.curator import open_dataset
from discreet.errors import DiscreetError
from question_grammar import EVERY_KIND, HEADER, QUESTIONS, REGIONS, SPOILT, row
from small_survey import dataset_text

SOAK = bool(os.environ.get("DISCREET_SOAK"))
JUMBLED, WRITTEN = (100_000, 100_000) if SOAK else (1_000, 100)
LONGEST = 60.0
"""Seconds of processor time that one question may take: some take three, none may hang."""

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
    folder = tmp_path_factory.mktemp("fuzz")
    (folder / "rows.csv").write_text("\n".join([HEADER, *map(row, range(30))]) + "\n")
    (folder / "regions.csv").write_text(REGIONS)
    (folder / "survey.toml").write_text(dataset_text(total="100", columns=EVERY_KIND))
    with open_dataset(folder / "survey.toml", analyst="tester") as opened:
        yield opened


def _ask(survey, sql):
    """Ask, and hold the answer or the refusal to what is promised of both."""
    before, started = survey.curator.ledger.balance().spent, time.process_time()
    refusal = None
    try:
        answered = survey.sql(sql).ask(epsilon="0.00001").results
    except DiscreetError as problem:
        refusal, answered = str(problem), ()
    spent = survey.curator.ledger.balance().spent - before
    if refusal is None:
        assert answered or "HAVING" in sql.upper() or "OFFSET" in sql.upper()  # may leave nothing
        assert 0 <= spent <= 10_000
    else:
        assert spent == 0
        assert "\n" not in refusal
        assert len(refusal) < 2000
    assert time.process_time() - started < LONGEST


@given(st.one_of(jumbled, mangled, st.text(max_size=40)))
@settings(max_examples=JUMBLED, deadline=None)
def test_no_text_breaks_the_curator_and_only_answers_are_charged(survey, sql):
    _ask(survey, sql)


@example("SELECT COUNT(*) GROUP BY clinic, CASE WHEN TRUE THEN 'x' ELSE 'x' END")
@example("SELECT COVAR_SAMP(HOUR(seen), weight), MIN(seen)")
@example("SELECT RATIO(weight, -3) GROUP BY DATE_TRUNC('quarter', visit)")
@given(st.one_of(QUESTIONS, QUESTIONS, SPOILT))
@settings(max_examples=WRITTEN, deadline=None)
def test_no_sentence_of_the_language_breaks_the_curator(survey, sql):
    _ask(survey, sql)
