"""Every draw that several answers share is booked with what proves it, and an audit agrees."""

import pytest

from discreet.curator import open_dataset

QUESTIONS = (
    "SELECT COUNT(*) GROUP BY clinic, smokes",
    "SELECT COUNT(smokes), COUNT(mood > 2), COUNT(weight > 10)",
    "SELECT COUNT(*), COUNT(smokes) GROUP BY clinic",
    "SELECT AVG(mood), COUNT(*), SUM(mood) WHERE smokes",
    "SELECT AVG(weight), COUNT(*) GROUP BY clinic",
    "SELECT COUNT(*) GROUP BY ROLLUP(clinic, smokes)",
    "SELECT COUNT(*) GROUP BY CUMULATIVE(mood)",
    "SELECT QUANTILE(mood, 0.25), MEDIAN(mood), QUANTILE(mood, 0.75)",
)
RELATIONS = (
    "size = 30",
    "size_at_most = 60",
    'neighbours = "add-or-remove"\nsize_at_most = 60',
)


@pytest.mark.parametrize("privacy", RELATIONS)
def test_what_is_booked_passes_an_audit(make, privacy):
    with open_dataset(make(privacy)) as survey:
        ledger, shared = survey.curator.ledger, 0
        for place, sql in enumerate(QUESTIONS):
            plan = survey.sql(sql).plan(epsilon=3, fresh=True)
            survey.sql(sql).ask(epsilon=3, id=f"q{place}", fresh=True)
            facts = ledger.charged(f"q{place}").facts()
            together = facts.get("together", [])
            shared += bool(together)
            assert bool(together) >= bool(plan.joined)
            assert all({"parts", "epsilon", "certificate", "body"} <= set(one) for one in together)
            assert all(one["body"] is None or "gauge" in one["body"] for one in together)
        assert shared >= 4
        assert ledger.audit().problems == ()
