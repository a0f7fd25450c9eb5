"""The time of an answer, given what it told, says nothing of a row: for every kind of question.

What could leak is the answer and its time together. So two servers hold neighbouring tables, the
same plan is drawn for both in a random order, and only draws that told the same are compared
(`draw_times` says how, and what is surely seen). The processor time is that of everything that
happens under the charge, the telling included.
"""

import os

import pytest

from discreet.curator import Curator, Order
from draw_times import slower, smallest_seen, tells_apart
from small_survey import HEADER, dataset_text

PAIRS = 10_000 if os.environ.get("DISCREET_SOAK") else 250
KINDS = {
    "SELECT COUNT(smokes)": "1",
    "SELECT SHARE(smokes) WHERE mood > 2": "1",
    "SELECT SUM(mood)": "4",
    "SELECT AVG(mood) WHERE clinic = 'A'": "4",
    "SELECT MIN(mood)": "1",
    "SELECT MEDIAN(mood)": "1",
    "SELECT MEDIAN(mood) WHERE smokes": "1",
    "SELECT MODE(clinic)": "1",
    "SELECT TOP(clinic, 2)": "8",
    "SELECT QUARTILES(mood)": "4",
    "SELECT IQR(mood)": "2",
    "SELECT COUNT(*) GROUP BY clinic": "6",
    "SELECT COUNT(smokes), COUNT(mood > 2)": "3",
    "SELECT VARIANCE(mood)": "8",
    "SELECT CORR(mood, weight)": "8",
    "SELECT COUNT(DISTINCT clinic)": "1",
    "SELECT MAX(mood)": "0.4",
    "SELECT COUNT(mood >= 2), COUNT(mood >= 3), COUNT(mood >= 4)": "4",
    "SELECT CUMULATIVE(mood)": "4",
    "SELECT COUNT(*) GROUP BY ROLLUP(clinic)": "6",
    "SELECT AVG(mood) GROUP BY clinic": "10",
    "SELECT AVG(mood), COUNT(smokes)": "3",
    "SELECT STDDEV(mood)": "8",
    "SELECT COVAR_POP(mood, weight)": "8",
    "SELECT REGR_SLOPE(weight, mood)": "8",
    "SELECT SUM(mood) / SUM(weight)": "8",
    "SELECT SPREAD(mood)": "2",
}
"""Every kind of question, for as much as lets the same be told often."""
COARSELY = {
    "SELECT SUM(mood)": 10,
    "SELECT AVG(mood) WHERE clinic = 'A'": 0.2,
    "SELECT VARIANCE(mood)": 0.5,
    "SELECT CORR(mood, weight)": 0.5,
    "SELECT CUMULATIVE(mood)": 6,
    "SELECT AVG(mood) GROUP BY clinic": 1,
    "SELECT AVG(mood), COUNT(smokes)": 3,
    "SELECT STDDEV(mood)": 0.25,
    "SELECT COVAR_POP(mood, weight)": 0.5,
    "SELECT REGR_SLOPE(weight, mood)": 0.25,
    "SELECT SUM(mood) / SUM(weight)": 10,
}
"""What is told of these hardly ever repeats: values as near as this are compared."""
ROWS = [f"{1 + place % 5},{10 + place % 3},{'AB'[place % 2]},yes" for place in range(30)]
OTHER = [*ROWS[:-1], "1,12,B,no"]


@pytest.fixture(scope="module")
def pair(tmp_path_factory):
    """Curators of two tables that differ in one row, which is at the other end of every column."""
    made = []
    for name, rows in (("one", ROWS), ("other", OTHER)):
        folder = tmp_path_factory.mktemp(name)
        (folder / "rows.csv").write_text("\n".join([HEADER, *rows]) + "\n")
        (folder / "survey.toml").write_text(dataset_text())
        made.append(Curator(folder / "survey.toml", analyst="ana"))
    yield made
    for curator in made:
        curator.close()


def drawing(curator, ready, sql):
    """Makes a draw ready, as every ask does; the draw tells its values."""
    table, step = curator.table, COARSELY.get(sql)

    def told(value):
        return str(value) if step is None or value is None else round(float(value) / step)

    def made():
        waiting = curator._counts.waiting(ready, lambda: table)
        return lambda: tuple(told(one.value) for one in ready.draw(waiting).results)

    return made


@pytest.mark.parametrize("sql", KINDS)
def test_the_time_given_what_was_told_says_nothing_of_a_row(pair, sql):
    one, other = pair
    ready = one._ready.of(Order.of(one.question(sql), epsilon=KINDS[sql]))
    wins, pairs = slower(drawing(one, ready, sql), drawing(other, ready, sql), PAIRS)
    print(f"{sql}: surely seen from {smallest_seen(pairs):.3f}")
    assert not tells_apart(wins, pairs), (wins, pairs)


def test_a_tenth_more_for_one_of_them_is_seen(pair):
    one, other = pair
    sql = "SELECT MEDIAN(mood)"
    ready = one._ready.of(Order.of(one.question(sql), epsilon="1"))
    plain = drawing(other, ready, sql)

    def lingering():
        draw = plain()

        def drawn():
            sorted(str(number) for number in range(200))
            return draw()

        return drawn

    wins, pairs = slower(drawing(one, ready, sql), lingering, 250)
    assert tells_apart(wins, pairs), (wins, pairs)
