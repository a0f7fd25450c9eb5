"""What is told of a population holds for every law that rows may be drawn from."""

import math
from collections import Counter
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import QuestionError
from discreet.model import Grid
from discreet.planning import Wishes, plan
from discreet.planning.releases.population import PopulationRelease
from discreet.planning.sampling_error import (
    EXACT_ROWS,
    at_most,
    mean_bounds,
    mean_reach,
    share_bounds,
    sure_rank,
)
from discreet.statistics import Moments
from discreet.tables import NumberColumn
from planning.facts import COLUMNS, asked, dataset, tallied

FAILURE = Fraction(1, 40)
POPULATION = Wishes.of(about="population")


def binomial(rows, share):
    """Chances of 0 … rows, exactly."""
    return [
        math.comb(rows, held) * share**held * (1 - share) ** (rows - held)
        for held in range(rows + 1)
    ]


@given(st.integers(1, 60), st.fractions(0, 1, max_denominator=50))
def test_binomial_tails_are_exact_and_never_too_small(rows, share):
    law = binomial(rows, share)
    for held in range(-1, rows + 1):
        exact = sum(law[: held + 1], start=Fraction(0))
        told = at_most(rows, share, held)
        assert exact <= Fraction(told) <= exact + Fraction(1, 10**7)


@pytest.mark.parametrize("held", [49_000, 49_500, 49_990])
def test_beyond_exact_rows_the_bound_is_larger_but_not_by_much(held):
    rows, share = EXACT_ROWS, Fraction(1, 2)
    exact, bound = at_most(rows, share, held), at_most(rows + 1, share, held)
    assert exact <= bound <= max(1.0, 1e3 * exact)


@pytest.mark.parametrize("rows", [1, 5, 17])
def test_a_share_lies_in_its_interval_whatever_it_is(rows):
    spans = [share_bounds(rows, held, held, FAILURE) for held in range(rows + 1)]
    for share in [Fraction(k, 97) for k in range(98)]:
        law = binomial(rows, share)
        missed = sum(
            chance
            for chance, (low, high) in zip(law, spans, strict=True)
            if not low <= share <= high
        )
        assert missed <= FAILURE


@pytest.mark.parametrize("rows", [1, 3, 6])
def test_a_mean_lies_in_its_interval_whatever_the_law_is(rows):
    """Laws on 0, ½ and 1: every sample, weighed by its chance."""
    samples = Counter(sum(one) for one in product((0, 1, 2), repeat=rows))
    assert len(samples) == 2 * rows + 1
    for first, second in product(range(0, 21, 4), repeat=2):
        if first + second > 20:
            continue
        law = (Fraction(first, 20), Fraction(second, 20), Fraction(20 - first - second, 20))
        mean, missed = law[1] / 2 + law[2], Fraction(0)
        for sample in product((0, 1, 2), repeat=rows):
            found = Fraction(sum(sample), 2 * rows)
            low, high = mean_bounds(rows, found, found, FAILURE)
            if not low <= mean <= high:
                missed += math.prod((law[one] for one in sample), start=Fraction(1))
        assert missed <= FAILURE


@given(st.integers(1, 5000), st.fractions(0, 1), st.fractions(0, 1))
def test_no_interval_of_a_mean_is_wider_than_the_plan_says(rows, one, other):
    low, high = sorted((one, other))
    reach = Fraction(mean_reach(rows, FAILURE)) + Fraction(1, 10**6)
    least, largest = mean_bounds(rows, low, high, FAILURE)
    assert low - reach <= least <= low <= high <= largest <= high + reach


@pytest.mark.parametrize("share", [Fraction(p) for p in ("0", "1/10", "1/2", "9/10", "1")])
@pytest.mark.parametrize("failure", [Fraction(1, 80), Fraction(1, 4), Fraction(1, 10**6)])
def test_a_place_is_sure_and_moves_by_at_most_one_with_a_row(share, failure):
    """Of a private number of rows; a public one may be nearer, and moves with nobody."""
    before = 0
    for rows in range(400):
        place = sure_rank(rows, share, failure, public=False)
        assert 0 <= place - before <= 1
        assert place == 0 or at_most(rows, share, place - 1) <= float(failure)
        before = place
    exact = sure_rank(399, share, failure, public=True)
    assert exact >= before
    assert exact == 0 or at_most(399, share, exact - 1) <= float(failure)


@pytest.mark.parametrize("share", [Fraction(0), Fraction(1, 5), Fraction(1, 2), Fraction(1)])
def test_shares_of_a_population_are_covered_noise_and_all(share):
    """Every sample and every output of the certified matrix, weighed by their chances."""
    facts = dataset(12)
    made = plan(asked("SELECT COUNT(mood > 2)", facts), facts, epsilon=1, wishes=POPULATION)
    release = made.parts[0].chosen.release
    assert isinstance(release, PopulationRelease)
    matrix = release.by_answer.mechanism
    missed = Fraction(0)
    for held, chance in enumerate(binomial(12, share)):
        law = matrix.column(held).tolist()
        for output, weight in enumerate(law):
            low, high = release.told(output, Fraction(19, 20)).interval
            if not low <= 12 * share <= high:
                missed += chance * Fraction(weight, matrix.total)
    assert missed <= Fraction(1, 20)


def test_a_mean_of_a_private_number_of_rows_divides_by_the_fewest():
    facts = dataset(400, public=False)
    question = asked("SELECT AVG(mood) WHERE clinic = 'A'", facts)
    release = plan(question, facts, epsilon=1, wishes=POPULATION).parts[0].chosen.release
    half = Fraction(39, 40)
    many, few = (release.told((0, rows), Fraction(19, 20)).interval for rows in (300, 60))
    table = release.within.told((0, 300), half).interval
    assert few[0] < many[0] < table[0]
    assert release.within.fewest_rows((0, 60), half) < 60
    assert release.told((0, 1), Fraction(19, 20)).interval == (0, 4)


@pytest.mark.parametrize(
    "sql", ["SELECT AVG(mood) WHERE clinic = 'A'", "SELECT SHARE(clinic = 'A')"]
)
def test_noise_and_sampling_fail_no_more_often_together_than_is_said(monkeypatch, sql):
    """Half each; and rows are as many as the noise allows at least, not as many as it says."""
    facts = dataset(400, public="WHERE" not in sql)
    made = plan(asked(sql, facts), facts, epsilon=1, wishes=POPULATION)
    release = made.parts[0].chosen.release
    sampled, noisy, told = [], [], type(release.within).told

    def bounds(rows, low, high, failure):
        sampled.append((rows, failure))
        return Fraction(low) / max(rows, 1), Fraction(high) / max(rows, 1)

    def telling(self, output, confidence):
        noisy.append(1 - confidence)
        return told(self, output, confidence)

    for name in ("mean_bounds", "share_bounds"):
        monkeypatch.setattr(f"discreet.planning.releases.population.{name}", bounds)
    monkeypatch.setattr(type(release.within), "told", telling)
    output = (0, 300) if "WHERE" in sql else release.sampler(Moments(400, 100))()
    release.told(output, Fraction(19, 20))
    ((rows, failure),) = sampled
    assert failure + noisy[0] == Fraction(1, 20)
    fewest = release.within.fewest_rows(output, Fraction(39, 40)) if "WHERE" in sql else 400
    assert rows == fewest != 300


def test_order_statistics_have_no_interval_of_values_unless_it_is_bought():
    age = NumberColumn("age", Grid.between(0, 100), Fraction(0), True)
    facts = dataset(2000, columns=(age,))
    question = asked("SELECT MEDIAN(age)", facts)
    made = plan(question, facts, epsilon=1, wishes=POPULATION)
    counted = tallied(made.parts[0].subject, dict.fromkeys(range(100), 20))
    assert made.ready([[counted]]).draw()[0][0].interval is None
    bought = Wishes.of(about="population", interval="every-table")
    wide = plan(question, facts, epsilon=1, wishes=bought).parts[0].chosen.release
    narrow = plan(question, facts, epsilon=1, wishes=Wishes.of(interval="every-table"))
    bounds = narrow.parts[0].chosen.release
    assert wide.lower.place.of(2000) < bounds.lower.place.of(2000)
    assert wide.upper.place.of(2000) < bounds.upper.place.of(2000)


def test_what_cannot_be_said_of_a_population_is_refused():
    several = dataset(20, public=False, per_person=3)
    with pytest.raises(QuestionError, match="one person has up to 3 of them"):
        plan(asked("SELECT AVG(mood)", several), several, epsilon=1, wishes=POPULATION)
    private = dataset(20, public=False)
    with pytest.raises(QuestionError, match="needs a public number of rows for COUNT"):
        plan(asked("SELECT COUNT(*)", private), private, epsilon=1, wishes=POPULATION)


def test_within_is_kept_for_the_population_too():
    """Half the width of what is told is no more than was wished, noise and sampling together."""
    facts = dataset(2000, columns=COLUMNS)
    made = plan(asked("SELECT AVG(mood)", facts), facts, within="0.2", wishes=POPULATION)
    chosen = made.parts[0].chosen
    assert chosen.figures.within <= 0.2
    counted = tallied(made.parts[0].subject, dict.fromkeys(range(5), 400))
    for _ in range(20):
        drawn = chosen.release.ready(counted, Fraction(19, 20)).draw()
        low, high = drawn.interval
        assert max(drawn.value - low, high - drawn.value) <= Fraction(2, 10) + Fraction(1, 10**5)


def test_stored_questions_keep_their_digests():
    told = Wishes().to_dict()
    assert "interval" not in told
    assert "about" not in told
    wished = Wishes.of(about="population", interval="every-table").to_dict()
    assert (wished["interval"], wished["about"]) == ("every-table", "population")
