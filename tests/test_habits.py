"""The same checks everywhere: by hand, before a commit, and where changes are judged."""

import ast
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


MOST_BY_POSITION = 4


def _fields(record):
    """The fields of a class, and how many of them are given by position."""
    fields = [
        ast.unparse(part.annotation)
        for part in record.body
        if isinstance(part, ast.AnnAssign) and "ClassVar" not in ast.unparse(part.annotation)
    ]
    ahead = fields.index("KW_ONLY") if "KW_ONLY" in fields else len(fields)
    named = any("kw_only=True" in ast.unparse(one) for one in record.decorator_list)
    return len(fields) - ("KW_ONLY" in fields), 0 if named else ahead


def test_records_of_many_fields_are_built_by_keyword():
    """Of five and more fields nobody remembers the order: from the fifth on they are named."""
    for path in (ROOT / "src").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.ClassDef):
                continue
            kinds = ast.unparse(ast.Module([*node.bases, *node.decorator_list], []))
            if "dataclass" in kinds or "NamedTuple" in kinds:
                many, by_position = _fields(node)
                assert many <= MOST_BY_POSITION or by_position <= MOST_BY_POSITION, (
                    f"{path.name}: {node.name} takes {by_position} fields by position"
                )
