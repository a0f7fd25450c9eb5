"""What it means that two tables differ by one record."""

from discreet.errors import NeighboursError, named
from discreet.text import Word, show


class Relation(Word):
    """How neighbouring tables differ; the value is its word in files, SQL, HTTP and options.

    >>> Relation.of("add-or-remove"), Relation.of("change one").words
    ('add-or-remove', 'change one')
    """

    CHANGE = "change"
    """The number of records is public; neighbours differ in the value of one record."""
    ADD_OR_REMOVE = "add-or-remove"
    """The number of records is private; one of two neighbours has a record more."""
    EITHER = "either"
    """What a change of one record does to a selection of the rows: any of the two."""

    @property
    def words(self) -> str:
        """What may happen to a record, for people."""
        return _WORDS[self]

    @classmethod
    def of(cls, given: "Relation | str", among: "tuple[Relation, ...] | None" = None) -> "Relation":
        """Read a relation by its word, or by one that earlier versions wrote.

        Raises:
            NeighboursError: If it is no relation, or none of those `among` which it must be.
        """
        wanted = among or tuple(cls)
        earlier = _EARLIER.get(given.strip().lower()) if isinstance(given, str) else None
        found = cls.read(given) or earlier
        if found in wanted:
            return found
        known = " or ".join(map(repr, wanted))
        raise NeighboursError(f"{named('neighbours')} must be {known}, got {show(given)}")


ONE_RECORD = (Relation.CHANGE, Relation.ADD_OR_REMOVE)
"""What a table may declare; either of them is only ever derived."""

_WORDS = {
    Relation.CHANGE: "change one",
    Relation.ADD_OR_REMOVE: "add or remove one",
    Relation.EITHER: "change, add or remove one",
}
_EARLIER = {words: relation for relation, words in _WORDS.items()} | {
    "change-one": Relation.CHANGE,
    "add-remove": Relation.ADD_OR_REMOVE,
    "add-or-remove-one": Relation.ADD_OR_REMOVE,
}
