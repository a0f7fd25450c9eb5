"""Pictures: everything inside the frame, every number of the drawing in the table, all finite."""

import math
import re
import xml.etree.ElementTree as ET
from datetime import date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.figures import (
    Bar,
    Curve,
    DatedAnswer,
    GroupPanel,
    GroupSpread,
    Picture,
    answer_span,
    budget_meter,
    error_curves,
    fitted_line,
    group_bars,
    heat_map,
    line_panels,
    loss_bars,
    quantile_spreads,
    scatter,
    time_line,
    what_epsilon_means,
    word_scatter,
)
from discreet.figures.axis import Axis, day_of, day_ticks
from discreet.figures.marks import element
from discreet.text import brief

SVG = "{http://www.w3.org/2000/svg}"
AMOUNTS = st.floats(0, 1e9, allow_nan=False)
VALUES = st.floats(-1e9, 1e9, allow_nan=False)


def _marks(picture: Picture, name: str, kind: str = "") -> list[dict[str, str]]:
    tree = ET.fromstring(picture.svg)
    return [
        mark.attrib
        for mark in tree.iter(f"{SVG}{name}")
        if kind in mark.attrib.get("class", "").split() or not kind
    ]


def _check_sound(picture: Picture) -> None:
    tree = ET.fromstring(picture.svg)
    _, _, width, height = map(float, tree.attrib["viewBox"].split())
    assert tree.attrib["role"] == "img"
    assert tree.attrib["aria-label"] == picture.message
    for mark in tree.iter():
        assert "style" not in mark.attrib, "inline style is forbidden by the content policy"
        for key, told in mark.attrib.items():
            if key in ("x", "x1", "x2", "cx"):
                assert -0.01 <= float(told) <= width + 0.01
            if key in ("y", "y1", "y2", "cy"):
                assert -0.01 <= float(told) <= height + 0.01
            if key in ("width", "height"):
                assert 0 <= float(told) < math.inf
            if key == "points":
                assert all(math.isfinite(float(place)) for place in re.split("[ ,]", told))
        if mark.tag == f"{SVG}rect":
            right = float(mark.attrib["x"]) + float(mark.attrib["width"])
            assert right <= width + 0.5
    assert all(len(row) == len(picture.head) for row in picture.rows)


def _amount(told: str) -> float:
    return float(re.sub(r"[^\d.−-]", "", told).replace("−", "-"))


@given(AMOUNTS, st.floats(1e-9, 1e9), AMOUNTS)
def test_a_meter_shows_what_is_spent_as_a_share_of_what_is_allowed(spent, allowed, asking):
    picture = budget_meter(spent, allowed, asking)
    _check_sound(picture)
    bar = _marks(picture, "rect", "meter-spent")[0]
    assert float(bar["width"]) == pytest.approx(420 * min(1, spent / allowed), abs=0.01)
    assert _amount(picture.rows[0][1]) == pytest.approx(spent, rel=1e-6, abs=1e-12)


def test_a_meter_says_when_a_question_would_take_more_than_is_left():
    assert "more than is left" in budget_meter(0.5, 1, 0.6).message
    assert "more than is left" not in budget_meter(0.5, 1, 0.5).message


@st.composite
def laws(draw):
    size = draw(st.integers(1, 300))
    start, step = draw(st.floats(-1e6, 1e6)), draw(st.floats(1e-3, 1e3))
    weights = draw(st.lists(st.floats(0.001, 1), min_size=size, max_size=size))
    total = sum(weights)
    answers = [start + step * i for i in range(size)]
    return answers, [weight / total for weight in weights], draw(st.sampled_from(answers))


@given(laws())
def test_the_bars_of_a_scatter_are_as_tall_as_the_chances_in_its_table(law):
    answers, chances, truth = law
    picture = scatter(answers, chances, truth, "a message", near=(truth, truth))
    _check_sound(picture)
    bars = _marks(picture, "rect", "bar")
    heights = [float(bar["height"]) for bar in bars]
    drawn = [row for row in picture.rows if row[0] != "farther away"]
    assert len(drawn) == len(bars)
    shown = [0.0 if "under" in row[1] else _amount(row[1]) for row in drawn]
    tallest, largest = max(heights), max(shown)
    for height, percent in zip(heights, shown, strict=True):
        assert height / tallest == pytest.approx(percent / largest, abs=0.12 / largest + 1e-3)


@given(laws())
def test_what_a_scatter_leaves_out_is_under_one_in_a_thousand_and_said(law):
    answers, chances, truth = law
    picture = scatter(answers, chances, truth, "a message")
    drawn = [_amount(row[1]) for row in picture.rows if "under" not in row[1]]
    farther = [row[1] for row in picture.rows if row[0] == "farther away"]
    assert not farther or _amount(farther[0]) <= 0.1
    assert sum(drawn) == pytest.approx(100, abs=0.06 * len(picture.rows) + 0.1)


def test_words_are_drawn_with_their_chances():
    picture = word_scatter(["no <b>", "yes & so"], [0.25, 0.75], "yes & so", "a message")
    _check_sound(picture)
    assert picture.rows == (("no <b>", "25.0 %"), ("yes & so", "75.0 %"))
    assert "<b>" not in picture.svg


@given(st.lists(st.tuples(VALUES, AMOUNTS, AMOUNTS), min_size=1, max_size=60))
def test_group_bars_start_at_zero_and_their_whiskers_hold_the_bar(groups):
    bars = [Bar(f"g{i}", v, v - low, v + high) for i, (v, low, high) in enumerate(groups)]
    picture = group_bars(bars, "a message")
    _check_sound(picture)
    drawn = _marks(picture, "rect", "bar")
    every = [end for bar in bars for end in (bar.low, bar.high, 0.0)]
    axis = Axis(
        low=min(every),
        high=max(every) if max(every) > min(every) else min(every) + 1,
        start=112,
        end=396,
    )
    for bar, mark, row in zip(bars, drawn, picture.rows, strict=True):
        left, right = sorted((axis.at(0.0), axis.at(bar.value)))
        assert float(mark["x"]) == pytest.approx(left, abs=0.02)
        assert float(mark["width"]) == pytest.approx(right - left, abs=0.02)
        assert _amount(row[1]) == pytest.approx(bar.value, rel=1e-4, abs=1e-9)


@given(VALUES, AMOUNTS, AMOUNTS)
def test_the_dot_of_a_span_lies_on_its_whisker(value, below, above):
    picture = answer_span(value, value - below, value + above, "a message", possible=None)
    _check_sound(picture)
    whisker, dot = _marks(picture, "line", "whisker")[0], _marks(picture, "circle")[0]
    assert float(whisker["x1"]) - 0.02 <= float(dot["cx"]) <= float(whisker["x2"]) + 0.02


@given(st.integers(1, 40), st.integers(1, 40), st.data())
def test_a_heat_map_has_a_cell_for_every_entry_inked_by_its_chance(rows, columns, data):
    chances = [
        [data.draw(st.floats(0, 1)) if i + j < 8 else 1 / rows for j in range(columns)]
        for i in range(rows)
    ]
    picture = heat_map(
        chances, [str(i) for i in range(rows)], [str(j) for j in range(columns)], "a message"
    )
    _check_sound(picture)
    cells = _marks(picture, "rect", "cell")
    deepest = max(max(row) for row in chances) or 1.0
    flat = [chance for row in chances for chance in row]
    assert [float(cell["fill-opacity"]) for cell in cells] == pytest.approx(
        [chance / deepest for chance in flat], abs=0.006
    )
    told = [float(cell) for row in picture.rows for cell in row[1:]]
    assert told == pytest.approx(flat, abs=6e-5)


def test_curves_hold_every_number_of_their_table_and_differ_by_more_than_colour():
    curves = [Curve(f"mechanism {i}", (3.0 + i, 2.0, 1.0 / (i + 1))) for i in range(4)]
    picture = error_curves([0.1, 1.0, 10.0], curves, "a message", here=1.0)
    _check_sound(picture)
    assert [row[0] for row in picture.rows] == ["0.1", "1", "10"]
    assert [float(row[1]) for row in picture.rows] == pytest.approx([3.0, 2.0, 1.0])
    assert {"circle", "rect", "polygon"} <= {
        mark.tag.removeprefix(SVG)
        for mark in ET.fromstring(picture.svg).iter()
        if "spot" in mark.attrib.get("class", "")
    }


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=9))
def test_the_longest_loss_bar_is_the_largest_loss_and_the_best_is_named(losses):
    picture = loss_bars([f"m{i}" for i in range(len(losses))], losses, "a message")
    _check_sound(picture)
    widths = [float(bar["width"]) for bar in _marks(picture, "rect", "bar")]
    assert widths[losses.index(max(losses))] == max(widths)
    assert "best" in picture.rows[losses.index(min(losses))][1]


@given(st.floats(0.01, 10))
def test_the_two_laws_of_the_help_picture_differ_by_at_most_e_to_the_epsilon(epsilon):
    picture = what_epsilon_means(epsilon)
    _check_sound(picture)
    heights = [
        [float(bar["height"]) for bar in _marks(picture, "rect", kind)]
        for kind in ("pair-a", "pair-b")
    ]
    for without, with_you in zip(*heights, strict=True):
        low, high = sorted((without, with_you))
        assert high <= low * math.exp(epsilon) + 0.02 * (1 + math.exp(epsilon))


@given(st.floats(-1e12, 1e12), st.floats(1e-6, 1e12), st.floats(-1e13, 1e13))
def test_an_axis_stays_between_its_ends_and_its_ticks_inside_its_stretch(low, span, value):
    axis = Axis(low=low, high=low + span, start=10.0, end=110.0)
    assert 10.0 <= axis.at(value) <= 110.0
    slack = 1e-6 * (abs(low) + span)
    assert all(low - slack <= tick <= low + span + slack for tick in axis.ticks())
    assert len(axis.ticks()) <= 8


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_what_is_not_finite_is_never_drawn(value):
    with pytest.raises(ValueError, match="finite"):
        brief(value)
    with pytest.raises(ValueError, match="finite"):
        element("rect", x=value)


@given(st.text(max_size=40))
def test_every_text_is_escaped(told):
    clean = "".join(c for c in told if c.isprintable())
    picture = group_bars([Bar(f"<script>{clean}", 1.0, None, None)], f'"><b>{clean}')
    assert "<script>" not in picture.svg
    assert "<b>" not in picture.svg
    _check_sound(picture)


DAYS = st.one_of(st.dates(), st.datetimes())


@given(DAYS, DAYS, st.integers(2, 8))
def test_days_on_an_axis_are_marked_at_the_day_that_is_written_there(one, other, most):
    low, high = sorted((day_of(one), day_of(other)))
    ticks = day_ticks(low, high, most)
    assert len(ticks) <= most
    assert [at for at, _ in ticks] == sorted({at for at, _ in ticks})
    for at, words in ticks:
        assert low - 1e-6 <= at <= high + 1e-6
        day = date.fromordinal(math.floor(at + 1e-6))
        if ":" in words:
            passed = datetime.strptime(words, "%H:%M") - datetime.strptime("0", "%H")
            assert at - day.toordinal() == pytest.approx(passed / timedelta(days=1), abs=1e-6)
        else:
            assert day.isoformat().startswith(words)
            assert at == day.toordinal()


@given(
    st.dates(date(1990, 1, 1), date(2030, 1, 1)),
    st.lists(st.one_of(st.none(), VALUES), min_size=1, max_size=90).filter(any),
)
def test_a_time_line_has_every_moment_in_its_table_and_a_dot_for_every_value(start, values):
    moments = [
        DatedAnswer(f"m{place}", start + timedelta(days=30 * place), value, value, high=value)
        for place, value in enumerate(values)
    ]
    picture = time_line(moments, "a message")
    _check_sound(picture)
    assert [row[0] for row in picture.rows] == [one.name for one in moments]
    dots = _marks(picture, "circle", "spot")
    told = sum(value is not None for value in values)
    assert len(dots) == (told if len(moments) <= 60 else 0)


def test_years_have_no_separator_and_no_number_leaves_the_picture():
    picture = scatter([1994, 1995, 1996], [0.5, 0.4, 0.1], 1994, "a message", years=True)
    assert "1994" in picture.svg
    assert "1,99" not in picture.svg + str(picture.rows)
    wide = scatter([10**6, 10**6 + 1], [0.5, 0.5], 10**6, "a message")
    ticks = re.findall(r'<text x="([0-9.]+)"[^>]*class="tick mid">([^<]*)<', wide.svg)
    assert ticks
    assert all(float(at) + 4 * len(words) <= 420 for at, words in ticks)


@given(st.lists(st.tuples(VALUES, VALUES, VALUES).map(sorted).map(tuple), min_size=1, max_size=9))
def test_quantiles_are_drawn_in_order_and_silent_groups_say_so(groups):
    spreads = [GroupSpread(f"g{place}", values) for place, values in enumerate(groups)]
    few = GroupSpread("empty", (), "too few rows")
    picture = quantile_spreads([*spreads, few], ["a", "b", "c"], "a message", name="values")
    _check_sound(picture)
    assert "too few rows" in picture.svg
    assert picture.rows[-1] == ("empty", *["too few rows"] * 3)
    boxes, medians = _marks(picture, "rect", "box"), _marks(picture, "line", "median")
    assert len(boxes) == len(medians) == len(groups)
    for box, median in zip(boxes, medians, strict=True):
        first, width = float(box["x"]), float(box["width"])
        assert first - 0.02 <= float(median["x1"]) <= first + width + 0.02  # three are rounded


def test_quantiles_that_may_lie_anywhere_have_no_ink():
    known, unknown = (
        GroupSpread("a", (1.0, 2.0, 3.0)),
        GroupSpread("b", (1.0, 2.0, 3.0), faint="anywhere"),
    )
    picture = quantile_spreads([known, unknown], ["x", "y", "z"], "a message", name="values")
    _check_sound(picture)
    assert "anywhere" in picture.svg
    assert len(_marks(picture, "rect", "bar")) == len(_marks(picture, "line", "median")) == 1
    assert len(_marks(picture, "rect", "faint")) == 1
    dots = quantile_spreads([GroupSpread("b", (1.0,), faint="?")], ["x"], "m", name="values")
    assert not _marks(dots, "circle", "dot")


@given(st.lists(st.lists(VALUES, min_size=5, max_size=9), min_size=2, max_size=5))
def test_small_lines_share_their_scales_and_every_value_is_told(groups):
    panels = [
        GroupPanel(
            f"p{at}",
            tuple(DatedAnswer(str(x), float(x), value, value, high=value) for x, value in told),
        )
        for at, told in enumerate(map(enumerate, groups))
    ]
    picture = line_panels(panels, "a message")
    _check_sound(picture)
    assert len(picture.rows) == sum(map(len, groups)) == len(_marks(picture, "circle", "spot"))
    top = max(map(max, groups))
    heights = {
        float(mark["cy"]) % 132
        for mark, value in zip(
            _marks(picture, "circle", "spot"), [v for told in groups for v in told], strict=True
        )
        if value == top
    }
    assert max(heights) - min(heights) < 0.02, "the same value stands at the same height"


def test_years_on_an_axis_have_no_separator():
    moments = [
        DatedAnswer(str(year), float(year), 1.0, 0.5, high=1.5) for year in range(1998, 2008)
    ]
    picture = time_line(moments, "a message", along="year", years=True)
    drawn = set(re.findall(r">(\d[\d,]*)<", picture.svg))
    assert drawn & {"2000", "2002", "2004"}
    assert not any("," in words for words in drawn)


@given(VALUES, VALUES, st.floats(-1e6, 1e6), st.floats(1e-3, 1e6))
def test_a_fitted_line_ends_where_its_table_says(slope, intercept, start, length):
    picture = fitted_line(slope, intercept, (start, start + length), "a message", names=("x", "y"))
    _check_sound(picture)
    ends = [intercept + slope * x for x in (start, start + length)]
    for (_, told), end in zip(picture.rows, ends, strict=True):
        assert _amount(told) == pytest.approx(end, rel=1e-4, abs=1e-4)


def test_crossed_groups_stand_under_their_heading_and_silent_ones_say_so():
    bars = [
        Bar("yes", 3.0, 2.0, 4.0, under="North"),
        Bar("no", None, None, None, under="North", few="too few rows (about 2)"),
        Bar("yes", 5.0, 4.0, 6.0, under="Saint-Barthélemy-du-Lac outpatient centre"),
    ]
    picture = group_bars(bars, "a message")
    _check_sound(picture)
    assert picture.head == ("of", "group", "answer", "from", "to")
    assert picture.svg.count("North<") == 1
    assert "Saint-Barthélemy-du-Lac outpatient centre<" in picture.svg, "long names have room"
    assert "too few rows (about 2)" in picture.svg
    assert len(_marks(picture, "rect", "bar")) == 2
