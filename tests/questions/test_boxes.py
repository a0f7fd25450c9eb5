"""Boxes select the rows that their conditions do, and equal ones the same rows."""

from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from discreet.model import Grid, Labels, Relation
from discreet.questions.boxes import Box, box_of
from discreet.questions.conditions import AllOf, AnyOf, InRange, Not, OneOf, holds
from discreet.tables import GAP, CategoryColumn, Facts, NumberColumn, PrivacyUnit

FACTS = Facts(
    name="boxes",
    columns=(
        NumberColumn("age", Grid.between(0, 4), None, whole=True),
        CategoryColumn("clinic", Labels.of(["A", "B"]), "A"),
    ),
    unit=PrivacyUnit(None, 1),
    relation=Relation.CHANGE,
    most_rows=10,
    size_is_public=True,
)
ROWS = [{"age": age, "clinic": clinic} for age, clinic in product(range(GAP, 5), range(2))]

leaves = st.one_of(
    st.tuples(st.integers(0, 4), st.integers(0, 4)).map(lambda e: InRange("age", min(e), max(e))),
    st.lists(st.integers(0, 4), max_size=3).map(lambda i: OneOf("age", tuple(i))),
    st.just(OneOf("age", (GAP,))),
    st.lists(st.integers(0, 1), max_size=2).map(lambda i: OneOf("clinic", tuple(i))),
)
conditions = st.recursive(
    leaves,
    lambda inner: st.one_of(
        inner.map(Not),
        st.lists(inner, max_size=3).map(lambda parts: AllOf(tuple(parts))),
        st.lists(inner, max_size=3).map(lambda parts: AnyOf(tuple(parts))),
    ),
    max_leaves=6,
)


def _has(box: Box, row: dict[str, int]) -> bool:
    inside = all(
        any(first <= row[name] <= last for first, last in spans)
        for name, spans in box.sides.items()
    )
    return inside and all(holds(part, row) is True for part in box.rest)


@given(conditions)
def test_a_box_has_the_rows_of_its_condition(condition):
    box = box_of(condition, FACTS)
    assert [_has(box, row) for row in ROWS] == [holds(condition, row) is True for row in ROWS]


def test_one_selection_has_one_box_however_it_is_written():
    young = InRange("age", 0, 1)
    spellings = [
        AllOf((young, OneOf("clinic", (0,)))),
        AllOf((Not(OneOf("clinic", (1,))), OneOf("age", (1, 0)))),
        AllOf((AllOf((OneOf("clinic", (0,)), young)), Not(InRange("age", 2, 4)))),
        AllOf((AnyOf((OneOf("age", (0,)), OneOf("age", (1,)))), OneOf("clinic", (0,)), young)),
    ]
    assert len({(tuple(sorted(box.sides.items())), box.rest) for box in
                (box_of(one, FACTS) for one in spellings)}) == 1  # fmt: skip
