"""The secret of a dataset: made once, kept, never changed; it draws the lottery of rows."""

import stat
from concurrent.futures import ThreadPoolExecutor

import pytest

from discreet.curator import open_dataset
from discreet.errors import FactsChanged, LedgerError
from discreet.tables import Key, open_table, read_dataset
from small_survey import MOOD, dataset_text

PERSON = 'unit = "pid"\nmost_rows_per_unit = 1\nsize_at_most = 100'


@pytest.fixture
def survey(tmp_path):
    (tmp_path / "rows.csv").write_text("pid,mood\np1,1\np1,5\n")
    (tmp_path / "survey.toml").write_text(dataset_text(PERSON, columns=MOOD))
    return tmp_path / "survey.toml"


def winner(dataset, key):
    with open_table(dataset, key) as table:
        (mood,) = table.columns["mood"].tolist()
        return mood


def test_nobody_without_the_key_can_choose_which_row_of_a_person_wins(survey):
    """Either row wins under some keys; a right program fails here once in 2^39 runs."""
    dataset = read_dataset(survey)
    assert {winner(dataset, Key.random()) for _ in range(40)} == {0, 4}


def test_the_same_rows_win_whenever_a_dataset_is_opened(survey):
    won = set()
    for _ in range(8):
        with open_dataset(survey, analyst="ana") as held:
            won.add(held.curator.table.columns["mood"].tolist()[0])
    assert len(won) == 1


def test_a_key_is_made_once_and_for_its_owner_alone(tmp_path):
    path = tmp_path / "survey.ledger.key"
    with ThreadPoolExecutor(8) as pool:
        opened = set(pool.map(Key.open, [path] * 32))
    assert opened == {Key.open(path)}
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert list(tmp_path.iterdir()) == [path]
    assert Key.open(path).secret.hex() not in repr(Key.open(path))


@pytest.mark.parametrize("content", [b"", b"12ab\n", b"\xff" * 65, b"x" * 64 + b"\n"])
def test_a_damaged_key_is_one_line_and_stays(survey, content):
    path = survey.with_name("survey.ledger.key")
    path.write_bytes(content)
    said = r"key survey\.ledger\.key.*restore it"
    with open_dataset(survey, analyst="ana") as held, pytest.raises(LedgerError, match=said) as one:
        held.count().ask(epsilon=1)
    assert "\n" not in str(one.value)
    assert path.read_bytes() == content
    assert not survey.with_suffix(".ledger").exists()


def test_a_lost_key_is_noticed_before_anything_is_answered(survey):
    path = survey.with_name("survey.ledger.key")
    with open_dataset(survey, analyst="ana") as held:
        held.count().ask(epsilon=1)
    kept = path.read_bytes()
    path.unlink()
    with open_dataset(survey, analyst="ana") as held:
        with pytest.raises(FactsChanged, match=r"facts: ledger\.key changed; restore them, or"):
            held.count().ask(epsilon=1)
        assert held.curator.ledger.balance().spent == 10**9
    path.write_bytes(kept)
    with open_dataset(survey, analyst="ana") as held:
        held.count().ask(epsilon=1)


def test_a_key_that_cannot_be_read_is_one_line(survey):
    survey.with_name("survey.ledger.key").mkdir()
    with (
        open_dataset(survey, analyst="ana") as held,
        pytest.raises(LedgerError, match="Is a directory"),
    ):
        held.count().ask(epsilon=1)


def test_where_nothing_depends_on_a_key_none_is_made(survey):
    survey.write_text(dataset_text("size = 2", columns=MOOD))
    with open_dataset(survey, analyst="ana") as held:
        held.count().ask(epsilon=1)
    assert not survey.with_name("survey.ledger.key").exists()
