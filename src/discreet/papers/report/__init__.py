"""One page of HTML with everything: no file beside it, no network, readable on a phone."""

from discreet.papers.report.files import csv_text, csvs_of
from discreet.papers.report.page import Pictures, report_page

__all__ = ["Pictures", "csv_text", "csvs_of", "report_page"]
