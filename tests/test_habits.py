"""The same checks everywhere: by hand, before a commit, and where changes are judged."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]


def _text(name):
    return (ROOT / name).read_text(encoding="utf-8")


def _recipe(target):
    """The commands of a target of the Makefile, without the folder of the programs."""
    body = re.search(rf"^{target}:.*\n((?:\t.*\n)+)", _text("Makefile"), re.M).group(1)
    return re.findall(r"\$\(BIN\)/(.+)", body)


def test_what_runs_before_a_commit_is_what_make_lint_runs():
    hooks = re.findall(r"entry: \.venv/bin/(.+)", _text(".pre-commit-config.yaml"))
    assert hooks == _recipe("lint")


def test_ci_runs_make_test_and_says_the_coverage():
    steps = _text(".github/workflows/ci.yml")
    assert "make test" in steps
    assert "make coverage" in steps


def test_coverage_measures_the_rooms_whose_tests_it_runs():
    rooms = re.search(r"^COVERED := (.+)$", _text("Makefile"), re.M).group(1).split()
    source = re.search(
        r"\[tool\.coverage\.run\].*?source = \[(.*?)\]", _text("pyproject.toml"), re.S
    )
    assert re.findall(r"discreet\.(\w+)", source.group(1)) == rooms


def test_every_decision_is_listed_and_says_context_decision_and_consequences():
    folder = ROOT / "docs" / "decisions"
    listed = re.findall(r"\((\d{4}-[\w-]+\.md)\)", (folder / "index.md").read_text("utf-8"))
    records = sorted(page.name for page in folder.glob("0*.md"))
    assert listed == records
    for name in records:
        text = (folder / name).read_text(encoding="utf-8")
        assert re.findall(r"^\*\*(\w+)\.\*\*", text, re.M) == [
            "Context",
            "Decision",
            "Consequences",
        ]
