"""A custodian goes from an Excel file to a served dataset in headless Chromium.

Once with the keyboard and scripts, looking at every page on the way; once without scripts.
"""

from pathlib import Path

import openpyxl
import pytest

from discreet.web.app import create_app
from discreet.web.settings import Settings
from served_pages import running

COLUMNS = ("age", "clinic", "waited")
ROWS = 200


def _workbook(folder: Path) -> Path:
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "March"
    sheet.append(["patient", *COLUMNS])
    for place in range(ROWS):
        row = [20 + 7 * place % 60, ("North", "South")[place % 2], 5 * (place % 30)]
        sheet.append([f"p{place}", *row])
    book.save(folder / "visits.xlsx")
    return folder / "visits.xlsx"


@pytest.fixture
def desk(tmp_path):
    """A server with an empty folder, and the link that it would print."""
    folder = tmp_path / "folder"
    folder.mkdir()
    app = create_app(Settings(files=(), setup=folder, workers=1, patience=120.0))
    with running(app) as base:
        yield base, f"{base}/setup/enter?key={app.state.service.desk.key}"


class Looked:
    """Looks at a page once: no fault in light and dark, no wider than a phone, two pictures."""

    def __init__(self, pictures: Path) -> None:
        self.axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
        self.pictures, self.seen = pictures, set()

    def at(self, page, name: str) -> None:
        if name in self.seen:
            return
        self.seen.add(name)
        page.wait_for_load_state("networkidle")
        page.screenshot(path=self.pictures / f"{name}-1280.png", full_page=True)
        light = self.axe.run(page)
        assert light.violations_count == 0, light.generate_report()
        page.emulate_media(color_scheme="dark")
        dark = self.axe.run(page, options={"runOnly": ["color-contrast"]})
        assert dark.violations_count == 0, dark.generate_report()
        page.emulate_media(color_scheme="light")
        page.set_viewport_size({"width": 360, "height": 800})
        wide = page.evaluate("document.scrollingElement.scrollWidth")
        assert wide <= 360, f"{name} is {wide} px wide on a phone"
        page.set_viewport_size({"width": 390, "height": 844})
        page.screenshot(path=self.pictures / f"{name}-390.png", full_page=True)
        tall = page.evaluate("document.scrollingElement.scrollHeight")
        assert tall <= 3 * 844, f"{name} is {tall} px long on a phone"
        page.set_viewport_size({"width": 1280, "height": 900})


def _press(page, selector: str) -> None:
    """Go to a button by the keyboard and press it, and wait for the next page."""
    page.focus(selector)
    with page.expect_navigation():
        page.keyboard.press("Enter")


def _confirmed(page, base: str, looked: Looked) -> None:
    """Confirm step after step as drafted, by keyboard, until the overview comes back."""
    while not page.url.endswith("/setup/visits"):
        step = page.url.removeprefix(f"{base}/setup/visits/").replace("/", "-")
        looked.at(page, f"setup-{step}")
        page.focus("#why")
        page.keyboard.type("the questionnaire")
        _press(page, "main button.main")


def test_from_an_excel_file_to_a_served_dataset(desk, opened, tmp_path, pictures):
    base, link = desk
    looked, page = Looked(pictures), opened()
    page.goto(link)
    looked.at(page, "setup-enter")
    _press(page, "main button.main")
    looked.at(page, "setup")
    page.set_input_files("#file", _workbook(tmp_path))
    _press(page, "text=Upload and look at it")
    looked.at(page, "setup-overview")
    assert "left out" in page.inner_text("ol"), "names of patients are not proposed"
    page.goto(f"{base}/setup/visits/columns/waited")
    page.fill("#high", "100000")
    page.focus("#low")
    page.locator("#remarks").filter(has_text="98 % of cells lie within").wait_for()
    page.goto(f"{base}/setup/visits/source")
    _confirmed(page, base, looked)
    looked.at(page, "setup-ready")
    _press(page, "text=Rehearse with made-up rows")
    looked.at(page, "setup-rehearsal")
    with page.expect_navigation():
        page.click("text=The average of age >> nth=0")
    page.wait_for_selector("#plan[data-epsilon]:not([aria-busy])")
    assert "at most 62.3\N{NO-BREAK SPACE}% sure" in page.inner_text("#plan")
    page.goto(f"{base}/setup/visits")
    _press(page, "text=Confirm all of it and serve")
    looked.at(page, "setup-done")
    with page.expect_navigation():
        page.click("main >> text=Open visits")
    assert page.url == f"{base}/datasets/visits"
    page.goto(f"{base}/datasets/visits/examples")
    looked.at(page, "examples")
    page.goto(f"{base}/tour")
    looked.at(page, "tour")


def test_a_wide_table_is_begun_at_the_top_of_three_screens_at_most(
    desk, opened, tmp_path, pictures
):
    _, link = desk
    names = [f"question_{place}" for place in range(60)]
    lines = [",".join(str((row * place) % 7) for place in range(60)) for row in range(1, 80)]
    (tmp_path / "wide.csv").write_text("\n".join([",".join(names), *lines]) + "\n")
    looked, page = Looked(pictures), opened()
    page.goto(link)
    _press(page, "main button.main")
    page.set_input_files("#file", tmp_path / "wide.csv")
    _press(page, "text=Upload and look at it")
    looked.at(page, "setup-wide")
    assert page.locator("text=Begin: The table").bounding_box()["y"] < 400
    page.click("text=Leave out several columns at once")
    for place in range(2, 60):
        page.check(f"[value=question_{place}]")
    with page.expect_navigation():
        page.click("text=Leave these out")
    assert "5 of 63 steps are still to be confirmed" in page.inner_text("main")


def test_without_scripts_a_column_is_checked_and_confirmed(desk, opened, tmp_path):
    base, link = desk
    page = opened(java_script_enabled=False)
    page.goto(link)
    page.click("main button.main")
    page.set_input_files("#file", _workbook(tmp_path))
    page.click("text=Upload and look at it")
    page.wait_for_url("**/setup/visits")
    page.goto(f"{base}/setup/visits/columns/age")
    page.fill("#high", "90000")
    page.click("text=Check against the rows")
    page.wait_for_url("**/check/age#remarks")
    assert "98\N{NO-BREAK SPACE}% of cells lie within" in page.inner_text("#remarks")
    assert page.input_value("#high") == "90000", "what was typed is still there"
    page.fill("#high", "110")
    page.fill("#why", "everybody knows it")
    page.click("text=This is right")
    page.wait_for_url("**/setup/visits/source")
    written = (tmp_path / "folder" / "visits.toml").read_text()
    assert "high = 110" in written
    assert 'why = "everybody knows it"' in written
