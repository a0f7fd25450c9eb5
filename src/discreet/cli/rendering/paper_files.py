"""What came of the papers' items, written into a folder: a page, figures and numbers."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from discreet import __version__
from discreet.cli.rendering.paper_pictures import PaperPictures
from discreet.errors import FileError
from discreet.exact import show
from discreet.papers import Ran
from discreet.papers.report import csvs_of, report_page

REPORT, NUMBERS, FIGURES = "report.html", "numbers", "figures"


def made_folder(out: str) -> Path:
    """The folder, with those inside it."""
    folder = Path(out)
    try:
        for inner in (NUMBERS, FIGURES):
            (folder / inner).mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as problem:
        reason = getattr(problem, "strerror", None) or problem
        raise FileError(f"cannot write into {show(out)}: {reason}; give another --out") from None
    return folder


def written(folder: Path, rans: Sequence[Ran], pictures: PaperPictures) -> dict[str, Any]:
    """Write everything; where it is."""
    try:
        numbers = []
        for ran in rans:
            for name, content in csvs_of(ran):
                (folder / NUMBERS / name).write_text(content, "utf-8")
                numbers.append(str(folder / NUMBERS / name))
        figures = []
        for (item, name), svg in pictures.whole.items():
            path = folder / FIGURES / f"{item.replace('/', '-')}-{name}.svg"
            path.write_text(svg, "utf-8")
            figures.append(str(path))
        report = folder / REPORT
        report.write_text(report_page(rans, pictures.panels, __version__), "utf-8")
    except OSError as problem:
        raise FileError(f"cannot write into {show(str(folder))}: {problem.strerror}") from None
    return {"report": str(report), "figures": figures, "numbers": numbers}
