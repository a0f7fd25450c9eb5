"""Crossed answers are tables with totals at their ends; long numbers are easy to read."""

import re

import pytest

from discreet.curator import Curator
from discreet.figures.looks import PLOT_STYLE
from discreet.reports import report_html, report_markdown
from reports.test_reports import asked, made
from small_survey import dataset_text

COLUMNS = (
    '[columns.plan]\ntype = "category"\nvalues = ["basic", "more", "all"]\ngaps = false\n'
    'missing = "basic"\n[columns.site]\ntype = "category"\nvalues = ["east", "west"]\n'
    'gaps = false\nmissing = "east"\n[columns.year]\ntype = "integer"\nlow = 1990\nhigh = 2020\n'
    '[columns.visits]\ntype = "integer"\nlow = 0\nhigh = 99999\n'
)
CROSSED = "SELECT COUNT(*) GROUP BY CUBE(plan, site)"
QUARTILES = "SELECT QUARTILES(visits) GROUP BY site"


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    folder = tmp_path_factory.mktemp("crossed")
    rows = [f"{('basic', 'more', 'all')[at % 3]},{('east', 'west')[at % 2]},2001,{at}"
            for at in range(6000)]  # fmt: skip
    (folder / "rows.csv").write_text("\n".join(["plan,site,year,visits", *rows]) + "\n")
    text = dataset_text("size = 6000", columns=COLUMNS)
    (folder / "survey.toml").write_text(text)
    with Curator(folder / "survey.toml", "ana") as curator:
        asked(curator, CROSSED, QUARTILES, "SELECT MEDIAN(year)")
        return made(curator)


def cells(line):
    return [cell.strip() for cell in line.strip("| ").split(" | ")]


def test_two_columns_are_crossed_with_totals_at_the_ends(report):
    text = report_markdown(report, "s.toml", "s.json")
    table = [cells(line) for line in text.split("### 1.")[1].splitlines() if "|" in line][:6]
    assert table[0] == ["plan × site", "east", "west", "(all)"]
    assert [line[0] for line in table[2:]] == ["basic", "more", "all", "(all)"]
    for one in report.answers[0].answer.results:
        plan, site = one.group_cells
        (line,) = (line for line in table[2:] if line[0] == plan)
        assert line[table[0].index(site)].startswith(f"{one.value:,} (")
    assert table[-1][-1] == "6,000 (exact)"  # the size is public


def test_statistics_by_group_are_a_table_with_the_drawn_number_of_rows(report):
    text = report_markdown(report, "s.toml", "s.json")
    table = [cells(line) for line in text.split("### 2.")[1].splitlines() if "|" in line]
    assert table[0][0] == "site"
    assert table[0][-1] == "rows"
    assert [line[0] for line in table[2:4]] == ["east", "west"]


def test_the_page_has_the_same_tables(report):
    page = report_html(report, "s.toml", "s.json")
    assert page.count('<table class="crossed">') == 2
    assert len(re.findall(r'<tr class="row total">', page)) == 1
    assert "6,000<br><small>exact</small>" in page


def test_long_numbers_have_a_separator_and_years_have_none(report):
    *_, median = (one.answer.results[0] for one in report.answers)
    assert median.text in report_html(report, "s.toml", "s.json")
    assert 1990 <= int(median.text) <= 2020
    for form in (report_html, report_markdown):
        told = form(report, "s.toml", "s.json").partition("Declared facts")[0]
        assert not re.search(r"[1-2],\d{3}</td>\s*<td[^>]*>2,0", told)
        for one in report.answers[1].answer.results:
            long = int(one.value) if one.value is not None else 0
            assert long < 1000 or f"{long:,}" in told


def test_every_line_that_a_report_draws_has_a_stroke(report):
    styles = dict(re.findall(r"\.plot \.([\w.-]+) \{([^}]*)\}", PLOT_STYLE))
    drawn = set(re.findall(r'<line [^>]*class="([^"]+)"', report_html(report, "s.toml", "s.json")))
    assert "median" in drawn
    for names in drawn:
        assert any("stroke:" in styles.get(name, "") for name in names.split()), names
