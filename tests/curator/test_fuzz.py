"""Any text may be asked: it is answered and charged, or refused in one line and not charged."""

import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.curator import open_dataset
from discreet.errors import DiscreetError
from small_survey import HEADER, dataset_text

FUZZED = 100_000 if os.environ.get("DISCREET_SOAK") else 2_500

WORDS = """
    SELECT COUNT(*) SUM( AVG( MIN( MAX( MEDIAN( MODE( TOP( QUANTILE( SHARE( BIN( ) , ; * mood
    weight clinic smokes 1 2.5 -3 'A' 'B' 'x' 0.9 1e999 NULL TRUE WHERE AND OR NOT = < >= IN (
    BETWEEN GROUP BY ORDER LIMIT FROM data JOIN DISTINCT CASE WHEN error('x') CAST(mood AS INT)
    read_csv('rows.csv') DROP TABLE clean -- /* */ ' $1 :x ? :: || HAVING OVER () UNION ALL
"""
VALID = (
    "SELECT COUNT(*) WHERE mood > 2",
    "SELECT AVG(mood), MAX(weight) WHERE clinic = 'A' GROUP BY smokes",
    "SELECT QUANTILE(weight, 0.9) WHERE mood IN (1, 2) OR NOT smokes",
)
jumbled = st.lists(st.sampled_from(WORDS.split()), max_size=14).map(" ".join)
mangled = st.tuples(
    st.sampled_from(VALID), st.integers(0, 60), st.integers(0, 6), st.text(max_size=6)
).map(lambda t: t[0][: t[1]] + t[3] + t[0][t[1] + t[2] :])


@pytest.fixture(scope="module")
def survey(tmp_path_factory):
    folder = tmp_path_factory.mktemp("fuzz")
    rows = [f"{1 + place % 5},11,{'AB'[place % 2]},yes" for place in range(30)]
    (folder / "rows.csv").write_text("\n".join([HEADER, *rows]) + "\n")
    (folder / "survey.toml").write_text(dataset_text(total="100"))
    with open_dataset(folder / "survey.toml", analyst="tester") as opened:
        yield opened


@given(st.one_of(jumbled, mangled, st.text(max_size=40)))
@settings(max_examples=FUZZED, deadline=None)
def test_no_text_breaks_the_curator_and_only_answers_are_charged(survey, sql):
    before = survey.curator.ledger.balance().spent
    refusal = None
    try:
        answered = survey.sql(sql).ask(epsilon="0.00001").results
    except DiscreetError as problem:
        refusal, answered = str(problem), ()
    spent = survey.curator.ledger.balance().spent - before
    if refusal is None:
        assert answered
        assert 0 <= spent <= 10_000
    else:
        assert spent == 0
        assert "\n" not in refusal
        assert len(refusal) < 2000
