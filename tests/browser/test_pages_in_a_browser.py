"""The pages end to end in headless Chromium: with a pointer, by keyboard, without JavaScript."""

import re

import pytest

from served_pages import listening, write_survey

ASK = "/datasets/survey/ask"
VISITS = "/datasets/visits/ask"
DATES = f"{VISITS}?statistic=count&where=visit&is=>=&value=2022-01-01&by=visit&width=month"
BASKET = "/datasets/visits/basket"
FIVE = (
    "q=SELECT+COUNT(*)+GROUP+BY+clinic&q=SELECT+AVG(waited)&q=SELECT+COUNT(waited>60)"
    "&q=SELECT+COUNT(*)+GROUP+BY+clinic,+outcome&q=SELECT+COUNT(*)+GROUP+BY+YEAR(visit)&total=2"
)
MEDIAN = f"{ASK}?statistic=median&column=age&aim=epsilon&epsilon=0.5"


def _sign_in(page, house, name="ana", after="/"):
    page.goto(house.base + after)
    page.fill("#token", house.tokens[name])
    page.click("button.main")
    page.wait_for_load_state()


def _planned(page):
    """Wait until the scripts have run and the plan stands still."""
    page.wait_for_load_state()
    page.wait_for_selector("#plan[data-epsilon]:not([aria-busy])")


def _until(page, holds):
    """Wait for something that no selector can say; the policy of the pages forbids eval."""
    for _ in range(1_800):
        if holds():
            return
        page.wait_for_timeout(100)
    raise AssertionError("it never came")


def _shows(page, selector, text):
    """Wait until a piece of the page says it: a click may return before the next page is there."""
    page.locator(selector).filter(has_text=text).first.wait_for()


def _left(page, house):
    told = page.request.get(f"{house.base}/api/datasets/survey").json()["budget"]
    return float(told["left"])


def test_sign_in_play_ask_see_the_budget_fall_and_verify(opened, house):
    page = opened()
    _sign_in(page, house)
    page.click("a.button.main")
    _planned(page)
    before = _left(page, house)

    page.select_option("#statistic", "median")
    page.wait_for_selector("#column")
    page.select_option("#column", "age")
    page.wait_for_selector("#sentence:has-text('MEDIAN(age)')")
    _planned(page)

    page.fill("#epsilon", "0.2")
    page.wait_for_selector('#plan[data-epsilon="0.2"]')
    wide = float(page.input_value("#within"))
    page.fill("#epsilon", "2")
    page.wait_for_selector('#plan[data-epsilon="2"]')
    narrow = float(page.input_value("#within"))
    assert "with 95\N{NO-BREAK SPACE}% confidence" in page.text_content("[data-said]"), (
        "screen readers are told"
    )
    assert narrow < wide

    between = str(narrow + 1)
    assert float(between) < wide
    page.fill("#within", between)
    assert page.is_checked("#aim-within")
    _until(page, lambda: float(page.input_value("#epsilon")) < 2)
    assert 0.2 < float(page.input_value("#epsilon")) < 2
    slid = page.input_value("#slide")
    page.focus("#slide")
    page.keyboard.press("End")
    page.wait_for_selector('#plan[data-epsilon="10"]')
    assert page.is_checked("#aim-epsilon")
    assert page.input_value("#slide") != slid
    assert _left(page, house) == before, "playing is free"

    page.fill("#epsilon", "0.5")
    page.wait_for_selector('#plan[data-epsilon="0.5"]')
    page.click("text=Continue …")
    _shows(page, "h1", "Spend ε = 0.5?")
    page.dblclick("button.main")
    page.wait_for_url("**/answers/**")
    value = page.inner_text(".big")
    assert 18 <= int(value) <= 37
    assert _left(page, house) == pytest.approx(before - 0.5), "a double click pays once"
    _shows(page, "main", "This answer cost ε = 0.5.")
    page.reload()
    assert page.inner_text(".big") == value
    assert _left(page, house) == pytest.approx(before - 0.5)

    page.click("main >> text=Ledger")
    _shows(page, "table.folds", "The median of age")
    page.click("text=Verify the ledger")
    _shows(page, "[role=status]", "The ledger is intact.")
    page.click("text=Sign out")
    page.wait_for_url("**/sign-in")


def test_coming_back_after_paying_leads_to_the_answer_and_never_pays_again(opened, house):
    page = opened()
    _sign_in(page, house, "bo", MEDIAN)
    _planned(page)
    page.click("text=Continue …")
    page.wait_for_url("**/confirm?**key=**")
    page.click("button.main")
    page.wait_for_url("**/answers/**")
    left, answer = _left(page, house), page.url
    page.go_back()
    page.reload()
    _shows(page, "h1", "Already answered")
    page.click("text=See the answer")
    page.wait_for_url("**/answers/**")
    assert page.url == answer
    assert _left(page, house) == left


def test_a_sentence_that_is_not_finished_is_met_with_a_hint(opened, house):
    page = opened()
    _sign_in(page, house, "bo", ASK)
    _planned(page)
    page.select_option("#where-1", "age")
    page.wait_for_selector("#plan:has-text('Enter a value to compare age with.')")
    assert page.locator("#plan [role=alert]").count() == 0
    assert "Enter a value" in page.text_content("[data-said]"), "screen readers are told"
    page.fill("#value-1", "30")
    _planned(page)
    page.select_option("#by", "age")
    page.wait_for_selector("#sentence:has-text('BIN(age, 2)')")
    assert page.input_value("#width") == "2"
    page.select_option("#by", "satisfaction")
    page.wait_for_selector("#sentence:has-text('GROUP BY satisfaction')")
    assert page.input_value("#width") == "1"


def test_dates_are_chosen_and_grouped_without_typing_sql(opened, house):
    page = opened()
    _sign_in(page, house, "carla", f"{VISITS}?statistic=count&epsilon=1")
    _planned(page)
    page.select_option("#by", "visit")
    page.wait_for_selector("#sentence:has-text(\"DATE_TRUNC('month', visit)\")")
    page.select_option("#width", "DAYNAME")
    page.wait_for_selector("#sentence:has-text('DAYNAME(visit)')")
    page.check("#totals")
    page.wait_for_selector("#sentence:has-text('ROLLUP(DAYNAME(visit))')")
    page.select_option("#where-1", "visit")
    page.wait_for_selector("#plan:has-text('Enter a date to compare visit with.')")
    assert page.get_attribute("#value-1", "min") == "2021-01-01"
    page.fill("#value-1", "2022-07-01")
    page.select_option("#is-1", ">=")
    page.wait_for_selector("#sentence:has-text(\"visit >= DATE '2022-07-01'\")")
    _planned(page)
    page.select_option("#by", "waited")
    page.wait_for_selector("#running")
    page.check("#running")
    page.wait_for_selector("#sentence:has-text('CUMULATIVE(waited, 15)')")
    _planned(page)


def test_what_is_wrong_with_sql_is_said_below_it(opened, house):
    page = opened()
    _sign_in(page, house, "bo", f"{ASK}?how=sql&sql=SELECT+AVG(age)&epsilon=1")
    _planned(page)
    page.fill("#sql", "SELECT AVG(nobody)")
    _shows(page, "#slip [role=alert]", "There is no column 'nobody'")
    assert "no column" in page.text_content("[data-said]"), "screen readers are told"
    page.fill("#sql", "SELECT AVG(age)")
    _planned(page)
    assert page.locator("#slip .say").count() == 0


def test_the_keyboard_alone_is_enough(opened, house):
    page = opened()
    page.goto(house.base + MEDIAN)
    press, focused = page.keyboard.press, "document.activeElement"
    press("Tab")
    assert page.evaluate(f"{focused}.className") == "skip"
    press("Enter")
    press("Tab")
    assert page.evaluate(f"{focused}.id") == "token"
    page.keyboard.type(house.tokens["ana"])
    press("Enter")
    page.wait_for_url("**/ask?**")
    _planned(page)
    _tab_to(page, "#statistic")
    outline = page.evaluate(f"getComputedStyle({focused}).outlineStyle")
    assert outline == "solid", "focus is visible"
    press("ArrowUp")
    _tab_to(page, "#epsilon")
    press("Control+a")
    page.keyboard.type("0.3")
    page.wait_for_selector('#plan[data-epsilon="0.3"]')
    _tab_to(page, "button[formaction]")
    press("Enter")
    page.wait_for_url("**/confirm**")
    _tab_to(page, "button.main")
    press("Enter")
    page.wait_for_url("**/answers/**")
    assert page.inner_text(".big")


def test_a_plan_that_comes_late_leaves_the_keyboard_where_it_was(opened, house):
    """Of a question that nobody has paid for: one that is stored costs 0 at any ε."""
    page = opened()
    _sign_in(page, house, "ana")
    page.goto(house.base + MEDIAN.replace("median", "max"))
    _planned(page)
    page.evaluate("""() => {
        const epsilon = document.getElementById("epsilon");
        epsilon.value = "0.37";
        epsilon.dispatchEvent(new Event("input", { bubbles: true }));
        document.querySelector("#plan button[formaction]").focus();
    }""")
    page.wait_for_selector('#plan[data-epsilon="0.37"]')
    assert page.evaluate("document.activeElement.matches('#plan button[formaction]')")


def _tab_to(page, selector):
    for _ in range(200):
        if page.evaluate("chosen => document.activeElement.matches(chosen)", selector):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"the keyboard never reached {selector}")


def test_everything_works_without_javascript(opened, house):
    page = opened(java_script_enabled=False)
    _sign_in(page, house, "bo", ASK)
    page.select_option("#statistic", "count")
    page.select_option("#by", "clinic")
    page.click("#show")
    _shows(page, "#plan", "each of the 3 answers")
    page.check("#aim-within")
    page.fill("#within", "9")
    page.click("#show")
    page.wait_for_url("**within=9&**")
    assert 0 < float(page.input_value("#epsilon")) < 5
    assert page.is_hidden("#slide")
    page.click("text=Continue …")
    page.wait_for_url("**/confirm?**key=**")
    page.click("button.main")
    page.wait_for_url("**/answers/**")
    assert page.locator("figure rect.bar, figure .faint-dot").count() == 3
    page.click("main >> text=Ledger")
    page.click("text=Verify the ledger")
    _shows(page, "main", "The ledger is intact.")
    page.goto(f"{house.base}/workbench?low=0&high=4&relation=within&steps=1&epsilon=1")
    _shows(page, "#design", "Expected error")
    page.fill("#bench-epsilon", "2")
    page.click("#bench button.main")
    _shows(page, "#design", "ε = 2")


def test_the_workbench_redesigns_as_one_types_and_shares_by_link(opened, house):
    page = opened()
    _sign_in(page, house, "bo", "/workbench")
    first = page.inner_text("#design .promise")
    page.fill("#bench-epsilon", "0.5")
    page.wait_for_selector("#design .promise:has-text('ε = 0.5.')")
    assert page.inner_text("#design .promise") != first
    page.check("#bench-fair")
    _until(page, lambda: "require=fair" in page.url)
    page.click("summary:has-text('Exact integers')")
    assert page.locator("table.exact td").first.is_visible()
    shared = page.input_value("#share")
    told = page.inner_text("#design .promise")
    page.goto(shared)
    assert page.inner_text("#design .promise") == told
    with page.expect_download() as waiting:
        page.click("text=Download the mechanism")
    assert waiting.value.suggested_filename == "mechanism.json"
    page.check("#kind-labels")
    page.wait_for_selector("#design .promise:has-text('wrong')")
    assert page.is_hidden("#low")


def _never_done(route):
    """A job may end before anybody has looked: here it is said to run for as long as one looks."""
    if route.request.method == "GET":
        route.fulfill(json={"state": "running", "message": "working"})
    else:
        route.continue_()


def test_a_long_plan_shows_that_it_is_under_way_and_can_be_cancelled(opened, tmp_path):
    with listening(write_survey(tmp_path), patience=0.0) as base:
        page = opened(reduced_motion="reduce")
        page.goto(base + MEDIAN)
        page.wait_for_selector("#plan[data-epsilon]")
        page.route("**/api/jobs/*", _never_done)
        page.fill("#within", "3")
        page.wait_for_selector("[data-job]")
        assert (
            page.evaluate(
                "getComputedStyle(document.querySelector('.pulse') ?? document.body).animationName"
            )
            == "none"
        )
        page.click("[data-job-cancel]")
        page.wait_for_selector("text=Cancelled.")
        page.fill("#epsilon", "0.7")
        page.unroute("**/api/jobs/*")
        page.wait_for_selector('#plan[data-epsilon="0.7"]')


def test_the_custodian_makes_and_revokes_an_account(opened, house):
    page = opened(permissions=["clipboard-read", "clipboard-write"])
    _sign_in(page, house, "carla", "/accounts")
    page.fill("#name", "dora")
    page.fill("#budget", "0.5")
    page.check("label:has-text('clinic survey') input")
    page.click("text=Create and show the token")
    token = page.inner_text("#token")
    assert token.startswith("dsc_")
    between = page.evaluate(
        "() => document.querySelector('section:has(#list)').getBoundingClientRect().top"
        " - document.querySelector('section:has(#token)').getBoundingClientRect().bottom"
    )
    assert between >= 16
    page.click("[data-copy]")
    _until(page, lambda: page.evaluate("navigator.clipboard.readText()") == token)
    page.goto(f"{house.base}/accounts")
    assert token not in page.content()
    page.click("summary:has-text('Revoke dora')")
    _shows(page, "tr:has-text('dora')", "stops working at once")
    page.click("button:has-text('Revoke dora now')")
    _shows(page, "tr:has-text('dora')", "revoked")


def _see_the_ask_page(page, house, hold):
    page.route("**/static/ask.js", hold)
    page.goto(house.base + MEDIAN, wait_until="commit")


def _see_a_token(page, house, hold):
    page.goto(f"{house.base}/accounts")
    page.fill("#name", "ella")
    page.check("label:has-text('clinic survey') input")
    page.route("**/static/copy.js", hold)
    page.click("text=Create and show the token")


@pytest.mark.parametrize(
    ("see", "shown"), [(_see_the_ask_page, "[data-slider]"), (_see_a_token, "[data-copy]")]
)
def test_nothing_moves_when_a_script_arrives_late(opened, house, addresses, see, shown):
    _, state = addresses
    page, held = opened(storage_state=state), []

    def hold(route):
        held.append(route)

    see(page, house, hold)
    page.locator(shown).wait_for(state="attached")
    _until(page, lambda: held and page.evaluate("document.styleSheets.length"))
    places = (
        "() => [...document.querySelectorAll('main form, main section, main summary, h2')]"
        ".map(one => one.getBoundingClientRect().top)"
    )
    before = page.evaluate(places)
    assert page.is_hidden(shown)
    held.pop().continue_()
    page.locator(shown).wait_for()
    assert page.evaluate(places) == before


EVERY_PAGE = {
    "datasets": "/",
    "dataset": "/datasets/survey",
    "ask": MEDIAN,
    "ask-groups": f"{ASK}?statistic=count&by=age&width=5&where=clinic&is==&value=North&epsilon=0.4",
    "ask-sql": f"{ASK}?how=sql&sql=SELECT+MODE(clinic),+AVG(age)&epsilon=1&confidence=90",
    "ask-error": f"{ASK}?how=sql&sql=SELECT+name&epsilon=1",
    "confirm": MEDIAN.replace("/ask?", "/confirm?"),
    "answer": None,
    "answer-groups": None,
    "visits": "/datasets/visits",
    "ask-dates": f"{DATES}&epsilon=1",
    "answer-months": None,
    "answer-crossed": None,
    "answer-quartiles": None,
    "answer-line": None,
    "answer-panels": None,
    "basket": f"{BASKET}?{FIVE}",
    "basket-confirm": f"{BASKET}/confirm?{FIVE}",
    "answers": "/datasets/visits/answers",
    "releases": "/releases",
    "release": None,
    "verify": None,
    "ledger": "/datasets/survey/ledger",
    "workbench": "/workbench",
    "accounts": "/accounts",
    "help": "/help",
    "api": "/api",
    "nothing": "/datasets/nowhere",
}


@pytest.fixture(scope="module")
def addresses(browser, house):
    """Every page's address, with two answers to look at, and the cookies of a custodian."""
    context = browser.new_context()
    page = context.new_page()
    _sign_in(page, house, "carla")
    found = dict(EVERY_PAGE)
    crossed = "statistic=count&by=clinic&by=outcome&totals=1"
    fitted = "how=sql&sql=SELECT+REGR_SLOPE(waited,age),REGR_INTERCEPT(waited,age)"
    asked = {
        "answer": MEDIAN,
        "answer-groups": f"{ASK}?statistic=count&by=clinic&epsilon=0.5",
        "answer-months": f"{VISITS}?statistic=count&by=visit&width=month&epsilon=1",
        "answer-crossed": f"{VISITS}?{crossed}&epsilon=1",
        "answer-quartiles": f"{VISITS}?statistic=quartiles&column=waited&by=clinic&epsilon=2",
        "answer-line": f"{VISITS}?{fitted}&epsilon=2",
        "answer-panels": f"{VISITS}?statistic=count&by=outcome&by=visit&width=month&epsilon=2",
    }
    for name, query in asked.items():
        page.goto(house.base + query.replace("/ask?", "/confirm?"))
        page.click("button.main")
        page.wait_for_url("**/answers/**")
        found[name] = page.url.removeprefix(house.base)
    page.goto(f"{house.base}/datasets/visits/answers")
    for box in page.locator(".listed input[type=checkbox]").all():
        box.check()
    page.fill("#title", "Waiting in four clinics")
    page.click("text=Make a release")
    page.click("button:has-text('Make it public')")
    page.locator("text=Take it back").wait_for()
    found["release"] = page.url.removeprefix(house.base)
    found["verify"] = f"{found['release']}/verify"
    state = context.storage_state()
    context.close()
    return found, state


@pytest.mark.parametrize("name", list(EVERY_PAGE))
def test_every_page_is_accessible_in_light_and_dark_fits_a_phone_and_stays_silent(
    opened, house, addresses, pictures, name
):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    found, state = addresses
    page = opened(allowing="404" if name == "nothing" else "\0", storage_state=state)
    page.goto(house.base + found[name])
    page.wait_for_load_state("networkidle")
    page.screenshot(path=pictures / f"{name}-1280.png", full_page=True)
    page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")
    light = axe.run(page)
    assert light.violations_count == 0, light.generate_report()
    page.emulate_media(color_scheme="dark")
    dark = axe.run(page, options={"runOnly": ["color-contrast"]})
    assert dark.violations_count == 0, dark.generate_report()
    page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = false; })")
    page.set_viewport_size({"width": 390, "height": 844})
    page.screenshot(path=pictures / f"{name}-390-dark.png", full_page=True)
    high = page.evaluate("document.scrollingElement.scrollHeight")
    assert high <= 3 * 844, f"{name} is {high / 844:.1f} screens long on a phone"
    page.set_viewport_size({"width": 360, "height": 800})
    wide = page.evaluate("document.scrollingElement.scrollWidth")
    assert wide <= 360, f"{name} is {wide} px wide on a phone"
    page.set_viewport_size({"width": 1600, "height": 1000})
    assert page.evaluate("document.scrollingElement.scrollWidth") <= 1600


def test_the_sign_in_page_is_accessible(opened, house, pictures):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    page = opened()
    page.goto(f"{house.base}/sign-in")
    assert axe.run(page).violations_count == 0
    page.screenshot(path=pictures / "sign-in-light-1280.png", full_page=True)


def test_no_page_speaks_to_another_site(opened, house, addresses):
    found, state = addresses
    page = opened(storage_state=state)
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    for name in ("ask", "workbench", "answer", "help"):
        page.goto(house.base + found[name])
        page.wait_for_load_state("networkidle")
    assert asked
    assert all(re.match(re.escape(house.base), url) for url in asked)
