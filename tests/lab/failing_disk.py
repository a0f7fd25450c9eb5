"""A disk that fails: power cuts that tear what was not synced, no room, and read-only media.

SQLite writes through a layer of our own (a VFS), which passes everything on to the real files and
remembers what they held before, until they are synced. At a power cut every write from then on
fails; of what was written and not synced each sector is then left at any of its versions, as chance
decides, whatever the order of the writes, and one is torn between two. The head beside the ledger
is written past SQLite, and is treated alike. `python tests/lab/failing_disk.py [CUTS]` writes it
down.
"""

import errno
import os
import random
import shutil
import sys
import tempfile
from collections import Counter
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[1]), str(Path(__file__).parent)]

import apsw  # noqa: E402

from discreet.budget import Claim, Ledger, Single, guard, store  # noqa: E402
from discreet.errors import LedgerError  # noqa: E402

SECTOR = 512
_TRIES = 20
NAME = "failing"


@dataclass
class Disk:
    """What is on the disk, what is only said to be, and when it fails."""

    fails_at: int = 10**9
    """The write or sync from which on all fail."""
    why: type[Exception] = apsw.IOError
    heals: bool = False
    """Whether the failure passes after a few attempts."""
    done: int = 0
    before: dict[str, list[tuple[int, bytes, int]]] = field(default_factory=dict)
    """By path: offset, what was there, and how long the file was, oldest first."""

    def step(self) -> None:
        """One more write or sync; it fails where it is to."""
        self.done += 1
        over = self.heals and self.done > self.fails_at + 5
        if self.done >= self.fails_at and not over:
            raise self.why("the disk fails")

    def note(self, path: str, offset: int, many: int) -> None:
        """Remember what a write is about to replace."""
        with open(path, "rb") as file:
            length = os.fstat(file.fileno()).st_size
            held = os.pread(file.fileno(), many, offset)
        self.before.setdefault(path, []).append((offset, held, length))

    def synced(self, path: str) -> None:
        """What was written there stays."""
        self.before.pop(path, None)

    def cut(self) -> int:
        """The power goes: what was not synced is there or not by chance; how many writes."""
        many = 0
        for path, writes in self.before.items():
            if os.path.exists(path):
                many += len(writes)
                _left(path, writes)
        self.before.clear()
        return many


def _left(path: str, writes: list[tuple[int, bytes, int]]) -> None:
    """What the disk has of a file: of each sector any version since the last sync.

    One sector may be torn between two of its versions: a disk loses power once, while it writes.
    """
    versions: dict[int, list[bytes]] = {}
    lengths = {os.path.getsize(path), *(length for _, _, length in writes)}
    with open(path, "r+b", buffering=0) as file:
        for offset, held, _ in reversed(writes):
            for place in range(offset // SECTOR, (offset + len(held) - 1) // SECTOR + 1):
                known = versions.setdefault(place, [])
                newest = known[-1] if known else os.pread(file.fileno(), SECTOR, place * SECTOR)
                known.append(_before(newest, place * SECTOR, offset, held))
        torn = random.choice(sorted(versions)) if versions else None
        for place, known in versions.items():
            known.append(os.pread(file.fileno(), SECTOR, place * SECTOR))
            sector = random.choice(known)
            if place == torn:
                cut = random.randrange(SECTOR)
                sector = sector[:cut] + random.choice(known)[cut:]
            os.pwrite(file.fileno(), sector, place * SECTOR)
        os.ftruncate(file.fileno(), random.choice(sorted(lengths)))


def _before(sector: bytes, start: int, offset: int, held: bytes) -> bytes:
    """A sector as it was before a write that replaced `held`."""
    whole = bytearray(sector.ljust(SECTOR, b"\0"))
    low, high = max(start, offset), min(start + SECTOR, offset + len(held))
    whole[low - start : high - start] = held[low - offset : high - offset]
    return bytes(whole)


class FailingFile(apsw.VFSFile):
    """One file of SQLite's, which names its methods so."""

    def __init__(self, disk, inherited, name, flags):
        super().__init__(inherited, name, flags)
        self._disk = disk
        self._path = name.filename() if isinstance(name, apsw.URIFilename) else name

    def xWrite(self, data, offset):  # noqa: N802
        self._disk.step()
        self._disk.note(self._path, offset, len(data))
        return super().xWrite(data, offset)

    def xTruncate(self, size):  # noqa: N802
        self._disk.step()
        self._disk.note(self._path, size, max(0, os.path.getsize(self._path) - size))
        return super().xTruncate(size)

    def xSync(self, flags):  # noqa: N802
        self._disk.step()
        done = super().xSync(flags)
        self._disk.synced(self._path)
        return done


class FailingVfs(apsw.VFS):
    """The layer; the newest is SQLite's default while it lives."""

    def __init__(self, disk):
        self._disk, self._base = disk, apsw.vfs_names()[0]
        super().__init__(NAME, self._base, makedefault=True)

    def xOpen(self, name, flags):  # noqa: N802
        return FailingFile(self._disk, self._base, name, flags)


@contextmanager
def failing(disk):
    """Ledgers that are opened within write to this disk, and so do their heads."""
    usual, layer = apsw.vfs_names()[0], FailingVfs(disk)
    plain, force, anchors = guard.Anchor.write, store.force, {}

    def step():
        """As the operating system says it: the head is written past SQLite."""
        try:
            disk.step()
        except apsw.Error as problem:
            raise OSError(errno.ENOSPC, str(problem)) from None

    def writing(self, mark):
        step()
        anchors[self._file] = os.readlink(f"/proc/self/fd/{self._file}")
        disk.note(anchors[self._file], 0, 2 * guard._SLOT)
        plain(self, mark)

    def forcing(file):
        step()
        force(file)
        if file in anchors:
            disk.synced(anchors[file])

    guard.Anchor.write, store.force = writing, forcing
    try:
        yield
    finally:
        guard.Anchor.write, store.force = plain, force
        apsw.set_default_vfs(usual)
        layer.unregister()


@dataclass
class Found:
    """What a campaign came to."""

    cuts: int = 0
    undone: int = 0
    """Writes that were not synced when the power went, and were undone in part."""
    told: int = 0
    lacking: int = 0
    """Answers that were told and are not in the ledger with their charge."""
    unclean: int = 0
    refused: int = 0
    """Ledgers that nobody can open afterwards without saying that entries were lost."""
    why: str = ""


def asked(ledger, name):
    """One answer."""
    return ledger.answered(name, Claim(Single(1)), lambda: {"value": name}, analyst="ana")


def campaign(folder, cuts, *, most=60, lax=False):
    """Cut the power so many times, each time at another write, and look what is left.

    With `lax`, commits are not synced: the planted fault.
    """
    if lax:
        _be_lax()
    found, path = Found(), folder / "survey.ledger"
    Ledger.create(path, "1").close()
    told = set()
    for cut in range(cuts):
        disk = Disk(random.randrange(1, most))
        with failing(disk):
            told |= set(_until_it_fails(path, cut))
            found.undone += disk.cut()
        path = _after_the_cut(path, folder / str(cut))
        found.cuts += 1
        try:
            with Ledger(path) as ledger:
                entries = ledger.entries()
                found.unclean += not ledger.audit().clean
        except LedgerError as problem:
            found.refused += 1
            found.why = str(problem)
            break
        kinds = Counter((entry.question, entry.kind) for entry in entries)
        found.lacking += sum(
            (kinds[name, "charge"], kinds[name, "answer"]) != (1, 1) for name in told
        )
        if found.lacking:
            break
    found.told = len(told)
    return found


def _after_the_cut(path, folder):
    """The files as the next start finds them: under names that no memory of SQLite's belongs to."""
    folder.mkdir()
    for ending in ("", "-wal", ".head"):
        left = path.with_name(path.name + ending)
        if left.exists():
            shutil.copy(left, folder)
            left.unlink()
    return folder / path.name


def _be_lax():
    plain = store.connect

    def connect(path, *, create):
        connection = plain(path, create=create)
        connection.execute("PRAGMA synchronous = NORMAL")
        return connection

    store.connect = connect


def for_a_while(folder, most, *, why, hasty=False):
    """A disk that fails for a few writes, at each of the first: (asks that failed, told as new,
    ids, charges, whether the audit is clean). Whoever is `hasty` tells what could not be written.
    """
    path = folder / "survey.ledger"
    Ledger.create(path, "1").close()
    told, failed = [], 0
    for fails_at in range(1, most):
        with failing(Disk(fails_at, getattr(apsw, why), heals=True)):
            ledger = _at_last(lambda: Ledger(path))[0]
            for number in range(8):
                name = f"{fails_at}-{number}"
                try:
                    answer, tries = _at_last(partial(asked, ledger, name), 1 if hasty else _TRIES)
                except AssertionError:
                    told.append((name, True))
                    continue
                failed += tries
                told.append((name, answer.new))
            _abandoned(ledger)
    with Ledger(path) as ledger:
        charges, clean = ledger.balance().spent, ledger.audit().clean
    new = sum(is_new for _, is_new in told)
    return failed, new, len({name for name, _ in told}), charges, clean


def _at_last(act, most=_TRIES):
    """What comes when the disk has healed, and how often it did not."""
    for tries in range(most):
        try:
            return act(), tries
        except LedgerError:
            continue
    raise AssertionError("it never healed")


def _until_it_fails(path, cut):
    """Ask and tell until the disk fails; whatever is told then is yielded no more."""
    ledger = None
    try:
        ledger = Ledger(path)
        for number in range(30):
            name = f"{cut}-{number}"
            if asked(ledger, name).new:
                yield name
    except (LedgerError, apsw.Error, OSError):
        pass
    finally:
        if ledger is not None:
            _abandoned(ledger)


def _abandoned(ledger):
    """As a process that dies: nothing is finished."""
    try:
        ledger.close()
    except (LedgerError, apsw.Error, OSError):
        ledger._closed = True


if __name__ == "__main__":
    from killing import written_down

    many = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    for _ in range(0, many, 100):
        with tempfile.TemporaryDirectory() as place:
            part = campaign(Path(place), 100)
        written_down("power cuts that tear what was not synced", asdict(part))
        print(part, flush=True)
