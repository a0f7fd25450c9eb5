"""The page is well formed, stands alone, escapes everything and leads to every item."""

import csv
import io
import re
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest

from discreet.papers import Check, Figure, Outcome, Panel, PaperItem, PrintedTable, Ran, Series
from discreet.papers.report import csvs_of, report_page
from discreet.plots.papers import panel_pictures, paper_picture, svg_text

HOSTILE = "<script>alert('x')</script> & \"quoted\" €"
VOID = {"meta", "br", "hr", "img", "link", "input"}


def an_item(name, text=HOSTILE):
    return PaperItem(id=name, title=text, paper=name[:3], claim=text, run=lambda step: Outcome())


def an_outcome(text=HOSTILE):
    lines = (Series(text, (0.1, 1.0), (2.0, 1.0), "paper"), Series("b", (1.0,), (3.0,), "ours"))
    heat = (Series("0", (0.0, 1.0), (0.25, 0.75)), Series("1", (0.0, 1.0), (0.75, 0.25)))
    panels = (
        Panel(title=text, x_label="ε", y_label="loss", series=lines, log_x=True, log_y=True),
        Panel(title="bars", x_label="ε", y_label="loss", series=lines, kind="bars"),
        Panel(title="", x_label="truth", y_label="told", series=heat, kind="heat"),
    )
    table = PrintedTable("t", (text, "n"), tuple((text, n + 0.5) for n in range(20)), text)
    inside = PrintedTable("u", ("x",), ((float("inf"),), (None,), (3,)))
    checks = (
        Check(claim=text, printed=text, ours=text, difference=text, holds=True, note=text),
        Check(claim="no", printed="1", ours="2", difference="1", holds=False),
    )
    return Outcome((table, inside), (Figure("f", text, panels),), checks, (text,))


def a_report():
    rans = [
        Ran(item=an_item("001/example-1"), outcome=an_outcome(), seconds=1.5),
        Ran(item=an_item("003/figure-1"), outcome=None, seconds=0.1, problem=HOSTILE),
        Ran(item=an_item("003/figure-2"), outcome=Outcome(), seconds=0.0, from_cache=True),
    ]
    figure = rans[0].outcome.figures[0]
    svgs = tuple(svg_text(one, f"f-{n}") for n, one in enumerate(panel_pictures(figure)))
    return report_page(rans, {("001/example-1", "f"): svgs}, "0.1.0")


class Page(HTMLParser):
    """Collects what the laws below are about, and fails on a tag that is not closed in order."""

    def __init__(self, text):
        super().__init__()
        self.open, self.ids, self.links, self.tags = [], [], [], []
        self.feed(text)
        assert not self.open

    def handle_starttag(self, tag, attrs):
        known = dict(attrs)
        self.tags.append((tag, known))
        if tag not in VOID:
            self.open.append(tag)
        if "id" in known:
            self.ids.append(known["id"])
        if tag == "a":
            self.links.append(known["href"])

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if "id" in dict(attrs):
            self.ids.append(dict(attrs)["id"])

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


@pytest.fixture(scope="module")
def text():
    return a_report()


@pytest.fixture(scope="module")
def page(text):
    return Page(text)


def test_ids_are_unique_and_every_link_leads_somewhere(page):
    assert len(page.ids) == len(set(page.ids))
    assert page.links
    assert all(link.startswith("#") and link[1:] in page.ids for link in page.links)


def test_what_items_say_is_escaped(text, page):
    assert "alert(" in text
    assert "<script>alert" not in text
    assert sum(tag == "script" for tag, _ in page.tags) == 1


def test_it_stands_alone(text, page):
    for tag, known in page.tags:
        for name in ("src", "href", "xlink:href"):
            value = known.get(name, "#")
            assert value.startswith(("#", "data:image/png;base64,")), (tag, value)
    assert not re.search(r"@import|url\((?!#)", text)


def test_every_picture_says_what_it_shows_and_has_its_numbers(page):
    pictures = [known for tag, known in page.tags if tag == "svg"]
    assert len(pictures) == 4
    assert all(known["role"] == "img" and known["aria-label"] for known in pictures)
    assert "figcaption" in [tag for tag, _ in page.tags]


def test_verdicts_come_first_and_disagreements_are_said(text):
    assert text.index('id="verdicts"') < text.index('id="disagreements"') < text.index("<figure>")
    told = text.split('id="disagreements"')[1].split("</section>")[0]
    assert "could not be computed" in told
    assert "printed 1, ours 2" in told


def test_nothing_to_disagree_about():
    good = Outcome(checks=(Check(claim="c", printed=None, ours="o", difference=None, holds=True),))
    page = report_page([Ran(item=an_item("001/a", "t"), outcome=good, seconds=0.0)], {}, "0.1.0")
    assert "Nowhere." in page
    Page(page)


def test_svg_is_well_formed_the_same_each_time_and_takes_the_colour_of_the_text():
    figure = an_outcome("a & b").figures[0]
    first, second = (svg_text(paper_picture(figure), "x/y") for _ in range(2))
    assert first == second
    ElementTree.fromstring(first.replace("xlink:href", "href"))
    assert "currentColor" in first
    assert "#000000" not in first
    used = set(re.findall(r'(?:url\(#|href="#)([^")]+)', first))
    assert used <= set(re.findall(r'id="([^"]+)"', first))
    assert all(name.startswith("x-y-") for name in used)


def test_csvs_hold_every_number():
    ran = Ran(item=an_item("001/example-1"), outcome=an_outcome(), seconds=1.0)
    made = dict(csvs_of(ran))
    assert len(made) == 2 + 3 + 1
    for name, content in made.items():
        assert re.fullmatch(r"001-example-1-[a-z0-9-]+\.csv", name)
        rows = list(csv.reader(io.StringIO(content)))
        assert len({len(row) for row in rows}) == 1
    lines = list(csv.reader(io.StringIO(made["001-example-1-f-1-numbers.csv"])))
    assert lines == [["ε", HOSTILE, "b"], ["0.1", "2.0", ""], ["1.0", "1.0", "3.0"]]
    assert dict(csvs_of(Ran(item=an_item("001/b"), outcome=None, seconds=0.0))) == {}
