"""The site builds without a warning and without a network."""

import re
import subprocess
import sys

import pytest

from docs.pages import DOCS, ROOT, SITE


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The built site, as `make docs` builds it."""
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-b", "html",
         "-d", str(folder / "trees"), str(DOCS), str(folder / "html")],
        capture_output=True, text=True, timeout=300, check=False, cwd=ROOT,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return folder / "html"


@pytest.mark.slow
def test_every_page_is_there_and_fetches_nothing_from_elsewhere(site):
    for page in SITE:
        built = site / page.relative_to(DOCS).with_suffix(".html")
        text = built.read_text(encoding="utf-8")
        fetched = re.findall(r'<(?:script|img|link|iframe)[^>]*?(?:src|href)="([^"]+)"', text)
        assert [each for each in fetched if re.match(r"(https?:)?//", each)] == [], built


@pytest.mark.slow
def test_commands_and_names_are_on_their_pages(site):
    asking = (site / "reference" / "commands" / "asking.html").read_text(encoding="utf-8")
    assert "--within" in asking
    names = (site / "reference" / "python" / "ask.html").read_text(encoding="utf-8")
    assert 'id="discreet.open_dataset"' in names
