"""What the ledger keeps of a question is read back as the same question."""

import pytest

from discreet.questions import parse_sql
from discreet.questions.written import question_from_dict
from discreet.tables import read_dataset
from small_survey import dataset_text

QUESTIONS = (
    "SELECT COUNT(*)",
    "SELECT COUNT(smokes), MEDIAN(mood), QUANTILE(mood, 0.25), MIN(weight) WHERE clinic = 'A'",
    "SELECT AVG(mood), SUM(weight), SPREAD(mood), IQR(weight) GROUP BY clinic",
    "SELECT MODE(clinic), TOP(clinic, 2), SHARE(mood > 2) WHERE NOT (smokes AND mood = 3)",
    "SELECT COUNT(*) WHERE mood IN (1, 2) OR clinic IS NULL GROUP BY BIN(weight, 1), smokes",
    "SELECT COUNT(*) GROUP BY ROLLUP(clinic, smokes)",
    "SELECT CORR(mood, weight), VARIANCE(mood) WHERE smokes",
)


@pytest.fixture
def dataset(tmp_path):
    (tmp_path / "survey.toml").write_text(dataset_text())
    return read_dataset(tmp_path / "survey.toml")


@pytest.mark.parametrize("sql", QUESTIONS)
def test_what_is_written_is_read_back(dataset, sql):
    told = parse_sql(sql, dataset).to_dict()
    assert question_from_dict(told).to_dict() == told


@pytest.mark.parametrize(
    "spoilt",
    [None, {}, {"statistics": []}, {"statistics": [{"kind": "guess"}], "where": {"all": []}},
     {"statistics": [], "where": {"some": []}, "group_by": None},
     {"statistics": [], "where": {"all": []}, "group_by": None, "having": 1},
     {"statistics": [{"kind": "top", "column": "clinic", "condition": {"all": []}, "most": "x"}],
      "where": {"all": []}, "group_by": None}],
)  # fmt: skip
def test_what_is_no_question_is_not_guessed_at(spoilt):
    with pytest.raises(ValueError, match=r"no (question|condition)|older form"):
        question_from_dict(spoilt)
