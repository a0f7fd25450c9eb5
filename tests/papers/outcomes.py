"""What every item of a paper must satisfy; an item is run once for all who ask."""

import json
from functools import cache

from discreet.papers.item import Outcome
from discreet.papers.registry import ITEMS


@cache
def outcome(name):
    """What an item finds."""
    return ITEMS[name].run(lambda fraction, word: None)


def check_slips(name, slips):
    """Every claim holds but those known to be slips, named by how they begin."""
    failing = [check.claim for check in outcome(name).checks if not check.holds]
    assert len(failing) == len(slips), failing
    assert all(claim.startswith(start) for claim, start in zip(failing, slips, strict=True))
    assert outcome(name).checks


def check_numbers(name):
    """It survives JSON and has numbers everywhere."""
    told = outcome(name)
    written = json.dumps(told.to_dict(), allow_nan=False)
    assert json.dumps(Outcome.from_dict(json.loads(written)).to_dict()) == written
    for table in told.tables:
        assert table.rows
        assert all(len(row) == len(table.columns) for row in table.rows)
    for figure in told.figures:
        assert figure.message
        for panel in figure.panels:
            assert all(len(series.x) == len(series.y) > 0 for series in panel.series)


def check_printed(name, numbers):
    """Each number the paper prints is the subject of a check that holds."""
    assert set(numbers) <= {check.printed for check in outcome(name).checks if check.holds}
