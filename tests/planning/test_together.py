"""Sets of statistics: taken where they are better, charged once, drawn once, told in order."""

from dataclasses import dataclass, replace
from fractions import Fraction

import pytest

from discreet.budget import Sequential
from discreet.errors import DesignError, GoalError
from discreet.exact import Epsilon
from discreet.planning import Wishes, choose, plan
from discreet.planning.joint import weighing
from discreet.planning.joint.joined import Joiner, JointAnswer, JointRelease
from discreet.planning.releases.release import DrawnValue, Ready
from discreet.statistics import Moments
from planning.facts import asked, dataset

TWO = "SELECT COUNT(mood >= 2), COUNT(*) WHERE clinic = 'A'"
COUNTED = [[Moments(5, 3)], [Moments(5, 5)]]


@dataclass(frozen=True)
class Same(JointRelease):
    """Tells the number of the draw for all statistics: tests see what was drawn with what."""

    subjects: tuple
    draws: list

    def ready(self, counted, confidence):
        return tuple(
            tuple(Ready(lambda: self.draws.append(0) or len(self.draws), _told) for _ in groups)
            for groups in counted
        )


def _told(value):
    return DrawnValue(value, None)


def joiner(times, *, places=((0, 1),), draws=None, within=None):
    """A set whose errors are those of the statistics at so many times the set's ε."""

    def make(whole, chosen, epsilon):
        made = []
        for place in chosen:
            task = whole.tasks[place]
            at = Epsilon(max(1, int(epsilon.billionths * times)))
            best = choose(replace(task, epsilon=at)).best
            made.append(replace(best, name="same", title="the same draw", epsilon=epsilon))
        subjects = tuple(whole.tasks[place].subject for place in chosen)
        return JointAnswer(Same(subjects, [] if draws is None else draws), tuple(made))

    return Joiner("same", lambda whole: list(places), make)


@pytest.fixture
def joined_by(monkeypatch):
    def use(*joiners):
        monkeypatch.setattr(weighing, "JOINERS", joiners)

    return use


def planned(sql=TWO, **wanted):
    facts = dataset(200)
    return plan(asked(sql, facts), facts, **({"epsilon": 1} | wanted))


@pytest.mark.parametrize("times", [0.45, 0.49, 0.51, 0.9])
def test_a_set_is_taken_exactly_where_it_errs_less_for_the_same_cost(joined_by, times):
    joined_by()
    alone = planned()
    joined_by(joiner(times))
    made = planned()
    assert bool(made.joined) == (times > 0.5)
    assert made.cost.total == alone.cost.total == 10**9
    errors = [[part.chosen.figures.loss for part in one.parts] for one in (made, alone)]
    assert sum(errors[0]) <= sum(errors[1])


def test_a_set_is_charged_once_and_every_other_statistic_by_itself(joined_by):
    joined_by(joiner(0.9, places=[(0, 2)]))
    made = planned("SELECT COUNT(mood >= 2), COUNT(mood >= 3), COUNT(*) WHERE clinic = 'A'")
    (one,) = made.joined
    assert one.places == (0, 2)
    assert [part.joined for part in made.parts] == [one, None, one]
    assert isinstance(made.cost, Sequential)
    assert sorted(part.total for part in made.cost.parts) == [333333333, 666666667]
    assert made.to_dict()["together"][0]["parts"] == [0, 2]
    assert "statistics 1 and 3 are answered together" in " ".join(made.remarks)


def test_every_statistic_is_told_its_own_part_in_the_order_of_the_question(joined_by):
    draws = []
    joined_by(joiner(0.9, draws=draws))
    made = planned()
    draws.clear()
    waiting = made.ready(COUNTED)
    assert draws == []
    assert [[one.value for one in by_group] for by_group in waiting.draw()] == [[1], [2]]


def test_no_statistic_is_in_two_sets_and_the_larger_gain_comes_first(joined_by):
    sql = "SELECT COUNT(mood >= 2), COUNT(mood >= 3), COUNT(*) WHERE clinic = 'A'"
    joined_by(joiner(0.6, places=[(0, 1)]), joiner(0.9, places=[(1, 2)]))
    assert [one.places for one in planned(sql).joined] == [(1, 2)]


def test_what_cannot_be_made_is_left_out(joined_by):
    def fail(whole, places, epsilon):
        raise DesignError("not here")

    joined_by(Joiner("fails", lambda whole: [(0, 1)], fail))
    assert planned().joined == ()


def test_importance_decides_between_a_gain_and_a_loss(joined_by):
    """A set that doubles one error and spares most of another is taken if the other matters."""

    def make(whole, places, epsilon):
        answer = joiner(0.5).make(whole, places, epsilon)
        first, second = answer.candidates
        worse = replace(first, figures=replace(first.figures, loss=2 * first.figures.loss))
        better = replace(second, figures=replace(second.figures, loss=second.figures.loss / 4))
        return JointAnswer(answer.release, (worse, better))

    joined_by(Joiner("mixed", lambda whole: [(0, 1)], make))
    prior = Wishes.of(prior="uniform")
    assert not planned(wishes=prior).joined
    assert planned(wishes=replace(prior, importance=(Fraction(1), Fraction(9)))).joined


def test_within_takes_the_cheapest_set_that_keeps_the_distance(joined_by):
    joined_by()
    alone = planned(epsilon=None, within=10)
    joined_by(joiner(0.8))
    made = planned(epsilon=None, within=10)
    assert made.joined[0].cheaper
    assert made.cost.total < 0.66 * alone.cost.total
    assert all(part.chosen.figures.within <= 10 for part in made.parts)


def test_more_important_statistics_err_less(joined_by):
    joined_by()
    even, weighed = planned(), planned(wishes=Wishes.of(importance="9,1"))
    assert weighed.cost.total == even.cost.total
    assert [round(part.cost.total, -7) for part in weighed.parts] == [760000000, 240000000]
    assert weighed.parts[0].chosen.figures.loss < even.parts[0].chosen.figures.loss


def test_an_importance_for_each_statistic_or_none():
    with pytest.raises(
        GoalError, match=r"has 3 numbers, but the question has 2 statistics; give one"
    ):
        planned(wishes=Wishes.of(importance="1,2,3"))


@pytest.mark.parametrize("given", ["1,x", "0,1", "-1,1", "1,,2", "", 5])
def test_importance_that_makes_no_sense(given):
    with pytest.raises(GoalError, match="importance"):
        Wishes.of(importance=given)
