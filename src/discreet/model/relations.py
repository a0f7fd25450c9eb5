"""What it means that two tables differ by one record."""

from discreet.errors import NeighboursError
from discreet.exact import show

CHANGE_ONE = "change one"
"""The number of records is public; neighbours differ in the value of one record."""
ADD_OR_REMOVE_ONE = "add or remove one"
"""The number of records is private; one of two neighbours has a record more."""

EDIT_ONE = "change, add or remove one"
"""Either: what a change of one record does to a selection of the rows."""

RELATIONS = (CHANGE_ONE, ADD_OR_REMOVE_ONE, EDIT_ONE)


def check_relation(relation: str) -> str:
    """The relation, if it is one of the three.

    >>> check_relation("change one")
    'change one'
    """
    if relation in RELATIONS:
        return relation
    known = ", ".join(map(repr, RELATIONS))
    raise NeighboursError(f"neighbours are two tables that differ by {known}, got {show(relation)}")
