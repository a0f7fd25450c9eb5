"""The README opens with two commands, and links lead somewhere; tests/docs runs its examples."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = sorted(
    (
        page
        for page in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
        if "_build" not in page.parts
    ),
    key=lambda page: page.as_posix(),
)


def test_the_two_commands_open_the_readme():
    first = re.search(r"```\w*\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    assert [line.split("#")[0].strip() for line in first[1].splitlines()] == [
        "make demo",
        "make test",
    ]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_to_a_file_leads_to_one(page):
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    targets = re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", text)
    local = [target for target in targets if "://" not in target]
    assert [target for target in local if not (page.parent / target).exists()] == []


def test_every_proof_named_in_the_code_exists():
    named = {
        match
        for source in (ROOT / "src").rglob("*.py")
        for match in re.findall(r"docs/proofs/[\w-]+\.md", source.read_text(encoding="utf-8"))
    }
    assert named
    assert sorted(name for name in named if not (ROOT / name).exists()) == []


def test_the_comparison_scores_every_tool_on_tables_that_nobody_chose_for_us():
    """Real columns and independent records, every tool and every statistic on each of them."""
    text = (ROOT / "README.md").read_text()
    table = text.split("real_columns --readme -->")[1].split("<!-- end -->")[0]
    rows = [line.strip("| ").split(" | ") for line in table.splitlines() if line.startswith("| ")]
    kinds = [row[0].strip("*| ") for row in rows if row[0].startswith("*")]
    assert [kind.split(",")[0] for kind in kinds] == ["real columns"] * 2 + ["independent records"]
    tools = [row for row in rows if len(row) == 8 and not row[0].startswith(("*", "---"))]
    assert len({row[0] for row in tools}) * len(kinds) == len(tools)
    largest = rows[0].index("max") - len(rows[0])
    assert all(float(row[largest].strip("*")) >= 1 for row in tools)
