"""Counts that share one draw: the truth that they are drawn around, their charge and its entry."""

import json

import pytest

from discreet.curator import open_dataset
from discreet.planning.joint import weighing

THREE = "SELECT COUNT(smokes), COUNT(mood >= 4), SHARE(clinic = 'A')"


@pytest.mark.parametrize(
    ("sql", "truth"),
    [
        (THREE, [20, 12, 0.5]),
        ("SELECT COUNT(mood <= 1), COUNT(mood >= 4) WHERE smokes", [4, 8]),
        ("SELECT COUNT(*), COUNT(smokes) GROUP BY clinic", [15, 10, 15, 10, 0, 0]),
        (
            "SELECT COUNT(mood = 1), COUNT(weight > 10), COUNT(smokes) GROUP BY clinic",
            [3, 10, 10] * 2 + [0] * 3,
        ),
    ],
)
def test_counts_together_are_drawn_around_the_truth(make, monkeypatch, sql, truth):
    """At a large ε noise is rarer than once in 10^15 draws; sets gain nothing, and are forced."""
    monkeypatch.setattr(weighing, "_NOTICEABLE", -1)
    with open_dataset(make(total="100")) as survey:
        assert survey.sql(sql).plan(epsilon=100).joined
        answer = survey.sql(sql).ask(epsilon=100)
    assert [one.value for one in answer.results] == truth


def test_one_charge_is_booked_with_what_proves_it(survey):
    answer = survey.sql(THREE).ask(epsilon=1)
    assert answer.epsilon == "1"
    (entry,) = [one for one in survey.curator.ledger.entries() if one.kind == "charge"]
    body = json.loads(entry.body)
    assert body["cost"] == {"single": 10**9}
    (together,) = body["together"]
    assert together["parts"] == [0, 1, 2]
    assert together["certificate"] == answer.results[0].certificate
    assert together["body"] == {
        "gauge": "max |z|",
        "dimension": 3,
        "relation": "change",
        "rows_per_unit": 1,
        "width": 1,
        "rate": "1",
    }


def test_groups_that_share_one_noise_are_booked_so_too(survey):
    survey.sql("SELECT COUNT(*) GROUP BY clinic").ask(epsilon=1)
    (entry,) = [one for one in survey.curator.ledger.entries() if one.kind == "charge"]
    (together,) = json.loads(entry.body)["together"]
    assert together["parts"] == [0]
    assert together["body"]["gauge"] == "½ Σ |z|, Σ z = 0"
    assert (together["body"]["width"], together["body"]["rate"]) == (1, "1")
