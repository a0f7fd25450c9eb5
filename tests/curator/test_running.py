"""Histograms and running totals are those of the rows, by arrays and by an engine alike."""

import numpy as np
import pytest

from discreet import QuestionError, open_dataset
from discreet.planning import Reading, grouping_of, subject_of
from discreet.tables import GAP
from small_survey import dataset_text


def test_at_a_large_epsilon_they_are_those_of_the_rows(survey):
    """Moods 1 to 5, six rows each: noise is rarer than once in 10^9 draws."""
    answer = survey.cumulative("mood", [2, 3]).ask(epsilon=25)
    assert answer.value == {"up to 2": 12, "up to 3": 18, "up to 5": 30}
    assert str(survey.histogram("mood", [2, 5])) == "SELECT COUNT(*) GROUP BY BIN(mood, [2, 5])"
    assert survey.sql("SELECT HISTOGRAM(mood, [2, 5]) AS n").plan(epsilon=1).groups == (
        "1", "2 to 4", "5",
    )  # fmt: skip


@pytest.mark.parametrize("group", ["BIN(mood, [2, 4])", "CUMULATIVE(mood, [2])", "BIN(weight, 1)"])
def test_arrays_and_the_engine_count_alike(survey, group):
    question = survey.curator.question(f"SELECT COUNT(*) GROUP BY {group}")
    dataset = survey.dataset
    grouping = grouping_of(question, dataset)
    subject = subject_of(question.items[0], question, dataset, grouping.counted)
    reading = Reading.of(question, subject, grouping, facts=dataset)
    table = survey.curator.table
    from_arrays = reading.counted(table)
    rows = {place: many for place, many, _ in table.rows(reading.select)}
    assert [rows.get(place, 0) for place in grouping.places] == [one.rows for one in from_arrays]
    assert sum(one.rows for one in from_arrays) == 30
    assert GAP not in np.array(grouping.places)


def test_stored_running_totals_are_no_histogram_and_the_other_way_round(survey):
    survey.cumulative("mood", 2).ask(epsilon=1)
    assert not survey.histogram("mood", 2).ask(epsilon=1).free
    assert survey.cumulative("mood", 2).ask(epsilon=1).free
    assert not survey.cumulative("mood", [1]).ask(epsilon=1).free


def test_a_histogram_with_edges_tells_counts_between_them(survey):
    told = survey.histogram("mood", [2, 5]).ask(epsilon=1)
    part = survey.count("mood >= 2 AND mood <= 4").ask(epsilon=1)
    assert part.free
    assert part.value == told.value["2 to 4"]
    assert not survey.count("mood >= 3 AND mood <= 4").ask(epsilon=1).free


def test_dates_have_edges_running_totals_and_synthetic_rows(tmp_path):
    (tmp_path / "rows.csv").write_text("day,x\n2024-01-03,1\n2024-02-04,2\n2024-02-29,3\n")
    columns = '[columns.day]\ntype = "date"\nlow = 2024-01-01\nhigh = 2024-03-31\ngaps = false\n'
    file = tmp_path / "visits.toml"
    missing = "missing = 2024-01-01\n"
    file.write_text(dataset_text("size = 3", "100", columns=columns + missing))
    with open_dataset(file) as visits:
        asked = visits.sql("SELECT CUMULATIVE(day, [DATE '2024-01-31', DATE '2024-02-29'])")
        assert str(visits.sql(str(asked))) == str(asked)
        told = asked.ask(epsilon=45).value
        assert told == {"up to 2024-01-31": 1, "up to 2024-02-29": 3, "up to 2024-03-31": 3}
        with pytest.raises(QuestionError, match="edges of day must lie between DATE '2024-01-01'"):
            visits.sql("SELECT HISTOGRAM(day, [DATE '2025-01-01'])")
        days = [row[0] for row in visits.synthesize(("day", 31), epsilon=45).rows()]
    assert [day[:7] for day in days] == ["2024-01", "2024-02", "2024-02"]
