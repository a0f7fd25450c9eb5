"""A ledger where nothing can be written is verified from a copy, with its log and its anchor."""

import errno
import os
import shutil

import pytest

from discreet.budget import Ledger, Single, copied, is_read_only, read_only
from discreet.errors import LedgerError


@pytest.fixture
def place(tmp_path):
    (tmp_path / "medium").mkdir()
    return tmp_path / "medium" / "survey.ledger"


@pytest.fixture
def protect(place, monkeypatch):
    """Make the folder read-only: what is opened in it for writing fails as on such a medium."""
    opened, allowed = os.open, os.access

    def inside(path):
        return os.fspath(path).startswith(str(place.parent))

    def opening(path, flags, *more, **named):
        if inside(path) and flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
            raise OSError(errno.EROFS, os.strerror(errno.EROFS))
        return opened(path, flags, *more, **named)

    def accessible(path, mode):
        return allowed(path, mode) and not (inside(path) and mode & os.W_OK)

    def protecting():
        monkeypatch.setattr(os, "open", opening)
        monkeypatch.setattr(os, "access", accessible)

    return protecting


def listing(place):
    return {file.name: file.read_bytes() for file in place.parent.iterdir()}


def test_a_copy_is_read_and_the_medium_left_alone(place, protect):
    with Ledger.create(place, "1") as ledger:
        ledger.charge("a", Single(500_000_000), analyst="ana")
        entries, balances = ledger.entries(), ledger.balances()
    del ledger
    assert not is_read_only(place)
    protect()
    assert is_read_only(place)
    before = listing(place)
    with pytest.raises(LedgerError, match="lock"):
        Ledger(place)
    with copied(place) as ledger:
        assert ledger.audit().clean
        assert (ledger.entries(), ledger.balances()) == (entries, balances)
        folder = ledger.path.parent
        assert folder.stat().st_mode & 0o077 == 0
    assert not folder.exists()
    assert listing(place) == before


def test_what_is_still_in_the_log_is_read_as_well(place, tmp_path, protect):
    with Ledger.create(tmp_path / "survey.ledger", "1") as ledger:
        ledger.charge("a", Single(500_000_000), analyst="ana")
        for file in tmp_path.glob("survey.ledger*"):
            shutil.copy(file, place.parent)
        assert (tmp_path / "survey.ledger-wal").stat().st_size > 0
    protect()
    with copied(place) as ledger:
        assert ledger.charged("a") is not None
        assert ledger.audit().clean


@pytest.mark.parametrize(("ending", "says"), [(".head", "anchor"), ("-wal", "older")])
def test_a_copy_that_lacks_something_is_refused(place, tmp_path, protect, ending, says):
    with Ledger.create(tmp_path / "survey.ledger", "1") as ledger:
        ledger.charge("a", Single(500_000_000), analyst="ana")
        for file in tmp_path.glob("survey.ledger*"):
            if not file.name.endswith(ending):
                shutil.copy(file, place.parent)
    if ending == "-wal":
        with Ledger.create(place.with_name("old.ledger"), "1"):
            pass
        shutil.move(place.with_name("old.ledger"), place)
    protect()
    with pytest.raises(LedgerError, match=says), copied(place):
        pass


def test_a_ledger_that_is_written_meanwhile_is_refused(place, protect, monkeypatch):
    Ledger.create(place, "1").close()
    copying = shutil.copyfile

    def slowly(source, target):
        copying(source, target)
        os.utime(source, ns=(1, 1))

    monkeypatch.setattr(read_only.shutil, "copyfile", slowly)
    with pytest.raises(LedgerError, match="while it was copied; try again"), copied(place):
        pass


def test_a_file_that_cannot_be_read_is_told_in_one_line(place, monkeypatch):
    Ledger.create(place, "1").close()

    def failing(source, target):
        raise OSError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(read_only.shutil, "copyfile", failing)
    with (
        pytest.raises(LedgerError, match=r"its \.head file to a writable folder"),
        copied(place),
    ):
        pass


def test_no_ledger_is_not_read_only(place, protect):
    protect()
    assert not is_read_only(place)
