"""Plans of tables with any declared number of rows: nothing in them is listed row by row."""

import math
import tracemalloc

import numpy as np
import pytest

from discreet.planning import Wishes, plan, subject_of
from discreet.planning.subjects import priors
from discreet.tables.dataset_file import MOST_ROWS
from planning.facts import EVERYTHING, asked, dataset

ASKS = (
    *EVERYTHING,
    *(f"{ask} WHERE clinic = 'A'" for ask in EVERYTHING),
    "SELECT COUNT(*) GROUP BY clinic",
    "SELECT MODE(clinic) GROUP BY mood",
    "SELECT MEDIAN(mood) GROUP BY clinic",
)


@pytest.mark.parametrize(
    ("ask", "public"), [(ask, place % 2 == 0) for place, ask in enumerate(ASKS)]
)
def test_memory_does_not_grow_with_the_declared_rows(ask, public):
    """At most a few times what a table of a thousand rows takes."""
    facts = dataset(MOST_ROWS, public=public)
    tracemalloc.start()
    try:
        plan(asked(ask, facts), facts, epsilon=1, cache=None)
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert most < 100 << 20


def test_nor_does_it_under_a_stated_prior():
    facts = dataset(MOST_ROWS)
    for ask in ("SELECT AVG(mood) WHERE clinic = 'A'", "SELECT MODE(mood) WHERE clinic = 'A'"):
        question, wishes = asked(ask, facts), Wishes.of(prior="databases")
        assert plan(question, facts, epsilon=1, wishes=wishes, cache=None).parts


@pytest.mark.parametrize("public", [True, False])
@pytest.mark.parametrize("ask", ["SELECT MODE(mood)", "SELECT MODE(mood) WHERE clinic = 'A'"])
def test_drawn_sizes_have_the_law_of_listed_ones(ask, public, monkeypatch):
    """Both ways of drawing, within what chance leaves of their distribution functions."""
    facts, many = dataset(500, public=public), 20_000
    question = asked(ask, facts)
    subject, dice = subject_of(question.items[0], question, facts), np.random.default_rng()
    listed = np.cumsum(priors.sizes(subject))
    monkeypatch.setattr(priors, "_MOST_SIZES", 0)
    drawn = priors.drawn_sizes(subject, dice, many, maybe_none=True)
    found = np.cumsum(np.bincount(drawn, minlength=501)) / many
    # Dvoretzky, Kiefer and Wolfowitz, at a chance of one in ten million.
    assert np.abs(found - listed).max() <= math.sqrt(math.log(2e7) / (2 * many))
