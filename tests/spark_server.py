"""A real Spark Connect server for tests, on 127.0.0.1, in a virtual environment of its own.

PyPI's `pyspark` brings the server and `pyspark-client` the client, and both own one module: so the
server lives in a cache folder, installed once. It needs Java 17 or newer. Where either cannot be
had these tests are skipped, loudly.
"""

import fcntl
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

from discreet.tables.engines.spark_connect import taken_for_a_program

MISSING = (
    "NO SPARK: nothing was asked of Spark. It needs Java 17 (apt-get install "
    "openjdk-17-jre-headless) and a package index with pyspark; DISCREET_SPARK names the cache."
)
_JAVA = "openjdk-17-jre-headless"
_STARTED: list[subprocess.Popen[bytes]] = []
"""Servers that this process has started: another may end them."""


def _cache() -> Path | None:
    """Where the server is kept; "none" stands for no server at all."""
    given = os.environ.get("DISCREET_SPARK")
    if given == "none":
        return None
    base = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"))
    return Path(given) if given else base / "discreet-tests" / "spark"


def _java() -> bool:
    if shutil.which("java") is None and os.geteuid() == 0 and shutil.which("apt-get"):
        quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        for words in (["update"], ["install", "-y", "--no-install-recommends", _JAVA]):
            subprocess.run(["apt-get", "-o", "DPkg::Lock::Timeout=300", *words],
                           capture_output=True, env=quiet, timeout=900, check=False)  # fmt: skip
    return shutil.which("java") is not None


@contextmanager
def _alone(place: Path):
    """One process at a time."""
    place.parent.mkdir(parents=True, exist_ok=True)
    with place.open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def home() -> Path | None:
    """The server's folder, installed where it is not there yet."""
    cache = _cache()
    if cache is None or not _java():
        return None
    with _alone(cache.with_suffix(".lock")):
        if not (cache / "ready").exists():
            shutil.rmtree(cache, ignore_errors=True)
            pip = [
                cache / "bin" / "python",
                "-m",
                "pip",
                "install",
                "-q",
                "--no-deps",
                "pyspark>=4",
            ]
            for words in ([sys.executable, "-m", "venv", cache], pip):
                done = subprocess.run([*map(str, words)], capture_output=True, check=False)
                if done.returncode:
                    return None
            (cache / "ready").touch()
    return next(cache.glob("lib/python*/site-packages/pyspark"), None)


class SparkServer:
    """Where a running server is, and how to tell it something."""

    def __init__(self, port: int, folder: Path) -> None:
        self.port, self.folder, self.url = port, folder, f"sc://127.0.0.1:{port}"
        self._session = None

    def sql(self, text: str):
        """Run a statement."""
        if self._session is None:
            import atexit
            import warnings

            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                with taken_for_a_program():
                    from pyspark.sql.connect.session import SparkSession

            self._session = SparkSession.builder.remote(self.url).create()
            atexit.unregister(self._session.client._on_exit)
        return self._session.sql(text).collect()

    def table(self, name: str, place: Path) -> None:
        """A table of a Parquet file."""
        self.sql(f"CREATE TABLE {name} USING parquet LOCATION '{place}'")

    def close(self) -> None:
        """Hang up without giving the session back: a server that is gone would be waited for."""
        if self._session is not None:
            self._session.client.close()


HASTY = {"spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1"}
"""Code is compiled quickly and not well: best for questions that are asked once."""


def start(home: Path, folder: Path, more: dict[str, str] = HASTY) -> dict:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    folder.mkdir(exist_ok=True)
    settings = {
        "spark.connect.grpc.binding.address": "127.0.0.1",
        "spark.connect.grpc.binding.port": port,
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.ui.enabled": "false",
        "spark.sql.warehouse.dir": folder / "warehouse",
        "spark.sql.catalogImplementation": "in-memory",
        "spark.sql.shuffle.partitions": 2,
        **more,
    }
    told = [word for key, value in settings.items() for word in ("--conf", f"{key}={value}")]
    surroundings = {
        **os.environ, "SPARK_HOME": str(home), "SPARK_NO_DAEMONIZE": "1",
        "SPARK_LOCAL_IP": "127.0.0.1", "SPARK_LOG_DIR": str(folder / "log"),
        "PYSPARK_PYTHON": sys.executable,
    }  # fmt: skip
    with (folder / "out").open("wb") as out:
        running = subprocess.Popen(
            ["bash", str(home / "sbin" / "start-connect-server.sh"), "--master", "local[2]", *told],
            cwd=folder, env=surroundings, stdout=out, stderr=out, start_new_session=True,
        )  # fmt: skip
    _STARTED.append(running)
    until = time.monotonic() + 240
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return {"port": port, "group": running.pid, "users": 0}
        except OSError:
            if time.monotonic() > until or running.poll() is not None:
                raise AssertionError((folder / "out").read_text()[-2000:]) from None
            time.sleep(0.2)


@pytest.fixture(scope="session")
def spark(tmp_path_factory):
    """One server for all test processes of a run: the first starts it, the last ends it."""
    found = home()
    pytest.importorskip("pyspark", reason=MISSING)
    if found is None:
        pytest.skip(MISSING)
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    state = shared / "spark.json"
    with _alone(shared / "spark.lock"):
        told = json.loads(state.read_text()) if state.exists() else start(found, shared / "spark")
        told["users"] += 1
        state.write_text(json.dumps(told))
    server = SparkServer(told["port"], shared / "spark")
    yield server
    server.close()
    with _alone(shared / "spark.lock"):
        told = json.loads(state.read_text())
        told["users"] -= 1
        state.write_text(json.dumps(told))
        if not told["users"]:
            os.killpg(told["group"], signal.SIGTERM)
            state.unlink()
    for one in _STARTED:
        one.wait(60) if not told["users"] else setattr(one, "returncode", 0)
