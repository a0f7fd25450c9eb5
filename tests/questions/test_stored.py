"""What was stored of a question by an earlier version is still that question."""

import pytest

from planning.facts import asked, dataset

STORED = {
    "SELECT COUNT(*), COUNT(mood > 2), SHARE(clinic = 'A')":
        "2708c510e98553034b5c4071f6da7f93dd056da4bb661c6329bcefbf271ccdd9",
    "SELECT SUM(mood), AVG(weight), MEAN(mood) WHERE mood BETWEEN 1 AND 3":
        "a3786222083ab6e3dd357482969f4dac645d0499611915d9c80cffb4afae0572",
    "SELECT MIN(mood), MAX(mood), MEDIAN(weight), QUANTILE(mood, 0.9) GROUP BY clinic":
        "74e0783f7a610669c7027f6a3c475f1bb9f6fc0bbfe9e84ee3aaffc7155a5a8f",
    "SELECT QUANTILE(mood, 0.5), MODE(clinic), TOP(clinic, 2) WHERE NOT clinic IN ('A', 'B') "
    "GROUP BY BIN(mood, 2)":
        "b55f493d8d465b410795fcd61903385c534bb3cf8afb92e11356dbbde0ace292",
}  # fmt: skip
"""Digests that the version before statistics were types wrote into ledgers."""


@pytest.mark.parametrize("sql", STORED)
def test_a_question_has_the_digest_it_always_had(sql):
    assert asked(sql, dataset(20)).digest == STORED[sql]


def test_an_item_is_stored_under_the_keys_it_always_had():
    (item,) = asked("SELECT QUANTILE(mood, 0.9)", dataset(20)).items
    assert list(item.to_dict().items()) == [
        ("kind", "quantile"),
        ("column", "mood"),
        ("condition", {"all": []}),
        ("rank", "9/10"),
        ("most", None),
    ]
