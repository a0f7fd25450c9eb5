"""An analyst fills a basket and pays once, a custodian publishes, a reader verifies."""

import json
import re

import pytest

ASK = "/datasets/visits/ask"
FIVE = (
    "statistic=count&by=clinic",
    "how=sql&sql=SELECT+COUNT(waited>60)",
    "statistic=mean&column=waited",
    "statistic=count&by=clinic&by=outcome&totals=1",
    "how=sql&sql=SELECT+COUNT(*)+GROUP+BY+YEAR(visit)",
)


def _tab_to(page, selector):
    for _ in range(200):
        if page.evaluate("chosen => document.activeElement.matches(chosen)", selector):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"the keyboard never reached {selector}")


def _press(page, selector, then, key="Enter"):
    """By keyboard alone: go there, press, and see where that leads."""
    _tab_to(page, selector)
    page.keyboard.press(key)
    page.wait_for_url(then)


def _sign_in(page, house, name):
    page.goto(f"{house.base}/sign-in")
    _tab_to(page, "#token")
    page.keyboard.type(house.tokens[name])
    page.keyboard.press("Enter")
    page.wait_for_url(f"{house.base}/")


def _spent(page, house):
    told = page.request.get(f"{house.base}/api/datasets/visits").json()["budget"]
    return float(told["own"]["spent"])


def _shoot(page, pictures, name):
    for width, height in ((1280, 900), (390, 844)):
        page.set_viewport_size({"width": width, "height": height})
        page.screenshot(path=pictures / f"{name}-{width}.png", full_page=True)
    page.set_viewport_size({"width": 1280, "height": 900})


def test_a_basket_is_filled_paid_once_published_and_verified(opened, house, pictures):
    """Analyst and custodian have a keyboard and no script; the browser of the reader computes."""
    ana = opened(java_script_enabled=False)
    _sign_in(ana, house, "dana")
    for place, query in enumerate(FIVE, start=1):
        ana.goto(f"{house.base}{ASK}?{query}&epsilon=1")
        _press(ana, "button[name=add]", "**/basket?q=**")
        assert ana.locator("ol.basket > li").count() == place
    _tab_to(ana, "#split-each")
    ana.keyboard.press("ArrowDown")
    _tab_to(ana, "ol.basket > li:nth-child(2) summary")
    ana.keyboard.press("Enter")
    _tab_to(ana, "#i-2")
    ana.keyboard.press("End")
    _tab_to(ana, "#total")
    ana.keyboard.press("Control+a")
    ana.keyboard.type("3")
    _press(ana, "#show", "**total=3**")
    costs = [float(one.get_attribute("data-cost")) for one in ana.locator(".cost-line").all()]
    assert sum(costs) == pytest.approx(3)
    assert costs[1] == max(costs) > costs[0]
    _shoot(ana, pictures, "basket")
    _press(ana, "button[formaction]", "**/basket/confirm?**key=**")
    confirm = ana.url
    _press(ana, "button.main", "**/answers?receipt=**")
    paid = ana.url
    assert _spent(ana, house) == pytest.approx(3)
    ana.goto(confirm)
    assert ana.url == paid, "coming back leads to the answers and pays nothing"
    assert _spent(ana, house) == pytest.approx(3)
    _tab_to(ana, "#title")
    ana.keyboard.type("Waiting in four clinics")
    _press(ana, "button.main", "**/releases/*")
    assert "Ask the custodian" in ana.inner_text("main")
    link = ana.url

    reader = opened(allowing="404")
    assert reader.goto(link).status == 404, "not public yet"
    custodian = opened(java_script_enabled=False)
    _sign_in(custodian, house, "carla")
    custodian.goto(link)
    _tab_to(custodian, "#whole")
    custodian.keyboard.press("Space")
    _tab_to(custodian, "form[action$=publish] button")
    custodian.keyboard.press("Enter")
    custodian.locator("text=Take it back").wait_for()

    assert reader.goto(link).status == 200
    _on_paper(
        reader,
        shown=("details.on-paper > .scroll table", ".paper-only"),
        hidden=(".button", "[download]"),
    )
    _shoot(reader, pictures, "release")
    _press(reader, "a[href$='/verify']", "**/verify")
    reader.locator("[data-result] .say.good").wait_for()
    told = reader.inner_text("[data-result]")
    assert "✓ Recomputed in your browser." in told
    assert "from the first to the head" in told
    assert "one person at the stated ε" in told
    assert int(re.search(r"all (\d+) drawn values", told)[1]) > 20, "groups are compared, too"
    assert "not compared" not in told
    _shoot(reader, pictures, "verify")
    for what, change, why in CHANGES:
        reader.route(what, change)
        reader.reload()
        reader.locator("[data-result] .say.bad").wait_for()
        assert why in reader.inner_text("[data-result]")
        reader.unroute(what)
    reader.route(TOLD, _changing(_years_told))
    reader.route(PROOF, _changing(_years_drawn))
    reader.reload()
    reader.locator("[data-result] .say.bad").wait_for()
    why = reader.inner_text("[data-result]")
    assert "different hash" in why
    assert "different value" not in why, "counts of words are compared by word"


def _on_paper(page, shown, hidden):
    """Folded numbers and the address are printed; what can be pressed is not."""
    page.emulate_media(media="print")
    sizes = [page.locator(one).first.bounding_box() for one in (*shown, *hidden)]
    assert [bool(one and one["height"]) for one in sizes] == [True] * len(shown) + [False] * len(
        hidden
    )
    page.emulate_media(media="screen")


PROOF, TOLD = "**/proof.json", "**/releases/*.json"


def _changing(change):
    """What is fetched, with a change that was made on its way."""

    def serve(route):
        found = route.fetch().json()
        change(found)
        route.fulfill(json=found)

    return serve


def _of_one_result(change):
    """The page's numbers, with one result changed."""
    return _changing(lambda told: change(told["answers"][0]["results"][1]))


def _interval_moved(one):
    one["exact_interval"][0] += "1"


def _shown_interval_moved(one):
    one["interval"][0] -= 1


def _half_of_the_noise(found):
    for one in found["mechanisms"].values():
        one["noise"] = one["noise"].replace('"rate": "', '"rate": "2')


CHANGES = (
    (PROOF, _changing(lambda proof: proof["entries"][-1].update(billionths="1")),
     "has a different hash"),
    (TOLD, _changing(lambda told: told["answers"][0].update(epsilon="0.001")),
     "cost a different ε"),
    (TOLD, _of_one_result(lambda one: one.update(exact=one["exact"] + "1")),
     "has a different value"),
    (TOLD, _of_one_result(lambda one: one.update(value=one["value"] + 1)), "has a different value"),
    (TOLD, _of_one_result(_interval_moved), "has a different interval"),
    (TOLD, _of_one_result(_shown_interval_moved), "has a different interval"),
    (TOLD, _of_one_result(lambda one: one.update(statistic="COUNT(*) of smokers")),
     "has a value that was not drawn"),
    ("**/mechanisms.json", _changing(_half_of_the_noise), "has a different noise"),
)  # fmt: skip
"""What is changed on its way to the reader, and what the reader is told."""


def _years_told(told):
    """Words that are numbers, the most frequent first."""
    told["answers"][0]["results"][1] |= {"value": {"2023": 5, "7": 4}, "exact": None}


def _years_drawn(proof):
    told = next(one for one in proof["entries"] if one["kind"] == "answer")
    drawn = json.loads(told["body"])
    drawn["results"][1]["value"] = {"counts": [["2023", 5], ["7", 4]]}
    told["body"] = json.dumps(drawn)
