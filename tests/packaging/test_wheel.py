"""Wheel and sdist install and run alone: outside of the checkout, without its editable install."""

import json
import os
import signal
import subprocess
import sys
import tarfile
import urllib.request
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MISSING = "NO HATCHLING: wheel and sdist were NOT built. Install it: pip install -e '.[dev]'"


def _run(*words: str | Path, folder: Path) -> str:
    bare = {name: one for name, one in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        list(map(str, words)), cwd=folder, capture_output=True, text=True, env=bare, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def _built(source: Path, target: Path, *kinds: str) -> None:
    pytest.importorskip("hatchling", reason=MISSING)
    build = "from hatchling.cli import hatchling; hatchling()"
    asked = [word for kind in kinds for word in ("-t", kind)]
    _run(sys.executable, "-c", build, "build", "-d", target, *asked, folder=source)


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("packages")
    _built(ROOT, target, "wheel", "sdist")
    return target


@pytest.fixture(scope="module")
def installed(packages: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of an environment that has the wheel, and what it needs from this one's."""
    home = tmp_path_factory.mktemp("installed")
    _run(sys.executable, "-m", "venv", "--without-pip", home / "env", folder=home)
    python = home / "env" / "bin" / "python"
    wheel = next(packages.glob("*.whl"))
    options = ["--no-deps", "--no-index", "--no-compile", "--disable-pip-version-check", "-q"]
    pip = (sys.executable, "-m", "pip", "--python", python)
    _run(*pip, "install", *options, wheel, folder=home)
    places = "import sysconfig; print(sysconfig.get_path('purelib'))"
    own = Path(_run(python, "-c", places, folder=home).strip())
    needed = _run(sys.executable, "-c", places, folder=home).strip()
    (own / "needed.pth").write_text(f"{needed}\n")  # its own .pth files are not read from there
    found = _run(python, "-c", "import discreet; print(discreet.__file__)", folder=home)
    assert found.strip().startswith(str(own)), "not the checkout"
    return python.parent


def test_the_demo_runs_from_the_wheel(installed: Path, tmp_path: Path):
    told = json.loads(_run(installed / "discreet", "demo", "--json", folder=tmp_path))
    assert len(told["questions"]) == 3
    assert list(tmp_path.iterdir()) == []


def test_the_server_answers_from_the_wheel(installed: Path, tmp_path: Path):
    _run(installed / "discreet", "demo", "--save", tmp_path, folder=tmp_path)
    serving = ["serve", "clinic.toml", "--port", "0", "--json", "--log", "warning"]
    server = subprocess.Popen(
        [installed / "discreet", *serving], cwd=tmp_path, stdout=subprocess.PIPE, text=True
    )
    try:
        assert server.stdout is not None
        told = ""
        while not told.rstrip().endswith("}"):
            told += server.stdout.readline()
        url = json.loads(told)["url"]
        body = json.dumps({"sql": "SELECT COUNT(*) WHERE clinic = 'North'", "epsilon": "1"})
        asked = urllib.request.Request(
            f"{url}/api/datasets/clinic/ask",
            body.encode(),
            {"Content-Type": "application/json", "Idempotency-Key": "one"},
        )
        for _ in range(600):  # 202: the plan is not ready yet
            with urllib.request.urlopen(asked) as reply:
                answer = json.loads(reply.read())
            if "receipt" in answer:
                break
        assert answer["epsilon"] == "1"
        with urllib.request.urlopen(f"{url}/static/setup.css") as sheet:
            assert sheet.status == 200
        with urllib.request.urlopen(f"{url}/tour") as page:
            assert "made-up survey" in page.read().decode()
    finally:
        server.send_signal(signal.SIGTERM)
        server.communicate(timeout=60)


def test_the_sdist_builds_the_same_wheel(packages: Path, tmp_path: Path):
    with tarfile.open(next(packages.glob("*.tar.gz"))) as archive:
        archive.extractall(tmp_path, filter="data")
    (inside,) = tmp_path.iterdir()
    _built(inside, tmp_path / "again", "wheel")
    assert _files(tmp_path / "again") == _files(packages)


def _files(folder: Path) -> dict[str, int]:
    with zipfile.ZipFile(next(folder.glob("*.whl"))) as wheel:
        return {one.filename: one.CRC for one in wheel.infolist()}
