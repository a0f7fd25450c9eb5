"""Changing a dataset file by sections: what is asked for changes, and nothing else does."""

import tomllib

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from discreet.errors import DatasetError
from discreet.tables import examine_dataset
from discreet.tables.drafts.writing import (
    quoted_text,
    to_confirm,
    with_key,
    with_section,
    without_section,
    words_text,
)
from small_survey import dataset_text

HAND = """\
# by hand
name = "clinic"   # ours
confirmed = false

[source]
path = "rows.csv"

[columns."blood pressure"]
# CONFIRM blood pressure: whole numbers from 0 to 300
type = "integer"
low = 0
high = 300
# Column "id" is left out: it numbers the rows.

[columns.clinic]
values = [
  "[columns.x]",
  "North",
]
type = "category"
"""
names = st.text(min_size=1, max_size=8)


def test_a_section_is_replaced_and_the_rest_stays_letter_by_letter():
    found = with_section(HAND, ("columns", "blood pressure"), {"type": '"integer"', "low": "20"})
    before, _, after = HAND.partition("# CONFIRM")
    assert found.startswith(before)
    assert found.endswith(after.partition("high = 300\n")[2])
    assert tomllib.loads(found)["columns"]["blood pressure"] == {"type": "integer", "low": 20}
    assert to_confirm(HAND) == {
        ("columns", "blood pressure"): ("blood pressure: whole numbers from 0 to 300",)
    }
    assert to_confirm(found) == {}


def test_a_section_that_is_not_there_comes_last_and_one_may_go():
    added = with_section(HAND, ("columns", "age"), {"type": '"boolean"'})
    assert added.endswith('[columns.age]\ntype = "boolean"\n')
    gone = without_section(added, ("columns", "age"), 'Column "age" is left out: by hand.')
    assert tomllib.loads(gone) == tomllib.loads(HAND)
    assert gone.endswith('# Column "age" is left out: by hand.\n')


def test_a_key_at_the_top_is_changed_in_its_place():
    assert with_key(HAND, "confirmed", "true") == HAND.replace(
        "confirmed = false", "confirmed = true"
    )
    assert with_key("[source]\n", "confirmed", "true").startswith("confirmed = true\n")


def test_a_file_that_only_looks_like_a_section_is_refused_and_not_spoilt():
    odd = 'name = """\n[columns.age]\n"""\n[columns.age]\ntype = "boolean"\n'
    with pytest.raises(DatasetError, match="edit it by hand"):
        with_section(odd, ("columns", "age"), {"type": '"integer"'})


@example(name="x", words=["North" * 9, "ends\x85here", "or\u2028here"], why="")
@given(names, st.lists(names, min_size=1, max_size=30), names)
@settings(max_examples=settings.default.max_examples // 3)
def test_whatever_is_written_is_read_back(name, words, why):
    facts = {"values": words_text(words), "why": quoted_text(why)}
    found = tomllib.loads(with_section(HAND, ("columns", name), facts))
    assert found["columns"].pop(name) == {"values": words, "why": why}
    rest = tomllib.loads(HAND)
    rest["columns"].pop(name, None)
    assert found == rest


def test_the_custodians_notes_are_accepted_everywhere_and_change_no_fact(tmp_path):
    text = dataset_text()
    noted = text
    for path in (("source",), ("privacy",), ("budget",), ("columns", "mood")):
        facts = tomllib.loads(text)
        for part in path:
            facts = facts[part]
        plain = {key: _toml(one) for key, one in facts.items()}
        noted = with_section(noted, path, {**plain, "why": '"the questionnaire"'})
    file = tmp_path / "survey.toml"
    file.write_text(text)
    before = examine_dataset(file)
    file.write_text(noted)
    assert examine_dataset(file) == before
    assert before[0] is not None
    file.write_text(noted.replace('why = "the questionnaire"', "why = 3"))
    problems = examine_dataset(file)[1]
    assert len(problems) == 4
    assert "how this is known without the rows" in problems[0].text


def _toml(value):
    if isinstance(value, bool):
        return str(value).lower()
    return quoted_text(value) if isinstance(value, str) else str(value)
