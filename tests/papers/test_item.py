"""An outcome survives JSON, and every figure's numbers come out as tables."""

import json

from hypothesis import given
from hypothesis import strategies as st

from discreet.papers import Check, Figure, Outcome, Panel, PrintedTable, Series
from discreet.papers.item import ClaimSource, figure_tables, tally

words = st.text(max_size=8)
finite = st.floats(allow_nan=False, allow_infinity=False)
cells = st.none() | words | st.integers() | finite


@st.composite
def tables(draw):
    columns = draw(st.lists(words, min_size=1, max_size=3))
    row = st.tuples(*[cells] * len(columns))
    return PrintedTable(
        draw(words), tuple(columns), tuple(draw(st.lists(row, max_size=3))), draw(words)
    )


@st.composite
def series(draw):
    points = draw(st.lists(finite, max_size=4, unique=True))
    values = draw(st.lists(finite, min_size=len(points), max_size=len(points)))
    return Series(draw(words), tuple(points), tuple(values), draw(st.sampled_from(["", "ours"])))


panels = st.builds(
    Panel,
    title=words,
    x_label=words,
    y_label=words,
    series=st.lists(series(), max_size=3).map(tuple),
    log_x=st.booleans(),
)
figures = st.builds(Figure, words, words, st.lists(panels, max_size=2).map(tuple))
checks = st.builds(
    Check,
    claim=words,
    printed=st.none() | words,
    ours=words,
    difference=st.none() | words,
    holds=st.booleans(),
    note=words,
)
outcomes = st.builds(
    Outcome,
    st.lists(tables(), max_size=2).map(tuple),
    st.lists(figures, max_size=2).map(tuple),
    st.lists(checks, max_size=2).map(tuple),
    st.lists(words, max_size=2).map(tuple),
)


@given(outcomes)
def test_an_outcome_survives_json(outcome):
    assert Outcome.from_dict(json.loads(json.dumps(outcome.to_dict()))) == outcome


@given(figures)
def test_no_number_of_a_figure_is_lost(figure):
    made = figure_tables(figure)
    assert len(made) == len(figure.panels)
    for panel, table in zip(figure.panels, made, strict=True):
        assert table.columns == (panel.x_label, *(one.label for one in panel.series))
        for place, one in enumerate(panel.series, start=1):
            told = {row[0]: row[place] for row in table.rows if row[place] is not None}
            assert told == dict(zip(one.x, one.y, strict=True))


@given(st.lists(checks, max_size=6))
def test_what_quotes_nothing_printed_is_never_counted_as_the_papers(many):
    """Every check is counted once, and one without a quotation among ours alone."""
    found = {source: (held, total) for source, held, total in tally(many)}
    unquoted = [check for check in many if check.printed is None]
    held = sum(check.holds for check in unquoted)
    assert found.get(ClaimSource.OURS, (0, 0)) == (held, len(unquoted))
    assert sum(total for _, total in found.values()) == len(many)
