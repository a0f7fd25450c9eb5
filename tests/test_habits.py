"""The same checks everywhere: by hand, before a commit, and where changes are judged."""

import ast
import re
from collections import Counter
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


CALLED_FROM_OUTSIDE = {
    "load_ipython_extension",  # by IPython
    *("program_2", "program_3"),  # programs of paper 002, whose relations tests prove
    *("with_squares", "squares_of_known", "reach_of_all"),  # laws of noise, held by tests
    "process_ids",  # what a test of a killed worker looks at
    "attack_synthesis",  # by the campaign of attacks
    "weighted_mean",  # by those who ask in Python
}


def test_what_nobody_calls_is_not_kept():
    """A name that stands nowhere but where it is defined is dead."""
    source = ROOT / "src" / "discreet"
    files = {path: path.read_text("utf-8") for path in source.rglob("*.*") if path.suffix in TEXTS}
    words = Counter(word for text in files.values() for word in re.findall(r"\w+", text))
    once = {
        node.name
        for path, text in files.items()
        if path.suffix == ".py"
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        if words[node.name] == 1 and not node.name.startswith("__") and not _is_a_route(node)
    }
    assert once == CALLED_FROM_OUTSIDE


TEXTS = {".py", ".pyi", ".html"}


def _is_a_route(node):
    """Whether a decorator hands it to a program that calls it."""
    given = " ".join(ast.unparse(one) for one in node.decorator_list)
    return re.search(r"\.(get|post|put|delete|command|callback|exception_handler)\(", given)
