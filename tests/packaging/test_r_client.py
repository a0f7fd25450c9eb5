"""The R client, installed by a real R and asking a real server; skipped loudly without one."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from discreet.accounts import Accounts
from served_pages import listening, write_survey

CLIENT = Path(__file__).parents[2] / "clients" / "r" / "discreet"
MISSING = (
    "NO R: the R client was NOT tested. Install Debian's packages: "
    "apt-get install r-base-core r-cran-jsonlite r-cran-curl"
)
PACKAGES = 'quit(status = !all(sapply(c("curl", "jsonlite"), requireNamespace, quietly = TRUE)))'


def _has_r() -> bool:
    if shutil.which("Rscript") is None:
        return False
    return subprocess.run(["Rscript", "-e", PACKAGES], check=False).returncode == 0


def test_a_real_r_plans_asks_pays_once_and_is_refused_in_words(tmp_path: Path):
    if not _has_r():
        pytest.skip(MISSING)
    library = tmp_path / "library"
    library.mkdir()
    options = ["--no-docs", "--no-test-load", f"--library={library}"]
    installed = subprocess.run(
        ["R", "CMD", "INSTALL", *options, str(CLIENT)], capture_output=True, text=True, check=False
    )
    assert installed.returncode == 0, installed.stderr
    file = write_survey(tmp_path)
    with Accounts(tmp_path / "discreet.accounts") as accounts:
        token = accounts.create("ana", datasets=("survey",)).text
    with listening(file, patience=0.05) as base:
        told = {"DISCREET_URL": base, "DISCREET_TOKEN": token, "R_LIBS": str(library)}
        asked = subprocess.run(
            ["Rscript", str(CLIENT / "tests" / "asking.R")],
            env={**os.environ, **told},
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
    assert asked.returncode == 0, asked.stdout + asked.stderr
    assert asked.stdout.endswith("asked from R\n")
