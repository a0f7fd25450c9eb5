"""`discreet.__all__` is what is stable: documented as such, all of it, and nothing else used."""

import inspect
import re

import pytest

import discreet
from discreet import errors
from docs.pages import DOCS, ROOT, SITE

STABLE = set(discreet.__all__) - {"__version__"}
PYTHON = DOCS / "reference" / "python"

EXTENDING = {"add-a-statistic.md", "add-a-mechanism.md", "add-an-engine.md"}
"""Pages for people who work on discreet itself, where rooms are opened."""

FOR_USERS = [
    ROOT / "README.md",
    *(
        page
        for page in SITE
        if page.name not in EXTENDING
        and not page.is_relative_to(PYTHON)
        and page != DOCS / "architecture.md"
    ),
    *sorted((ROOT / "examples").rglob("*.py")),
]


ERRORS = {
    name
    for name, thing in vars(errors).items()
    if inspect.isclass(thing) and issubclass(thing, Exception)
}


def documented():
    """Every name on a page of the stable reference, as often as it is there."""
    yield from ERRORS
    for page in PYTHON.glob("*.md"):
        for names in re.findall(r"^```\{public\} (.+)$", page.read_text(encoding="utf-8"), re.M):
            yield from names.split()


def test_what_is_documented_as_stable_is_public_and_the_reverse():
    named = list(documented())
    assert sorted(named) == sorted(STABLE)


def test_room_listings_are_called_internal():
    pages = [page for page in SITE if "```{room} " in page.read_text(encoding="utf-8")]
    assert pages == [DOCS / "reference" / "errors.md", PYTHON / "internals.md"]
    assert pages[0].read_text(encoding="utf-8").count("```{room} errors\n") == 1
    assert "**internal**" in pages[1].read_text(encoding="utf-8")


@pytest.mark.parametrize("page", FOR_USERS, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_pages_and_examples_for_users_import_discreet_alone(page):
    text = page.read_text(encoding="utf-8")
    opened = re.findall(r"^(?:>>> |\.\.\. )?\s*(?:from|import) (discreet\.\w+)", text, re.M)
    assert not opened, f"import it from discreet, or make it public: {opened}"
