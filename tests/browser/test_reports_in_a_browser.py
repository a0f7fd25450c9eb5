"""A report that stands alone fits a phone: lines fold, digests wrap, crossed tables scroll."""

from discreet.curator import Curator
from discreet.reports import report_html
from reports.test_reports import asked, made
from served_pages import write_survey

QUESTIONS = (
    "SELECT MEDIAN(age) GROUP BY clinic",
    "SELECT AVG(age), MEDIAN(age), COUNT(*) GROUP BY clinic",
    "SELECT COUNT(smokes)",
)
CUT_OFF = """() => [...document.querySelectorAll("body *")].filter(one =>
  one.getBoundingClientRect().right > innerWidth + 1 && !one.closest(".crossed")
).map(one => one.textContent)"""


def test_a_report_fits_a_phone(opened, tmp_path):
    with Curator(write_survey(tmp_path, total="9"), "ana") as curator:
        asked(curator, *QUESTIONS)
        text = report_html(made(curator), "survey.toml", "survey.json")
    page = opened(viewport={"width": 390, "height": 844})
    page.set_content(text)
    assert page.evaluate("document.scrollingElement.scrollWidth") == 390
    assert page.evaluate(CUT_OFF) == []
