"""What the room offers, for type checkers: the names are in `__init__.py`."""

from discreet.reports.check import differences
from discreet.reports.html import report_html
from discreet.reports.markdown import report_markdown
from discreet.reports.naming import items_of, maybe_empty, statistic_names
from discreet.reports.pictures import answer_pictures
from discreet.reports.release import OtherRelease, ReleaseReport, ReportedAnswer, report_of

__all__ = [
    "OtherRelease",
    "ReleaseReport",
    "ReportedAnswer",
    "answer_pictures",
    "differences",
    "items_of",
    "maybe_empty",
    "report_html",
    "report_markdown",
    "report_of",
    "statistic_names",
]
