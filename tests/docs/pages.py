"""Which pages there are, and which blocks are read and not run."""

from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
SITE = sorted(
    (page for page in DOCS.rglob("*.md") if "_build" not in page.parts), key=lambda p: p.as_posix()
)
PAGES = [ROOT / "README.md", *SITE]

RUN = {"console", "python", "toml", "json"}
"""Languages whose blocks are run or checked."""

DIRECTIVES = {
    "{command}", "{every-command}", "{public}", "{public-names}", "{room}", "{toctree}",
    "{glossary}", "{figure}", "{image}", "{note}", "{tip}", "{warning}", "{important}",
    "{admonition}",
}  # fmt: skip
"""What Sphinx does; the build checks it."""

READ_ONLY = {"text", "r"}
"""Diagrams and formulas: nothing to run; R is run by the tests of its client."""

NOT_RUN = {
    "make demo",
    "make test",
    "make docs",
    "make soak",
    "make bench",
    "make format",
    "make clean",
    "pip install discreet",
    "pip install 'discreet[plots]'",
    "pip install -e '.[dev]'",
}
"""Lines of `sh` blocks: what makes an environment cannot run inside one. Nothing else is let be."""

WALKS = {"docs/how-to/add-a-statistic.md", "docs/how-to/add-a-mechanism.md"}
"""Pages that change the program: test_walks.py follows them in a copy of it."""

OTHER_LANGUAGES = {"nginx": {"docs/serve.md"}, "systemd": {"docs/serve.md"}, "diff": WALKS}
"""Files of other programs, by language: the pages that may show them."""
