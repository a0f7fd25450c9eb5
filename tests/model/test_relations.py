"""One word for each relation; what earlier versions wrote is still read."""

import pytest

from discreet.errors import NeighboursError
from discreet.model import ONE_RECORD, Relation


@pytest.mark.parametrize("relation", Relation)
def test_a_relation_reads_back_from_its_word_and_from_its_words(relation):
    assert Relation.of(relation) is relation
    assert Relation.of(relation.value) is relation
    assert Relation.of(f" {relation.words.upper()} ") is relation


@pytest.mark.parametrize(
    ("earlier", "relation"),
    [
        ("change-one", Relation.CHANGE),
        ("add-remove", Relation.ADD_OR_REMOVE),
        ("add-or-remove-one", Relation.ADD_OR_REMOVE),
        ("change, add or remove one", Relation.EITHER),
    ],
)
def test_earlier_words_are_read(earlier, relation):
    assert Relation.of(earlier) is relation


@pytest.mark.parametrize("given", ["", "swap", None, 1, True])
def test_anything_else_is_refused_with_what_there_is(given):
    with pytest.raises(NeighboursError, match="'change' or 'add-or-remove' or 'either', got"):
        Relation.of(given)


def test_a_table_never_declares_either():
    with pytest.raises(NeighboursError, match="'change' or 'add-or-remove', got 'either'"):
        Relation.of("either", ONE_RECORD)
