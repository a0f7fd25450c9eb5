"""One headless Chromium for these tests; installed where we may, skipped loudly elsewhere."""

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from discreet.accounts import Accounts
from served_pages import listening, write_survey, write_visits

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
MISSING = (
    "NO BROWSER: the pages were NOT tested end to end. Install Debian's chromium "
    "(apt-get install chromium) and playwright (pip install -e '.[dev]')."
)


def _chromium() -> str | None:
    """Debian's, or the one that DISCREET_CHROMIUM names; "none" stands for none at all."""
    given = os.environ.get("DISCREET_CHROMIUM")
    if given == "none":
        return None
    return given or next((path for name in NAMES if (path := shutil.which(name))), None)


def _install() -> None:
    """Two test processes may try at once: the second waits for the first's lock."""
    apt = shutil.which("apt-get")
    if apt is None or os.geteuid() != 0 or os.environ.get("DISCREET_CHROMIUM"):
        return
    quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    wait = ["-o", "DPkg::Lock::Timeout=300"]
    for words in (["install", "-y", "chromium"], ["update"], ["install", "-y", "chromium"]):
        done = subprocess.run(
            [apt, *wait, *words], capture_output=True, env=quiet, timeout=900, check=False
        )
        if words[0] == "install" and done.returncode == 0 and _chromium():
            return


@pytest.fixture(scope="session")
def browser():
    """The browser; without one these tests are skipped, and say so."""
    if _chromium() is None:
        _install()
    path = _chromium()
    playwright = pytest.importorskip("playwright.sync_api", reason=MISSING)
    if path is None:
        pytest.skip(MISSING)
    with playwright.sync_playwright() as started:
        found = started.chromium.launch(executable_path=path, args=FLAGS)
        yield found
        found.close()


@dataclass
class House:
    """A served survey with accounts: where it is, and its tokens."""

    base: str
    tokens: dict[str, str] = field(default_factory=dict)


@pytest.fixture(scope="session")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """A survey with a custodian and two analysts."""
    folder = tmp_path_factory.mktemp("house")
    file = write_survey(folder, total="90", title="clinic survey")
    with Accounts(folder / "discreet.accounts") as accounts:
        tokens = {
            "carla": accounts.create("carla", "custodian").text,
            "ana": accounts.create("ana", datasets=("survey",)).text,
            "bo": accounts.create("bo", datasets=("survey",)).text,
            "dana": accounts.create("dana", datasets=("visits",)).text,
        }
    with listening(file, write_visits(folder), patience=180.0) as base:
        yield House(base, tokens)


@pytest.fixture(scope="session")
def pictures(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where screenshots go: DISCREET_SCREENSHOTS, or a folder that is thrown away."""
    given = os.environ.get("DISCREET_SCREENSHOTS")
    folder = Path(given) if given else tmp_path_factory.mktemp("screenshots")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@dataclass
class Noise:
    """What the console said."""

    lines: list[str] = field(default_factory=list)


@pytest.fixture
def opened(browser) -> Iterator[Callable[..., object]]:
    """Open a page in a fresh context; afterwards the console must have been silent."""
    contexts, noise = [], Noise()

    def open_page(*, allowing: str = "\0", **options: object) -> object:
        options.setdefault("viewport", {"width": 1280, "height": 900})
        context = browser.new_context(**options)
        context.set_default_timeout(180_000)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda told: None if allowing in told.text else _note(noise, told))
        page.on("pageerror", lambda told: noise.lines.append(str(told)))
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert noise.lines == []


def _note(noise: Noise, told: object) -> None:
    if told.type in ("error", "warning"):  # type: ignore[attr-defined]
        noise.lines.append(told.text)  # type: ignore[attr-defined]
