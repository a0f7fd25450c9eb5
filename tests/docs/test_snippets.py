"""Every block of every page runs, parses, or is on a list that says why not."""

import re
from contextlib import suppress

import psycopg
import pytest

from docs.pages import DIRECTIVES, NOT_RUN, OTHER_LANGUAGES, PAGES, READ_ONLY, ROOT, RUN, WALKS
from docs.running import Broken, PageRun
from docs.snippets import Block, blocks, same

BLOCKS = {page.relative_to(ROOT).as_posix(): blocks(page) for page in PAGES}


@pytest.fixture(scope="session")
def designs(tmp_path_factory):
    """One cache of designs for all pages."""
    return tmp_path_factory.mktemp("designs")


@pytest.fixture
def run(tmp_path, monkeypatch, designs, request):
    """A page's folder and names; the ledger it makes is new."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DISCREET_CACHE", str(designs))
    monkeypatch.setenv("DISCREET_ANALYST", "ana")
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.delenv("NO_COLOR", raising=False)

    def given_database():
        postgres = request.getfixturevalue("postgres")
        monkeypatch.setenv("LEDGER_URL", postgres.url(postgres.database()))
        with suppress(psycopg.errors.DuplicateObject):
            postgres.sql("CREATE ROLE discreet_server LOGIN")

    return PageRun(tmp_path, given_database)


@pytest.mark.parametrize(
    "page",
    [
        name
        for name, found in BLOCKS.items()
        if name not in WALKS and any(each.language in RUN for each in found)
    ],
)
def test_every_block_does_what_the_page_says(page, run):
    for block in BLOCKS[page]:
        try:
            run.run(block)
        except Broken as broken:
            pytest.fail(f"{page}, line {block.line}: {broken}", pytrace=False)


@pytest.mark.parametrize("page", BLOCKS)
def test_every_block_has_a_language_that_is_run_or_listed(page):
    for block in BLOCKS[page]:
        language = block.language.split()[0] if block.language else ""
        if language == "sh":
            commands = {line.split("#")[0].strip() for line in block.text.splitlines()} - {""}
            assert commands <= NOT_RUN, f"line {block.line}: write a console transcript instead"
        elif language in OTHER_LANGUAGES:
            assert page in OTHER_LANGUAGES[language], f"line {block.line}: list it in pages.py"
        else:
            known = RUN | READ_ONLY | DIRECTIVES
            assert language in known, f"line {block.line}: {language!r} says not how to check it"


def test_every_command_of_make_that_pages_name_exists():
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.M))
    assert {line.split()[1] for line in NOT_RUN if line.startswith("make ")} <= targets


@pytest.mark.parametrize(
    ("expected", "got", "random", "good"),
    [
        ("a 1 b", "a  1   b", "", True),
        ("a 1 b", "a 2 b", "", False),
        ("a 1 b", "a 2 b", "1", True),
        ("a (1) b", "a (27) b", "1", True),
        ("a … b", "a x y b", "", True),
        ("a … b", "a b", "", True),
        ("a … b", "a x y c", "", False),
        ("a …", "a", "", True),
        ("a …", "ab", "", False),
        ("a\n…\nb", "a\nx\ny\nb", "", True),
        ("a\n…", "a\nx\ny", "", True),
        ("a", "a\nx", "", False),
        ("a\nb", "a", "", False),
        ("a\nb", "a b", "", True),
        ("", "a", "", False),
        ("── heading ────", "── heading ─", "", True),
    ],
)
def test_outputs_are_compared_up_to_what_the_page_declares(expected, got, random, good):
    assert (same(expected, got, random) is None) is good


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("console", "$ discreet design count --n 2 --epsilon 1 --no-such-option\n"),
        ("console", "$ discreet design count --n 2 --epsilon 1\nvalue   77\n"),
        ("console", "$ wget something\n"),
        ("python", ">>> 1 + 1\n3\n"),
        ("toml", '[source]\npath = "x.csv"\n[columns]\n'),
    ],
)
def test_a_broken_block_is_noticed(language, text, run):
    with pytest.raises(Broken):
        run.run(Block(language, text, 1, {}))
