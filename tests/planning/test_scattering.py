"""How answers scatter is the law of the draw, on an imagined table."""

import math
from itertools import product
from statistics import fmean

import pytest

from discreet.planning import plan
from discreet.planning.scattering import imagined, scattering_of
from discreet.questions import parse_sql
from discreet.tables import read_dataset
from planning.facts import one_of
from served_pages import ASKED, write_survey

DRAWS = 400
SLACK = math.sqrt(math.log(2 / 1e-8) / (2 * DRAWS))
"""By Hoeffding, a frequency is off by more once in 10^8."""


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory):
    return read_dataset(write_survey(tmp_path_factory.mktemp("facts")))


@pytest.mark.parametrize(("sql", "epsilon"), ASKED)
def test_the_law_is_that_of_the_draw(dataset, sql, epsilon):
    part = plan(parse_sql(sql, dataset), dataset, epsilon=epsilon).parts[0]
    law = scattering_of(part)
    assert law is not None
    assert sum(law.chances) == pytest.approx(1, abs=2e-4)
    assert min(law.chances) >= 0
    assert list(law.answers) == sorted(law.answers)
    table = imagined(part.subject)
    drawn = [one_of(part.chosen.release, table) for _ in range(DRAWS)]
    if law.words is not None:
        right = sum(value == law.words[int(law.truth)] for value in drawn) / DRAWS
        assert right == pytest.approx(law.chances[int(law.truth)], abs=SLACK)
        return
    if part.subject.statistic.name == "top":
        return
    for confidence in (0.3, 0.6, 0.9):
        reach = law.reach(confidence)
        expected = sum(
            chance
            for told, chance in zip(law.answers, law.chances, strict=True)
            if abs(told - law.truth) <= reach + 1e-9
        )
        seen = sum(abs(float(value) - law.truth) <= reach + 1e-9 for value in drawn) / DRAWS
        loose = 0.03 if "RatioRelease" in type(part.chosen.release).__name__ else 2e-4
        assert seen == pytest.approx(expected, abs=SLACK + loose)


@pytest.mark.parametrize(("sql", "epsilon"), ASKED)
def test_the_interval_in_words_has_ends_that_can_be_told_and_holds_the_confidence(
    dataset, sql, epsilon
):
    part = plan(parse_sql(sql, dataset), dataset, epsilon=epsilon).parts[0]
    law = scattering_of(part)
    assert law is not None
    if law.words is not None:
        return
    low, high = law.between(law.reach(0.95))
    assert {low, high} <= set(law.answers)
    inside = (c for told, c in zip(law.answers, law.chances, strict=True) if low <= told <= high)
    assert sum(inside) >= 0.95 - 1e-6


@pytest.mark.parametrize("sql", ["SELECT STDDEV(age)", "SELECT CORR(age, satisfaction)"])
def test_the_imagined_table_of_sums_has_its_rows_spread_evenly(dataset, sql):
    subject = plan(parse_sql(sql, dataset), dataset, epsilon=1).parts[0].subject
    table = imagined(subject)
    places = [range(grid.size) for grid in subject.form.grids]
    every = [(one, 0) for one in places[0]] if len(places) == 1 else list(product(*places))
    for which in (0, 1):  # the mean and the mean square of every combination, once each
        mean, square = (fmean(row[which] ** power for row in every) for power in (1, 2))
        assert table.totals[which] / table.rows == pytest.approx(mean)
        assert table.squares[which] / table.rows == pytest.approx(square)
    assert table.product / table.rows == pytest.approx(fmean(a * b for a, b in every))
