"""What is drawn for one answer or for many at once is never the truth itself."""

from fractions import Fraction

import numpy as np
import pytest

from discreet.exact import Epsilon
from discreet.joint.counts import CountNoise
from discreet.joint.moment_mechanism import MomentMechanism
from discreet.joint.strategies import Layer, PlainSums, Strategy
from discreet.model import Relation
from discreet.planning import plan
from discreet.planning.joint.count_releases import CountsDraw, NoiseSource
from discreet.planning.releases.moments import BoxedMean
from discreet.planning.releases.noise import NoiseRelease
from discreet.planning.subjects.subject import subject_of
from planning.facts import asked, dataset, one_of, tallied


def test_what_is_measured_has_its_noise():
    """Of so wide a noise on 60 sums, not all are 0 but once in 10^100 times."""
    matrix = np.eye(60, dtype=np.int64)
    noise = PlainSums.of(matrix, Epsilon.of("0.01"), Relation.ADD_OR_REMOVE)
    (told,) = Strategy("cells", (Layer(matrix, noise),)).measure(np.arange(60))
    assert (told != np.arange(60)).any()


def test_counts_of_the_other_rows_have_the_opposite_noise_and_groups_each_their_own():
    """One noise for all groups would cancel in their differences: then those would be exact."""
    noise = CountNoise.of(
        2, Epsilon.of("0.01"), relation=Relation.ADD_OR_REMOVE, rate=Fraction(1, 100)
    )
    sources = (NoiseSource(0), NoiseSource(0, sign=-1), NoiseSource(1))
    drawn = CountsDraw(noise, groups=60, sources=sources).draw()
    assert len(drawn) == 60
    assert all(group[0] == -group[1] for group in drawn)
    assert any(group[0] for group in drawn)
    assert len({tuple(group) for group in drawn}) > 1


@pytest.mark.parametrize("clamped", [True, False])
def test_what_is_told_of_a_count_has_its_noise(clamped):
    """Noise of so small a rate is 0 once in 200 times: never 60 times in a row."""
    facts = dataset(1_000, public=False)
    question = asked("SELECT COUNT(mood > 2)", facts)
    subject = subject_of(question.items[0], question, facts)
    release = NoiseRelease(subject, Fraction(1, 100), clamped)
    drawn = {one_of(release, tallied(subject, {1: 400})) for _ in range(60)}
    assert len(drawn) > 1


def test_means_of_groups_have_a_noise_each(monkeypatch):
    """Rows that change may leave a group for another: one noise for all groups, a part for each."""
    facts = dataset(300)
    question = asked("SELECT AVG(mood) GROUP BY clinic", facts)
    release = plan(question, facts, epsilon="1").parts[0].chosen.release
    assert isinstance(release, BoxedMean)
    assert release.together
    noises = [(1, 10), (-3, 20), (2, -30)]
    monkeypatch.setattr(MomentMechanism, "draw", lambda self, groups: noises[:groups])
    tables = [tallied(release.subject, {2: 100}) for _ in noises]
    waiting = release.ready_by_group(tables, Fraction(19, 20))
    assert [one.sampler() for one in waiting] == [(10, 101), (20, 97), (-30, 102)]
