"""Deviations, correlations and lines: private as planned, held by their intervals, right by SQL."""

import itertools
import math
from dataclasses import replace
from fractions import Fraction

import duckdb
import numpy as np
import pytest

import discreet
from discreet.curator.stored.matching import portions
from discreet.errors import QuestionError
from discreet.joint.moment_mechanism import MomentMechanism
from discreet.model import Grid, Labels
from discreet.planning import Reading, grouping_of, plan
from discreet.planning.candidates.curves import CURVES_NAME, Coordinates
from discreet.planning.reading import products_of
from discreet.planning.releases.curves import CurveRelease
from discreet.questions import parse_sql, question_text
from discreet.questions.words import question_words
from discreet.statistics import Products
from discreet.tables import CategoryColumn, NumberColumn, open_table, read_dataset
from discreet.web.pages.sentence import Sentence, seconds_for, statistics_for
from planning.facts import asked, dataset
from small_survey import AGE, CLINIC, MOOD, dataset_text, with_gaps
from statistics_bounds import tail_bound

GAP = None
FAR = {"x": 2, "y": 1}
COLUMNS = (
    NumberColumn("x", Grid.between(10, 14, 2), Fraction(10), True, complete=True),
    NumberColumn("y", Grid.between(0, 1), Fraction(0), True, complete=True),
    *(CategoryColumn(one, Labels.of(["a", "b"]), "b", complete=True) for one in ("w", "g")),
)
GAPPY = (*(replace(one, missing=None, complete=False) for one in COLUMNS[:2]), *COLUMNS[2:])


def planned(sql, *, change, gaps=False, per_person=1, rows=30, epsilon="8"):
    columns = GAPPY if gaps else COLUMNS
    facts = dataset(rows, public=change, change=change, per_person=per_person, columns=columns)
    return plan(asked(sql, facts), facts, epsilon=epsilon)


def drawn_by(made):
    """The noise that a plan draws, what it is the noise of, and what it costs."""
    if made.joined:
        (joined,) = made.joined
        return joined.release.mechanism, joined.release.coordinates, joined.epsilon.value
    part = made.parts[0]
    paid = Fraction(part.cost.total, 10**9)
    return part.chosen.release.mechanism, Coordinates.of([part.subject]), paid


def added(row, monomials, *, where, gaps):
    """What a row adds to the sums: from its cells as such; None where it is left out."""
    x, y, w, _ = row
    halves = {
        name: None if one is GAP else 2 * one - FAR[name] for name, one in (("x", x), ("y", y))
    }
    used = {name for one in monomials for name in one}
    if (where and w == "b") or any(halves[name] is None for name in used):
        return None
    found = []
    for one in monomials:
        term = math.prod(halves[name] for name in one)
        square = len(one) == 2 and one[0] == one[1]
        found.append(2 * term - FAR[one[0]] ** 2 if square else term)
    return found


def numbers(table, monomials, groups, rest, **told):
    """The sums of each group, and how many rows are in none."""
    many = len(monomials)
    found = [0] * (many * groups + rest)
    for row in table:
        more = added(row, monomials, **told)
        if more is None:
            if rest:
                found[-1] += 1
            continue
        at = many * (row[3] == "b") if groups > 1 else 0
        for place, one in enumerate(more):
            found[at + place] += one
    return tuple(found)


SITUATIONS = {
    "STDDEV(x)": (False, False),
    "STDDEV(x), COUNT(*), AVG(x), SUM(x)": (False, False),
    "VAR_POP(x) WHERE w = 'a'": (False, True),
    "CORR(x, y)": (True, False),
    "CORR(x, y), REGR_SLOPE(y, x), AVG(y)": (False, True),
    "COVAR_SAMP(x, y), REGR_INTERCEPT(y, x)": (False, False),
    "STDDEV(x), COUNT(*) GROUP BY g": (False, False),
    "COVAR_POP(x, y) GROUP BY g": (True, True),
}


CASES = [
    (ask, change, 1 + (place + change) % 3)
    for place, ask in enumerate(SITUATIONS)
    for change in (True, False)
]


@pytest.mark.parametrize(("ask", "change", "per_person"), CASES)
def test_what_is_drawn_for_neighbouring_tables_is_within_epsilon(ask, change, per_person):
    """All rows a person may have before and after: the gauge moves by no more than was paid."""
    gaps, where = SITUATIONS[ask]
    sql = f"SELECT {ask}" + (" WHERE w = 'a'" if where and "WHERE" not in ask else "")
    sql = sql.replace(" GROUP BY g WHERE w = 'a'", " WHERE w = 'a' GROUP BY g")
    made = planned(sql, change=change, gaps=gaps, per_person=per_person)
    mechanism, coordinates, paid = drawn_by(made)
    noise, monomials = mechanism.noise.certified.mechanism, coordinates.monomials
    by_groups = noise.dimension > len(monomials)
    groups = len(made.groups) if by_groups else 1
    rest = noise.dimension - groups * len(monomials)
    cells = itertools.product([0, 1, 2, *[GAP] * gaps], [0, 1, *[GAP] * gaps], "ab", "ab")
    told = {"where": where, "gaps": gaps}
    rows = sorted({numbers([cell], monomials, groups, rest, **told) for cell in cells})
    many = range(1, per_person + 1)
    sums = {
        tuple(np.sum(some, axis=0))
        for some in itertools.chain(
            *(itertools.combinations_with_replacement(rows, one) for one in many)
        )
    }
    moves = sums
    if change:
        once = {tuple(np.subtract(a, b)) for a in rows for b in rows}
        whole = sorted(once, key=lambda one: -noise.gauge(one))[:40]
        moves = {
            tuple(np.sum(some, axis=0))
            for some in itertools.combinations_with_replacement(whole, per_person)
        }
    dice = np.random.default_rng()
    steps = 0
    for move in moves:
        for output in (np.zeros(noise.dimension, int), dice.integers(-9, 10, noise.dimension)):
            before, after = noise.gauge(output.tolist()), noise.gauge((output + move).tolist())
            steps = max(steps, abs(before - after))
    assert Fraction(99, 100) * paid < steps * noise.rate <= paid


@pytest.mark.parametrize("rows", [[], [2], [0, 0, 1], [0, 2] * 6, [1, 2, 2] * 8])
@pytest.mark.parametrize("change", [True, False])
def test_the_interval_of_a_deviation_holds_for_every_table_noise_by_noise(rows, change):
    made = planned("SELECT STDDEV_POP(x) WHERE w = 'a'", change=change, epsilon="14", rows=40)
    release = made.parts[0].chosen.release
    assert isinstance(release, CurveRelease)
    noise = release.mechanism.noise.certified.mechanism
    table = Products(len(rows), (sum(rows), 0), (sum(one * one for one in rows), 0), 0)
    sums, values, sure = release.sums(table), [10 + 2 * one for one in rows], Fraction(4, 5)
    truth = float(np.std(values)) if rows else 0.0
    mean = float(np.mean(values)) if rows else 12.0  # of no rows the middle
    missed = total = missed_mean = 0.0
    for one in itertools.product(range(-4, 5), range(-8, 9), range(-16, 17)):
        chance = math.exp(-float(noise.rate) * noise.gauge(one))
        if chance > 1e-6:
            told = release.told(release.noisy(sums, one), sure)
            low, high = map(float, told.interval)
            assert 0 <= told.value <= release.subject.last
            missed += chance * (not low - 1e-9 <= truth <= high + 1e-9)
            value, low, high = told.mean
            assert 10 <= low <= value <= high <= 14
            missed_mean += chance * (not low <= mean <= high)
            total += chance
    assert missed / total <= 0.2
    assert missed_mean / total <= 0.2


ASKED = ("STDDEV(x)", "VAR_SAMP(x)", "CORR(x, y)", "REGR_SLOPE(y, x)", "REGR_INTERCEPT(y, x)",
         "COVAR_POP(x, y)")  # fmt: skip


@pytest.mark.parametrize("change", [True, False])
@pytest.mark.parametrize("ask", ASKED)
def test_intervals_hold_in_draws_as_often_as_they_say(ask, change):
    """And values lie in their range, whatever is drawn."""
    made = planned(f"SELECT {ask} WHERE w = 'a'", change=change, epsilon="2", rows=100)
    (part,) = made.parts
    rows = [(0, 0)] * 20 + [(1, 1)] * 25 + [(2, 1)] * 30 + [(2, 0)] * 5
    i, j = np.array(rows).T
    if "REGR" in ask:
        i, j = j, i
    second = j if part.subject.second is not None else 0 * j
    table = Products(
        len(rows),
        (int(i.sum()), int(second.sum())),
        (int(i @ i), int(second @ second)),
        int(i @ second),
    )
    truth = part.subject.statistic.value(table, part.subject.form)
    held, draws = 0, 300
    for _ in range(draws):
        ((one,),) = made.ready([[table]]).draw()
        if one.value is not None:
            assert part.subject.start <= one.value <= part.subject.last
            assert one.interval[0] <= one.value <= one.interval[1]
            held += float(one.interval[0]) - 1e-9 <= truth <= float(one.interval[1]) + 1e-9
        else:
            held += 1
    assert held >= 0.95 * draws or tail_bound(held, draws, 0.95) > 1e-6


def test_a_variance_alone_is_told_by_one_noise_and_says_so():
    part = planned("SELECT VARIANCE(x)", change=True).parts[0]
    assert part.chosen.name == CURVES_NAME
    assert part.chosen.certificate is not None
    assert part.chosen.figures.rests_on


CELLS = [
    ("5", "40", "A"), ("4", "35", "A"), ("4", "", "B"), ("1", "80", "B"), ("", "60", "A"),
    ("2", "71", "B"), ("3", "52", "A"), ("5", "23", "B"), ("1", "66", "A"), ("2", "70", "B"),
] * 12  # fmt: skip
BATTERY = (
    "STDDEV(mood)", "STDDEV_POP(mood)", "VARIANCE(age)", "VAR_POP(age)", "CORR(mood, age)",
    "COVAR_POP(mood, age)", "COVAR_SAMP(mood, age)", "REGR_SLOPE(mood, age)",
    "REGR_INTERCEPT(mood, age)",
)  # fmt: skip


@pytest.fixture
def survey(tmp_path):
    lines = [",".join(cells) for cells in (("mood", "age", "clinic"), *CELLS)]
    (tmp_path / "rows.csv").write_text("\n".join(lines) + "\n")
    columns = with_gaps(MOOD + AGE) + CLINIC
    file = tmp_path / "survey.toml"
    file.write_text(dataset_text("size_at_most = 200", "100", columns=columns))
    return file


@pytest.mark.parametrize("ask", BATTERY)
@pytest.mark.parametrize("rest", ["", " WHERE clinic = 'A'", " GROUP BY clinic"])
def test_without_noise_answers_are_those_of_plain_sql(survey, monkeypatch, ask, rest):
    """DuckDB's own functions on the raw table, NULLs and all."""
    none = lambda self, groups: [(0,) * len(self.shape.reaches)] * groups  # noqa: E731
    monkeypatch.setattr(MomentMechanism, "draw", none)
    with discreet.open_dataset(survey) as data:
        told = data.sql(f"SELECT {ask}{rest}").ask(epsilon="100").results
    raw = f"FROM read_csv('{survey.parent / 'rows.csv'}')"
    select = f"SELECT {ask} {raw}{rest}" + (" ORDER BY clinic" if "GROUP" in rest else "")
    right = [one for (one,) in duckdb.sql(select).fetchall()]
    values = [float(one.value) for one in told[: len(right)]]
    assert values == pytest.approx(right, rel=2e-3, abs=2e-3)


@pytest.mark.parametrize("ask", ["VAR_SAMP(age)", "CORR(mood, age)"])
@pytest.mark.parametrize("by", ["", " GROUP BY clinic"])
def test_sums_are_counted_alike_by_a_select_and_at_hand(survey, ask, by):
    facts = read_dataset(survey)
    question = parse_sql(f"SELECT {ask} WHERE age > 30{by}", facts)
    made = plan(question, facts, epsilon=1)
    grouping = grouping_of(made.question, facts)
    reading = Reading.of(made.question, made.parts[0].subject, grouping, facts=facts)
    with open_table(facts) as table:
        assert table.columns is not None
        at_hand = reading.counted(table)
        assert at_hand == products_of(table.rows(reading.select), reading.places)
        assert sum(one.rows for one in at_hand) > 0


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        ("CORR(x)", "CORR(column, other)"),
        ("CORR(x, x)", "CORR needs two different columns, got x twice"),
        ("CORR(x, w)", "correlation needs numbers, but w holds words"),
        ("CORR(x, 2)", "a declared column is expected here, got '2'"),
        ("STDDEV(x, y)", "cannot be read here"),
        ("REGR_SLOPE(x, y, x)", "cannot be read here"),
    ],
)
def test_what_is_no_pair_of_columns_is_refused_in_words(ask, said):
    with pytest.raises(QuestionError) as caught:
        parse_sql(f"SELECT {ask}", dataset(10, columns=COLUMNS))
    assert said in str(caught.value)


def test_a_question_of_two_columns_is_written_as_it_is_read():
    facts = dataset(10, columns=COLUMNS)
    question = parse_sql("SELECT regr_slope(y, x), corr(x, y) WHERE w = 'a'", facts)
    assert parse_sql(question_text(question, facts), facts).digest == question.digest
    assert [item.to_dict()["second"] for item in question.items] == ["x", "y"]
    assert "second" not in parse_sql("SELECT AVG(x)", facts).items[0].to_dict()
    assert question_words(question, facts).startswith("the slope of the regression line of y on x")


def test_the_form_offers_a_second_column_to_statistics_of_two():
    facts = dataset(10, columns=COLUMNS)
    given = {"statistic": ["correlation"], "column": ["x"], "second": ["x"]}
    sentence = Sentence.of(given, facts)
    assert (sentence.column, sentence.second) == ("x", "y")
    asked_for = sentence.question(facts)
    assert question_text(asked_for, facts) == "SELECT CORR(x, y)"
    assert seconds_for("mean", "x", facts) == ()
    assert "correlation" not in statistics_for(replace(facts, columns=COLUMNS[1:]))


def test_a_stored_release_tells_of_its_own_columns_alone():
    facts = dataset(10, columns=COLUMNS)
    one, other = (parse_sql(f"SELECT REGR_SLOPE({ask})", facts) for ask in ("x, y", "y, x"))
    assert portions(one, one, facts) is not None
    assert portions(one, other, facts) is None
