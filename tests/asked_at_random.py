"""Any text asked of a small survey, and what is promised of the answer or the refusal."""

import time

from discreet.errors import DiscreetError
from question_grammar import EVERY_KIND, HEADER, REGIONS, row
from small_survey import dataset_text

LONGEST = 30.0
"""Seconds of processor time that one question may take on a busy machine: few take one."""


def write_survey(folder, size=30):
    """A survey of some rows with every kind of column; the path of its dataset file."""
    (folder / "rows.csv").write_text("\n".join([HEADER, *map(row, range(size))]) + "\n")
    (folder / "regions.csv").write_text(REGIONS)
    (folder / "survey.toml").write_text(dataset_text(f"size = {size}", "100", columns=EVERY_KIND))
    return folder / "survey.toml"


def ask_at_random(survey, sql, epsilon="0.01"):
    """Ask, and hold the answer or the refusal to what is promised of both.

    Returns:
        The answer; None where it was refused.
    """
    before, started = survey.curator.ledger.balance().spent, time.process_time()
    refusal, answer = None, None
    try:
        answer = survey.sql(sql).ask(epsilon=epsilon)
    except DiscreetError as problem:
        refusal = str(problem)
    spent = survey.curator.ledger.balance().spent - before
    if answer is not None:
        left_out = "HAVING" in sql.upper() or "OFFSET" in sql.upper()  # may leave nothing
        assert answer.results or left_out
        assert 0 <= spent <= float(epsilon) * 10**9
    else:
        assert spent == 0
        assert "\n" not in refusal
        assert len(refusal) < 2000
    assert time.process_time() - started < LONGEST
    return answer
