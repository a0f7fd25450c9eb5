"""What is told beside a value holds as often as it says, on columns that nobody made up for us.

A short form of `python -m benchmarks real_columns --coverage`, without a download.
"""

import os
from itertools import product

import numpy as np
import pytest
from benchmarks.real_columns.asked import EPSILONS, Asked, Rows, Statistic
from benchmarks.real_columns.coverage import Claim, Kind, at_most, claims, empty_groups
from benchmarks.real_columns.ours import Planned

from discreet.errors import DesignError
from discreet.model import Relation

SOAK = bool(os.environ.get("DISCREET_SOAK"))

COLUMNS = {
    "deaths by horse kick (Bortkiewicz 1898)": [109, 65, 22, 3, 1],
    "yeast cells in a square (Student 1907)": [213, 128, 37, 18, 3, 1, 0, 0, 0, 0, 0],
    "waiting hours, bounds far too loose": [0, 31, 14, 8, 4, 2, *[0] * 40, 1, *[0] * 54],
    "half at the top of a scale": [3, 0, 5, 9, 12, 30],
}
SITUATIONS = tuple(product(Rows, (Relation.CHANGE, Relation.ADD_OR_REMOVE)))


def chosen():
    """Each statistic of each column in one situation at one ε; in a long campaign, in all."""
    for place, (column, statistic) in enumerate(product(COLUMNS, Statistic)):
        turn = place % len(SITUATIONS), EPSILONS[place % len(EPSILONS)]
        for situation, epsilon in product(range(len(SITUATIONS)), EPSILONS) if SOAK else (turn,):
            yield column, statistic, *SITUATIONS[situation], epsilon


@pytest.mark.parametrize(("column", "statistic", "selected", "relation", "epsilon"), list(chosen()))
def test_what_is_told_of_real_rows_holds_as_often_as_it_says(
    column, statistic, selected, relation, epsilon
):
    counts = np.array(COLUMNS[column])
    asked = Asked(
        values=len(counts),
        from_zero=True,
        words=False,
        rows=int(counts.sum()),
        statistic=statistic,
        selected=selected,
        relation=relation,
        epsilon=epsilon,
    )
    try:
        planned = Planned.of(asked)
    except DesignError:
        return  # refused: ε is too small for groups of so few rows
    found = [*claims(planned, column, counts), *empty_groups(planned)]
    assert {one.kind for one in found} & {Kind.INTERVAL, Kind.ROWS_OFF}
    assert [one for one in found if not one.is_true] == []


def test_a_claim_that_fails_too_often_is_found_out():
    asked = Asked(
        values=2,
        from_zero=True,
        words=False,
        rows=1,
        statistic=Statistic.MEAN,
        selected=Rows.WHOLE,
        relation=Relation.CHANGE,
        epsilon="1",
    )

    def claim(held, draws):
        return Claim(
            column="x", asked=asked, kind=Kind.INTERVAL, level=0.95, held=held, draws=draws
        )

    assert claim(0.95, None).is_true
    assert not claim(0.9499, None).is_true
    assert claim(0.93, 400).is_true
    assert not claim(0.88, 400).is_true
    assert at_most(400, 400, 0.95) == pytest.approx(1)
