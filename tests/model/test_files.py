"""Files: what was saved is loaded, what was damaged is refused, and no save is half done."""

import json
import os
import re
import stat
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.errors import FileError, InvalidInput
from discreet.model import (
    AllPairs,
    Grid,
    Mechanism,
    files,
    load_mechanism,
    mechanism_from_dict,
    mechanism_to_dict,
    save_mechanism,
)
from ground_truth import labels, mechanisms, number_spaces

FORMATS = Path(__file__).parents[2] / "docs" / "reference" / "mechanism-file.md"
TWO = Grid.between(0, 1)
COIN = Mechanism.of(TWO, TWO, AllPairs(), [[3, 1], [1, 3]], name="coin", notes={"why": "ε"})


@given(mechanisms(number_spaces() | labels()))
def test_what_is_written_is_read_back(mechanism):
    text = json.dumps(mechanism_to_dict(mechanism))
    again = mechanism_from_dict(json.loads(text))
    assert again.same_as(mechanism)
    assert again.total == mechanism.total


def test_save_and_load(tmp_path):
    path = save_mechanism(COIN, tmp_path / "coin.json")
    again = load_mechanism(str(path))
    assert again.same_as(COIN)
    assert (again.name, dict(again.notes)) == ("coin", {"why": "ε"})
    assert [file.name for file in tmp_path.iterdir()] == ["coin.json"]


@settings(deadline=None)
@given(st.data())
def test_no_single_change_of_a_fact_goes_unnoticed(data):
    good = mechanism_to_dict(COIN)
    text = json.dumps(good)
    place = data.draw(st.integers(0, len(text) - 1))
    letter = data.draw(st.characters(min_codepoint=32, max_codepoint=126))
    damaged = text[:place] + letter + text[place + 1 :]
    try:
        changed = json.loads(damaged)
    except ValueError:
        return
    facts = ("answers", "outputs", "neighbours", "weights", "total", "digest", "format", "version")
    if all(changed.get(key) == good[key] for key in facts):
        return
    with suppress(InvalidInput):
        assert mechanism_from_dict(changed).same_as(COIN)


@settings(deadline=None, max_examples=60)
@given(st.binary(max_size=40))
def test_any_bytes_at_all_give_one_line(tmp_path_factory, content):
    path = tmp_path_factory.mktemp("bytes") / "mechanism.json"
    path.write_bytes(content)
    with pytest.raises(FileError) as caught:
        load_mechanism(path)
    assert len(str(caught.value).splitlines()) == 1


def test_a_damaged_weight_is_found_by_the_digest():
    data = mechanism_to_dict(COIN)
    data["weights"] = [["1", "3"], ["3", "1"]]
    with pytest.raises(FileError, match="the digest does not match the content"):
        mechanism_from_dict(data)


def test_a_file_written_by_hand_needs_no_digest():
    data = mechanism_to_dict(COIN)
    del data["digest"], data["total"], data["name"], data["notes"]
    data["weights"] = [[3, 1], [1, 3]]
    assert mechanism_from_dict(data).same_as(COIN)


def test_a_byte_order_mark_is_forgiven(tmp_path):
    path = tmp_path / "coin.json"
    path.write_text(json.dumps(mechanism_to_dict(COIN)), encoding="utf-8-sig")
    assert load_mechanism(path).same_as(COIN)


def test_an_endless_file_is_not_read_to_its_end(monkeypatch):
    monkeypatch.setattr(files, "MOST_BYTES", 1 << 20)
    with pytest.raises(FileError, match="is larger than 1 MB"):
        load_mechanism("/dev/zero")


def test_a_failed_save_keeps_the_old_file_and_leaves_nothing_behind(tmp_path, monkeypatch):
    path = save_mechanism(COIN, tmp_path / "coin.json")
    before = path.read_bytes()

    def full(_descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(FileError, match=r"^cannot write .*: No space left on device$"):
        save_mechanism(Mechanism.of(TWO, TWO, AllPairs(), [[1, 1], [1, 1]]), path)
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["coin.json"]


def test_a_save_that_cannot_be_says_so(tmp_path):
    for target in (tmp_path, tmp_path / "no" / "such.json", "/", "a\0b"):
        with pytest.raises(FileError, match=r"^cannot write ") as caught:
            save_mechanism(COIN, target)
        assert len(str(caught.value).splitlines()) == 1
    assert list(tmp_path.iterdir()) == []


def test_others_may_read_what_the_umask_lets_them(tmp_path):
    before = os.umask(0o022)
    try:
        path = save_mechanism(COIN, tmp_path / "coin.json")
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == 0o644


def test_notes_of_any_kind_are_written(tmp_path):
    noted = Mechanism.of(TWO, TWO, AllPairs(), [[3, 1], [1, 3]], notes={"space": TWO})
    path = save_mechanism(noted, tmp_path / "noted.json")
    assert load_mechanism(path).notes["space"] == "Grid(0, 1)"


@pytest.mark.parametrize("text", re.findall(r"```json\n(.*?)```", FORMATS.read_text(), re.DOTALL))
def test_the_documented_example_is_what_we_read_and_write(text, tmp_path):
    path = tmp_path / "example.json"
    path.write_text(text)
    loaded = load_mechanism(path)
    assert mechanism_to_dict(loaded) == json.loads(text)


def test_every_key_is_documented():
    page = FORMATS.read_text()
    assert "```json" in page
    for key in mechanism_to_dict(COIN):
        assert f"`{key}`" in page
