"""What is drawn: private between all small neighbouring tables, covered by its interval."""

import math
from collections import Counter
from fractions import Fraction
from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.exact import Epsilon
from discreet.model import Grid, Labels
from discreet.planning import Sharing, Task, Wishes, choose, plan, subject_of, true_index
from discreet.planning.candidates import by_answer
from discreet.planning.candidates.by_database import BY_DATABASE
from discreet.planning.candidates.by_frequency import BY_FREQUENCY, rows_behind
from discreet.planning.candidates.by_rank import BY_RANK, rows_away
from discreet.planning.releases.by_database import DatabaseRelease
from discreet.planning.releases.choice import ChoiceRelease
from discreet.planning.releases.counts import CountsRelease
from discreet.planning.releases.curves import CurveRelease
from discreet.planning.releases.matrix import MatrixRelease
from discreet.planning.releases.noise import (
    NoiseRelease,
    clamped_reach,
    noise_reach,
    noises_apart,
)
from discreet.planning.releases.ranks import RankRelease
from discreet.planning.releases.ratio import MeanRelease, RatioRelease
from discreet.planning.releases.ratio_interval import Multiples, reaches
from discreet.planning.releases.release import ConstantRelease, in_units
from discreet.statistics import Moments, Tally
from discreet.tables import CategoryColumn, NumberColumn
from planning.facts import COLUMNS, EVERYTHING, asked, dataset, one_of, tallied
from statistics_bounds import misfits

SMALL = (
    NumberColumn("mood", Grid.between(0, 2), Fraction(0), True),
    CategoryColumn("clinic", Labels.of(["A", "other"]), "other"),
)
ROWS = list(product(range(3), range(2)))
EPSILON = Epsilon.of("0.7")


def law_of(release, table):
    """The integers that a table is answered by."""
    mechanism = release.certified.mechanism
    return mechanism.weights[:, release.column(tallied(release.subject, table))].tolist()


def tables(change, where):
    """Every table of three rows (or of up to three), as histograms of the selected moods."""
    for size in [3] if change else range(4):
        for rows in product(ROWS, repeat=size):
            yield rows, Counter(mood for mood, clinic in rows if clinic == 0 or not where)


@pytest.mark.parametrize("change", [True, False])
@pytest.mark.parametrize("where", ["", " WHERE clinic = 'A'"])
@pytest.mark.parametrize("ask", ["MEDIAN(mood)", "MAX(mood)", "SUM(mood)", "MODE(mood)"])
def test_neighbouring_tables_are_answered_alike(ask, where, change):
    """Every matrix candidate, every pair of tables of three rows: ratios of at most e^ε."""
    facts = dataset(3, public=True, change=change, columns=SMALL)
    question = asked(f"SELECT {ask}{where}", facts)
    subject = subject_of(question.items[0], question, facts)
    choice = choose(Task(subject, Wishes(prior="uniform"), EPSILON, cache=None))
    releases = [
        one.release
        for one in choice.candidates
        if isinstance(one.release, MatrixRelease | DatabaseRelease)
    ]
    assert releases
    known = dict(tables(change, where))
    p, q = EPSILON.ratio_above.numerator, EPSILON.ratio_above.denominator
    pairs = set()
    for rows, table in known.items():
        fewer = [rows[:-1]] if rows else []
        for other in [(*rows[:-1], row) for row in ROWS] if change else fewer:
            pairs.add((tuple(sorted(table.items())), tuple(sorted(known[other].items()))))
    for release in releases:
        for one, other in pairs:
            first, second = law_of(release, dict(one)), law_of(release, dict(other))
            for a, b in zip(first, second, strict=True):
                assert a * q <= p * b
                assert b * q <= p * a


@pytest.mark.parametrize("confidence", [Fraction(1, 2), Fraction(19, 20)])
@pytest.mark.parametrize("ask", ["MEDIAN(mood)", "COUNT(mood > 1)", "AVG(mood)"])
def test_intervals_cover_the_truth_whatever_it_is(ask, confidence):
    facts = dataset(4, columns=SMALL)
    question = asked(f"SELECT {ask}", facts)
    subject = subject_of(question.items[0], question, facts)
    wishes = Wishes(prior="uniform", confidence=confidence)
    choice = choose(Task(subject, wishes, EPSILON, cache=None))
    for candidate in choice.candidates:
        release = candidate.release
        if not isinstance(release, MatrixRelease | DatabaseRelease):
            continue
        outputs = release.certified.mechanism.outputs.values()
        spans = [release.interval(told, confidence) for told in outputs]
        for moods in product(range(3), repeat=4):
            table = Counter(moods)
            if subject.item.column is None:
                table = Counter(int(mood > 1) for mood in moods)
            truth = subject.start + subject.unit * true_index(subject, tallied(subject, table))
            law = law_of(release, table)
            covered = sum(
                weight
                for weight, (low, high) in zip(law, spans, strict=True)
                if low <= truth <= high
            )
            assert covered >= confidence * sum(law)


@pytest.mark.parametrize("confidence", [Fraction(1, 2), Fraction(19, 20)])
@pytest.mark.parametrize(("rows", "kept"), [(9, 4), (10, 5), (23, 7)])
def test_intervals_of_shared_columns_cover_the_truth(monkeypatch, rows, kept, confidence):
    monkeypatch.setattr(by_answer, "_KEPT", kept)
    question = asked("SELECT COUNT(*)", facts := dataset(rows, public=False))
    subject = subject_of(question.items[0], question, facts)
    candidate = by_answer.COARSE.make(Task(subject, Wishes(confidence=confidence), EPSILON))
    release = candidate.release
    assert release.merged > 1
    told = [release.value(output) for output in range(release.certified.mechanism.shape[0])]
    spans = [release.interval(value, confidence) for value in told]
    for truth in range(rows + 1):
        law = law_of(release, {1: truth})
        covered = [low <= truth <= high for low, high in spans]
        assert np.dot(law, covered) >= confidence * sum(law)
    assert not_wider(candidate, told, confidence)


@pytest.mark.parametrize("confidence", [0.5, 0.9, 0.99])
@pytest.mark.parametrize("rate", [0.05, 0.3, 1.7])
def test_clamped_noise_reaches_as_far_as_its_worst_truth(rate, confidence):
    """The smallest distance, to the rounding of floats, and never one too small."""
    for last in range(1, 40):
        truths = np.arange(last + 1)

        def exceeds(far, last=last, truths=truths):
            tail = math.exp(-rate * (far + 1)) / (1 + math.exp(-rate))
            return tail * ((truths > far).astype(int) + (last - truths > far)).max()

        far = clamped_reach(rate, 1 - confidence, last)
        assert exceeds(far) <= 1 - confidence
        assert far == 0 or exceeds(far - 1) > (1 - confidence) * (1 - 1e-9)


def not_wider(candidate, outputs, confidence):
    """Whether every interval that can be told lies as near to its answer as the figures say."""
    spans = ((told, *candidate.release.interval(told, confidence)) for told in outputs)
    return all_near(candidate, spans)


def all_near(candidate, spans):
    """Whether no answer is further from an end of its interval than the figures say."""
    far = candidate.figures.within * (1 + 1e-9)
    return all(told - low <= far and high - told <= far for told, low, high in spans)


@pytest.mark.parametrize(
    ("epsilon", "confidence"),
    [("0.1", Fraction(19, 20)), ("0.7", Fraction(1, 2)), ("3", Fraction(19, 20))],
)
@pytest.mark.parametrize("public", [True, False])
@pytest.mark.parametrize("ask", [one for one in EVERYTHING if "MODE" not in one])
def test_no_interval_is_wider_than_the_plan_says(ask, public, confidence, epsilon):
    facts = dataset(6, public=public, columns=COLUMNS)
    question = asked(ask, facts)
    subject = subject_of(question.items[0], question, facts)
    wishes = Wishes(confidence=confidence)
    places = range(subject.size)
    values = [in_units(subject, subject.start + subject.unit * place) for place in places]
    for candidate in choose(Task(subject, wishes, Epsilon.of(epsilon), cache=None)).candidates:
        release = candidate.release
        if isinstance(release, MatrixRelease | DatabaseRelease):
            outputs = release.certified.mechanism.outputs.values()
            assert not_wider(candidate, outputs, confidence)
        elif isinstance(release, NoiseRelease):
            told = [release.told(place, confidence) for place in places]
            assert [one.value for one in told] == values
            assert all_near(candidate, ((one.value, *one.interval) for one in told))
        elif isinstance(release, ChoiceRelease | RankRelease):
            assert not_wider(candidate, values, confidence)
        else:
            known = MeanRelease | CountsRelease | CurveRelease | ConstantRelease
            assert isinstance(release, known)


def far_off(release, table, rows):
    """The chance of a value that more rows than these would have to change for."""
    counted = tallied(release.subject, table)
    return float(release.chances(counted)[release.away(counted) > rows].sum())


@given(st.data())
def test_in_no_table_is_a_choice_further_off_than_is_told(data):
    epsilon = data.draw(st.sampled_from(["0.05", "0.4", "2", "9"]))
    ask = data.draw(st.sampled_from(["MEDIAN(mood)", "MAX(mood)", "SPREAD(mood)", "MODE(clinic)"]))
    leaning = data.draw(st.sampled_from(["uniform", "databases"]))
    facts = dataset(40, public=data.draw(st.booleans()), change=data.draw(st.booleans()))
    question = asked(f"SELECT {ask}", facts)
    subject = subject_of(question.items[0], question, facts)
    maker = BY_FREQUENCY if "MODE" in ask else BY_RANK
    candidate = maker.make(Task(subject, Wishes.of(prior=leaning), Epsilon.of(epsilon)))
    places = st.integers(0, subject.size - 1)
    some = st.lists(places, min_size=40 if subject.fixed_size else 0, max_size=40)
    off = candidate.figures.rows_off
    assert far_off(candidate.release, Counter(data.draw(some)), off) <= 0.05


@given(st.lists(st.integers(0, 4), min_size=2, max_size=4).filter(any), st.data())
def test_so_many_rows_changed_make_a_value_the_mode(counts, data):
    """Of equally frequent words the first is the mode, so one row more than it is behind."""
    place = data.draw(st.integers(0, len(counts) - 1))
    left = max(counts) - counts[place] + 1
    for other in sorted(range(len(counts)), key=lambda one: -counts[one]):
        taken = 0 if other == place else min(left, counts[other])
        counts[other], counts[place], left = (
            counts[other] - taken,
            counts[place] + taken,
            left - taken,
        )
    assert counts.index(max(counts)) == place


def test_a_tie_is_not_called_exact():
    """Of equally frequent words the first is the mode: one row decides."""
    facts = dataset(600)
    question = asked("SELECT MODE(clinic)", facts)
    subject = subject_of(question.items[0], question, facts)
    candidate = BY_FREQUENCY.make(Task(subject, Wishes(), Epsilon.of(20)))
    assert candidate.release.chances(tallied(subject, {0: 300, 1: 300}))[1] > 0.4
    assert candidate.figures.rows_off == 1


@pytest.mark.parametrize("epsilon", ["1", "5"])
@pytest.mark.parametrize("prior", ["uniform", "databases"])
def test_what_is_unlikely_is_possible_all_the_same(prior, epsilon):
    """(1/60)¹² vanishes beside 1, and such a table may be there."""
    column = NumberColumn("age", Grid.between(0, 60), Fraction(30), True)
    facts = dataset(12, columns=(column,))
    question = asked("SELECT MIN(age)", facts)
    subject = subject_of(question.items[0], question, facts)
    wishes = Wishes.of(prior=prior)
    candidate = BY_DATABASE.make(Task(subject, wishes, Epsilon.of(epsilon), cache=None))
    outputs = candidate.release.certified.mechanism.outputs.values()
    assert not_wider(candidate, outputs, wishes.confidence)


@pytest.mark.parametrize("epsilon", ["0.4", "1", "2"])
@pytest.mark.parametrize("change", [True, False])
def test_some_table_is_as_far_off_as_is_told(epsilon, change):
    """All words but one just so many rows behind: one row less, and more than 5 % are further."""
    facts = dataset(600, change=change)
    question = asked("SELECT MODE(clinic)", facts)
    subject = subject_of(question.items[0], question, facts)
    candidate = BY_FREQUENCY.make(Task(subject, Wishes(), Epsilon.of(epsilon)))
    behind = candidate.figures.rows_off - 1
    assert behind >= 1
    table = {0: 200 + behind, 1: 200, 2: 200}
    assert far_off(candidate.release, table, behind) == 0
    assert far_off(candidate.release, table, behind - 1) > 0.05


def noise_law(rate):
    """Integers and how likely the noise takes them, but for a tail of less than 1e-6."""
    far = math.ceil(15 / rate)
    steps = np.arange(-far, far + 1)
    return steps.tolist(), np.exp(-rate * abs(steps)) * np.tanh(rate / 2)


@pytest.mark.parametrize("confidence", [Fraction(1, 2), Fraction(19, 20)])
@pytest.mark.parametrize("moods", [[], [4], [0, 1, 0], [2] * 9, [4] * 12, [3, 2] * 20])
def test_a_mean_of_few_rows_has_an_interval_that_covers_it_all_the_same(moods, confidence):
    """However few rows there are: noise by noise, weighed by its probability."""
    facts = dataset(40, public=False)
    question = asked("SELECT AVG(mood) WHERE clinic = 'A'", facts)
    wishes = Wishes(mechanism="sum over count")
    release = plan(question, facts, epsilon="6", wishes=wishes).parts[0].chosen.release
    assert isinstance(release, RatioRelease)
    assert not release.supposes
    halves, rows = sum(2 * mood - 4 for mood in moods), len(moods)
    truth = Fraction(sum(moods), rows) if moods else 2
    (sums, their), (counts, chances) = map(
        noise_law, (float(release.sum_rate), float(release.count_rate))
    )
    missed = 0.0
    for moved, likely in zip(counts, chances, strict=True):
        for away, chance in zip(sums, their, strict=True):
            ends = release._allowed(
                halves + away, rows + moved, release.along(1 - float(confidence))
            )
            low, high = map(release._at, ends)
            missed += likely * chance * (not low <= truth <= high)
    assert missed <= float(1 - confidence)


POSITIVE = st.fractions(Fraction(1, 30), 50, max_denominator=30)


@given(st.fractions(-9, 9, max_denominator=7), POSITIVE, POSITIVE, st.integers(), st.integers(1))
def test_means_in_whole_numbers_are_what_fractions_say(middle, unit, step, above, below):
    """The nearest multiple of the resolution, the last below and the first above."""
    found, mean = Multiples.of(middle, unit, step), middle + unit * Fraction(above, 2 * below)
    assert found.nearest((above, below)) == round(mean / step)
    ends = math.floor(mean / step), math.ceil(mean / step)
    assert found.around((above, below), (above, below)) == ends


@pytest.mark.parametrize(("sum_rate", "count_rate"), [(0.5, 0.2), (0.05, 0.5), (2.0, 1.0)])
@pytest.mark.parametrize("failure", [0.5, 0.05, 0.001])
def test_what_is_left_of_sum_and_count_reaches_no_further_than_is_said(
    sum_rate, count_rate, failure
):
    """For every mean in a cell, by the law of both noises; and not much further than needed."""
    far = 7
    (sums, their), (counts, chances) = noise_law(sum_rate), noise_law(count_rate)
    found = reaches(sum_rate, count_rate, far, failure)
    for mean in np.linspace(0, far, 57):
        left = np.abs(np.array(sums)[:, None] - mean * np.array(counts)[None, :])
        law = their[:, None] * chances[None, :]
        cell = math.ceil(mean * 16 / far - 1e-9)
        assert law[left > found[cell] + 1e-9].sum() <= failure
        assert law[left > 0.8 * found[max(cell - 1, 0)] - 2].sum() > failure


def test_what_simulation_cannot_tell_apart_is_chosen_by_who_looks_at_the_table():
    """A maximum told by its rank errs little where few values lie above it; one told by the answer
    alone errs as the prior says, whatever the rows are."""
    age = NumberColumn("age", Grid.between(18, 100), Fraction(18), True)
    facts = dataset(300, columns=(age,))
    for ask in ("MIN(age)", "MAX(age)"):
        wishes = Wishes(prior="uniform")
        made = plan(asked(f"SELECT {ask}", facts), facts, epsilon="1", wishes=wishes).parts[0]
        by_answer = next(one for one in made.choice.candidates if one.name == "by answer")
        assert made.chosen.name == "by rank"
        excess = made.chosen.figures.loss - by_answer.figures.loss
        assert excess <= made.chosen.figures.standard_error


@pytest.mark.parametrize("rate", [0.01, 0.3, 2.0])
@pytest.mark.parametrize("failure", [0.5, 0.05, 1e-6])
def test_noise_reaches_as_far_as_is_said(rate, failure):
    def beyond(far):
        return 2 * math.exp(-rate * (far + 1)) / (1 + math.exp(-rate))

    reach = noise_reach(rate, failure)
    assert beyond(reach) <= failure * (1 + 1e-9)
    assert reach == 0 or beyond(reach - 1) > failure * (1 - 1e-6)


def flipped(scores):
    """The law of permute-and-flip by trying every order of the coins."""
    coins = [math.exp(score - max(scores)) for score in scores]
    law = [0.0] * len(coins)
    for order in permutations(range(len(coins))):
        left = 1 / math.factorial(len(coins))
        for place in order:
            law[place] += left * coins[place]
            left *= 1 - coins[place]
    return law


@pytest.mark.parametrize(("kind", "distance"), [("MEDIAN", rows_away), ("MODE", rows_behind)])
def test_choices_follow_their_law(kind, distance):
    facts = dataset(5, public=False)
    question = asked(f"SELECT {kind}(mood)", facts)
    subject = subject_of(question.items[0], question, facts)
    leanings = tuple(Fraction(k, 10) for k in (0, -3, 1, 0, 2))
    release = ChoiceRelease(
        subject=subject,
        distance=distance,
        rate=Fraction(1, 3),
        leanings=leanings,
        within=Fraction(1),
    )
    table = tallied(subject, {1: 2, 3: 3})
    away = distance(subject, np.array([[0, 2, 0, 3, 0]]))[0]
    law = flipped([float(lean) - far / 3 for lean, far in zip(leanings, away, strict=True)])
    assert release.chances(table) == pytest.approx(law, rel=1e-12)
    assert misfits([one_of(release, table) for _ in range(2000)], law) == []


@pytest.mark.parametrize("change", [True, False])
@pytest.mark.parametrize("kind", ["MEDIAN", "MODE", "MAX"])
def test_choices_are_private_between_all_small_neighbouring_tables(kind, change):
    """The largest ratio over neighbours is at most e^ε, and not so much less that ε is wasted."""
    facts = dataset(4, public=False, change=change)
    question = asked(f"SELECT {kind}(mood)", facts)
    subject = subject_of(question.items[0], question, facts)
    made = choose(Task(subject, Wishes(prior="uniform"), EPSILON, cache=None)).candidates
    (release,) = [one.release for one in made if isinstance(one.release, ChoiceRelease)]
    tables = [rows for rows in product(range(4), repeat=5) if sum(rows) <= 3]
    law = {rows: release.chances(Tally(np.array(rows))) for rows in tables}
    worst = 0.0
    for one, other in product(tables, repeat=2):
        shift = np.array(other) - one
        changed = change and shift.sum() == 0 and np.abs(shift).sum() == 2
        if changed or np.abs(shift).sum() == 1:
            worst = max(worst, float(np.log(law[one] / law[other]).max()))
    assert 0.45 * float(EPSILON.value) < worst <= float(EPSILON.value) + 1e-9


@pytest.mark.parametrize("change", [True, False])
def test_modes_by_group_lose_what_is_charged(change):
    """A row that changes leaves one group and enters another, or the same: both steps count."""
    facts = dataset(4, public=False, change=change)
    question = asked("SELECT MODE(mood) GROUP BY clinic", facts)
    subject = subject_of(question.items[0], question, facts, 3)
    made = choose(Task(subject, Wishes(), EPSILON, cache=None)).candidates
    (release,) = [one.release for one in made if isinstance(one.release, ChoiceRelease)]
    tables = [rows for rows in product(range(4), repeat=5) if sum(rows) <= 3]
    law = {rows: release.chances(Tally(np.array(rows))) for rows in tables}
    by_steps = {1: 0.0, 2: 0.0}
    for one, other in product(tables, repeat=2):
        shift = np.array(other) - one
        steps = int(np.abs(shift).sum())
        if steps == 1 or (steps == 2 and shift.sum() == 0):
            lost = float(np.log(law[one] / law[other]).max())
            by_steps[steps] = max(by_steps[steps], lost)
    charged = Sharing.of(subject, facts, 3).factor * float(EPSILON.value)
    lost = max(2 * by_steps[1], by_steps[2]) if change else by_steps[1]
    assert 0.9 * charged < lost <= charged + 1e-9


@pytest.mark.parametrize("per_person", [1, 3])
def test_samplers_run_at_the_rate_that_was_proved(per_person):
    """By rank and by frequency ε/(2c) for each row; noise ε/Δ for each step."""
    facts = dataset(5, public=False, per_person=per_person)
    for ask, rate in (
        ("MEDIAN(mood)", Fraction(7, 20)),
        ("MODE(clinic)", Fraction(7, 20)),
        ("COUNT(*)", Fraction(7, 10)),
    ):
        question = asked(f"SELECT {ask}", facts)
        subject = subject_of(question.items[0], question, facts)
        made = choose(Task(subject, Wishes(prior="uniform"), EPSILON, cache=None)).candidates
        found = [one.release.rate for one in made if isinstance(one.release, ChoiceRelease)]
        found += [one.release.rate for one in made if isinstance(one.release, NoiseRelease)]
        assert found == [rate / per_person]


def test_unbiased_noise_may_leave_the_range_and_clamped_noise_does_not():
    facts = dataset(5, public=False)
    question = asked("SELECT SUM(weight)", facts)
    subject = subject_of(question.items[0], question, facts)
    free = NoiseRelease(subject, Fraction(1, 50), clamped=False)
    kept = NoiseRelease(subject, Fraction(1, 50), clamped=True)
    assert any(not subject.start <= one_of(free, Moments(0, 0)) <= subject.last for _ in range(200))
    assert all(subject.start <= one_of(kept, Moments(0, 0)) <= subject.last for _ in range(200))


@pytest.mark.parametrize("where", ["", " WHERE clinic = 'A'", " GROUP BY clinic"])
@pytest.mark.parametrize("sql", EVERYTHING)
def test_every_statistic_is_answered_in_its_own_type(sql, where):
    facts = dataset(600)
    made = plan(asked(sql + where, facts), facts, epsilon=9, cache=None)
    part = made.parts[0]
    kind, subject = part.subject.statistic.name, part.subject
    counted = tallied(subject, {0: 100, 1: 100} if where else {0: 200, 1: 400})
    for answer in made.ready([[counted] * len(made.groups)]).draw()[0]:
        if kind == "top":
            assert len(answer.value) == 2
            assert all(isinstance(many, int) for _, many in answer.value)
        elif subject.labels is not None:
            assert answer.value in subject.labels.names
        else:
            low, high = answer.interval or (subject.start, subject.last)
            assert subject.start <= low <= answer.value <= high <= subject.last
            if kind == "count" or (kind in ("min", "median", "mode") and "mood" in sql):
                assert isinstance(answer.value, int)


@pytest.mark.parametrize("rate", [Fraction(1, 10), Fraction(1), Fraction(3)])
@pytest.mark.parametrize("failure", [0.3, 0.05, 1e-4])
def test_two_noises_are_seldom_far_apart(rate, failure):
    """By summing over both, term by term; and one row less would not do."""
    alpha = math.exp(-float(rate))
    places = np.arange(-400, 401)
    law = (1 - alpha) / (1 + alpha) * alpha ** np.abs(places)
    apart = np.convolve(law, law)
    beyond = np.cumsum(apart[::-1])[::-1]
    far = noises_apart(float(rate), failure)
    middle = 2 * 400
    assert beyond[middle + far + 1] <= failure
    assert far == 0 or beyond[middle + far] > failure * (1 - 1e-6)


def test_no_word_that_is_left_out_of_a_top_is_far_ahead():
    """All tables of six rows, drawn: what is told of the words holds as often as it says."""
    facts = dataset(6)
    question = asked("SELECT TOP(clinic, 1)", facts)
    wishes, draws = Wishes.of(confidence="0.5"), 4000
    part = plan(question, facts, epsilon=2, wishes=wishes, cache=None).parts[0]
    behind = part.chosen.figures.rows_behind
    assert 0 < behind < 6
    for counts in ([3, 3, 0], [4, 1, 1], [6, 0, 0], [5, 1, 0]):
        draw = part.chosen.release.ready(Tally(np.array(counts)), wishes.confidence).draw
        truth = dict(zip(("A", "B", "other"), counts, strict=True))
        told = (draw().value[0][0] for _ in range(draws))
        held = sum(max(counts) - truth[word] <= behind for word in told)
        # Hoeffding, at a chance of one in ten million.
        assert held / draws >= 0.5 - math.sqrt(math.log(1e7) / (2 * draws))
