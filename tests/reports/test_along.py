"""Groups in an order are lines, crossed ones a small line each; an empty group is no finding."""

import pytest

from discreet.curator import Curator, Order
from discreet.figures import Bar
from discreet.questions.words import counts_years
from discreet.reports import answer_pictures
from discreet.reports.pictures import _largest

FACTS = """
name = "sales"
confirmed = true
[source]
path = "rows.csv"
[privacy]
size = 300
[budget]
total = "100"
[columns.year]
type = "integer"
low = 1998
high = 2009
[columns.weight]
type = "integer"
low = 1000
high = 2000
step = 100
unit = "kg"
[columns.shop]
type = "category"
values = ["town", "harbour", "nowhere"]
gaps = false
missing = "town"
"""


@pytest.fixture(scope="module")
def curator(tmp_path_factory):
    folder = tmp_path_factory.mktemp("along")
    rows = [
        f"{1998 + i % 12},{1000 + 100 * (i % 11)},{('town', 'harbour')[i % 2]}" for i in range(300)
    ]
    (folder / "rows.csv").write_text("\n".join(["year,weight,shop", *rows]) + "\n")
    (folder / "sales.toml").write_text(FACTS)
    with Curator(folder / "sales.toml") as opened:
        yield opened


def _drawn(curator, sql, epsilon="5"):
    question = curator.question(sql)
    answer = curator.ask(Order.of(question, epsilon=epsilon))
    (picture,) = answer_pictures(answer, question, curator.dataset)
    return picture


def test_years_stand_along_an_axis_without_a_separator(curator):
    picture = _drawn(curator, "SELECT COUNT(*) GROUP BY year")
    assert 'class="band"' in picture.svg
    assert ">2000<" in picture.svg
    assert "2,0" not in picture.svg
    assert picture.message.startswith("The number of rows, along year")


def test_numbers_have_one_where_they_are_no_years(curator):
    picture = _drawn(curator, "SELECT COUNT(*) GROUP BY weight")
    assert "along weight (kg)" in picture.message
    assert "1,2" in picture.svg
    columns = {one.name: counts_years(one) for one in curator.dataset.every_column}
    assert columns == {"year": True, "weight": False, "shop": False}


def test_groups_crossed_with_years_are_a_small_line_each(curator):
    picture = _drawn(curator, "SELECT COUNT(*) GROUP BY shop, year")
    assert "one panel for each group" in picture.message
    assert picture.svg.count('class="band"') == 3
    assert len(picture.rows) == 36


def test_a_group_that_may_be_empty_is_no_bar_and_never_the_largest(curator):
    picture = _drawn(curator, "SELECT COUNT(*) GROUP BY shop", "24")
    assert picture.svg.count('class="bar"') == 2
    assert "nowhere" not in picture.message
    assert "1 group may be empty" in picture.message
    assert "may be none" in picture.svg


@pytest.mark.parametrize(
    ("bars", "said"),
    [
        ([("a", 9, 7, 11), ("b", 3, 1, 5)], ": the largest is a with 9"),
        ([("a", 9, 7, 11), ("b", 8, 6, 10)], "largest shown is a with 9, others may be as large"),
        ([("a", 9, 7, 11), ("b", 3, 0, 12)], "largest shown is a with 9, others may be as large"),
        ([("a", 9, 0, 20), ("b", 3, 1, 5)], "largest shown is b with 3, others may be as large"),
        ([("a", 9, 0, 20)], ""),
    ],
)
def test_the_largest_is_named_as_such_where_intervals_say_so(bars, said):
    drawn = [Bar(*bar, faint="may be none" if bar[2] <= 0 else "") for bar in bars]
    assert _largest(drawn).endswith(said)
    assert bool(_largest(drawn)) == bool(said)
