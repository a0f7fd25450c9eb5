"""What pages must not tell: markup from outside, and anything of the rows but the drawn value."""

import re
from html import unescape
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjacent_replies import HIDDEN, without_drawn
from discreet.questions import parse_sql, question_text
from discreet.questions.conditions import holds
from discreet.statistics import NAMES, Takes
from discreet.tables import read_dataset
from discreet.web.pages.forms import AskForm
from discreet.web.pages.sentence import QUANTILES, By, Clause, Sentence
from served_pages import hidden_fields, rows, served, write_survey

EVIL = '<script>alert(1)</script>"><img src=x onerror=alert(1)>'


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory):
    return read_dataset(write_survey(tmp_path_factory.mktemp("facts")))


def test_whatever_comes_from_outside_is_escaped(tmp_path: Path):
    words = "['North', '<script>alert(1)</script>', '\"><img src=x onerror=alert(1)>']"
    file = write_survey(tmp_path, title=EVIL.replace('"', '\\"'), clinics=words)
    with served(file) as client:
        evil = {"value": EVIL, "where": "clinic", "statistic": "count", "epsilon": EVIL, "is": "="}
        pages = [
            client.get("/"),
            client.get("/datasets/survey"),
            client.get("/datasets/survey/ask", params=evil),
            client.get("/datasets/survey/ask", params={"how": "sql", "sql": EVIL, "epsilon": "1"}),
            client.get("/datasets/survey/ask", params={"statistic": EVIL, "by": EVIL}),
            client.get("/datasets/survey/ask?statistic=mode&column=clinic&epsilon=1"),
            client.get("/datasets/survey/ask?statistic=top&column=clinic&most=2&epsilon=1"),
            client.get("/workbench", params={"labels": EVIL, "kind": "labels", "epsilon": EVIL}),
            client.get("/workbench", params={"labels": f"{EVIL},b", "kind": "labels"}),
            client.get("/sign-in", params={"next": EVIL}),
            client.get(f"/datasets/{EVIL}"),
        ]
        confirm = client.get("/datasets/survey/confirm?statistic=count&by=clinic&epsilon=1")
        answer = client.post("/datasets/survey/ask", data=hidden_fields(confirm.text))
        for page in (*pages, confirm, answer, client.get("/datasets/survey/ledger")):
            assert page.status_code < 500
            assert "<script>alert" not in page.text
            assert "<img src=x" not in page.text


def _seen(folder: Path, table: list[tuple[str, int, int, str]]) -> list[str]:
    """Every page before and after an answer, without keys and times."""
    queries = (
        "statistic=median&column=satisfaction&epsilon=0.5",
        "statistic=count&by=clinic&epsilon=0.5",
        "how=sql&sql=SELECT+SUM(age)+WHERE+smokes&epsilon=0.5",
    )
    found = []
    with served(write_survey(folder, table)) as client:
        for place, query in enumerate(queries):
            found.append(client.get(f"/datasets/survey/ask?{query}").text)
            confirm = client.get(f"/datasets/survey/confirm?{query}").text
            fields = {**hidden_fields(confirm), "key": f"key-{place}"}
            found += [confirm, client.post("/datasets/survey/ask", data=fields).text]
        found += _basket_and_release(client)
        ledger = client.get("/datasets/survey/ledger").text
        found += [
            ledger,
            client.post("/datasets/survey/ledger/verify", data=hidden_fields(ledger)).text,
            client.get("/").text,
            client.get("/datasets/survey").text,
            client.get("/datasets/survey/answers/nobody:x").text,
        ]
    return [HIDDEN.sub("", page) for page in found]


def _basket_and_release(client) -> list[str]:
    """A basket from its page to its answers, a release from its draft to its proof, and files."""
    query = "q=SELECT+COUNT(age>30)&q=SELECT+COUNT(smokes)+GROUP+BY+clinic&total=0.4"
    basket = "/datasets/survey/basket"
    found = [client.get(f"{basket}?{query}").text, client.get(f"{basket}.json?{query}").text]
    confirm = client.get(f"{basket}/confirm?{query}&key=basket").text
    form = confirm.split("data-once>")[1].split("</form>")[0]
    fields: dict[str, list[str]] = {}
    for name, value in re.findall(r'name="([^"]*)" value="([^"]*)"', form):
        fields.setdefault(name, []).append(unescape(value))
    answers = client.post(basket, data=fields)
    found += [confirm, answers.text, client.get("/datasets/survey/answers").text]
    found.append(client.get(f"{answers.url}", params={"sort": "-answer"}).text)
    chosen = {**hidden_fields(answers.text), "title": "Together"}
    chosen["receipt"] = re.findall(r'name="receipt" value="([^"]*)"', answers.text)
    draft = client.post("/datasets/survey/releases", data=chosen)
    public = client.post(f"{draft.url}/publish", data={**hidden_fields(draft.text), "whole": "1"})
    found += [draft.text, public.text, client.get("/releases").text]
    ends = (".json", "/verify", "/proof.json", "/mechanisms.json")
    ends += ("/report.html", "/report.md", "/report.json")
    found += [client.get(f"{draft.url}{end}").text for end in ends]
    one = re.search(r'href="(/datasets/survey/answers/[^"?]*basket-2)"', answers.text)
    assert one is not None
    found.append(client.get(one[1], params={"sort": "-answer"}).text)
    name = str(draft.url).rpartition("/")[2]
    return [page.replace(name, "RELEASE") for page in found]


def test_the_pages_of_adjacent_tables_differ_only_in_the_drawn_value(tmp_path: Path):
    table = rows()
    changed = [("South", 37, 5, "yes"), *table[1:]]
    assert changed[0] != table[0]
    one, other = _seen(tmp_path / "one", table), _seen(tmp_path / "other", changed)
    assert any("✗" not in page and "RELEASE" in page for page in one)
    answers = {2, 5, 8, *range(12, 26)}
    for place, (left, right) in enumerate(zip(one, other, strict=True)):
        if place in answers:
            assert without_drawn(left) == without_drawn(right)
        else:
            assert left == right


OF_NUMBERS = (Takes.ROWS, Takes.NUMBERS, Takes.VALUES)
clauses = st.one_of(
    st.builds(
        Clause, st.just("clinic"), st.sampled_from(["=", "!="]),
        st.sampled_from(["North", "South", "other"]),
    ),
    st.builds(
        Clause, st.sampled_from(["age", "satisfaction"]), st.sampled_from(["=", "!=", "<=", ">="]),
        st.one_of(st.integers(-5, 50).map(str), st.sampled_from(["20.5", "1/3", "36.999"])),
    ),
    st.builds(
        Clause, st.just("smokes"), st.sampled_from(["=", "!="]), st.sampled_from(["true", "false"])
    ),
)  # fmt: skip


@given(
    st.sampled_from([name for name, words in NAMES.items() if words.takes in OF_NUMBERS])
    | st.sampled_from(sorted(QUANTILES)),
    st.sampled_from(["age", "satisfaction"]),
    st.lists(clauses, max_size=3),
    st.lists(st.sampled_from(["clinic", "age", "smokes"]), max_size=3, unique=True),
)
def test_a_sentence_and_its_sql_select_the_same_rows(dataset, name, column, where, by):
    needed = NAMES[name].parameter if name in NAMES else None
    sentence = Sentence(
        statistic=name,
        column=column,
        number=needed.example if needed else "",
        clauses=tuple(where),
        by=tuple(By(name, "5" if name == "age" else "") for name in by),
    )
    question = sentence.question(dataset)
    read = parse_sql(question_text(question, dataset), dataset)
    assert [one.to_dict() for one in read.items] == [one.to_dict() for one in question.items]
    assert read.group_by == question.group_by
    assert [bins.column for bins in question.group_by] == by
    for row in _some_rows():
        assert holds(read.where, row) == holds(question.where, row)
        assert holds(question.where, row) == all(_meets(row, clause) for clause in where)


@given(
    st.dictionaries(
        st.sampled_from(
            ["how", "sql", "statistic", "column", "where", "is", "value", "by", "width", "aim",
             "epsilon", "within", "confidence", "loss", "prior", "require", "unbiased", "rank"]
        ),
        st.lists(st.text(max_size=12), max_size=3),
    )
)  # fmt: skip
def test_a_form_says_again_what_it_was_told(dataset, given_fields):
    form = AskForm.of(given_fields, dataset)
    again: dict[str, list[str]] = {}
    for name, value in form.fields():
        again.setdefault(name, []).append(value)
    assert AskForm.of(again, dataset).fields() == form.fields()


@pytest.mark.parametrize(
    ("given_fields", "wish", "value"),
    [
        ({"prior": ["worst"]}, "worst_case", True),
        ({"prior": ["databases"]}, "prior", "databases"),
        ({"require": ["fair", "symmetric"]}, "require", "fair,symmetric"),
        ({"loss": ["squared"]}, "loss", "squared"),
        ({"unbiased": ["1"]}, "unbiased", True),
        ({"consistent": ["1"]}, "consistent", True),
        ({"clamp": ["1"]}, "clamp", True),
        ({"confidence": ["99"]}, "confidence", "99%"),
        ({"aim": ["within"], "within": ["1/3"]}, "within", "1/3"),
        ({"epsilon": ["log 3"]}, "epsilon", "log 3"),
    ],
)
def test_every_wish_of_the_form_reaches_the_question(dataset, given_fields, wish, value):
    usual = AskForm.of({"statistic": ["count"]}, dataset).wanted(dataset)
    wanted = AskForm.of({"statistic": ["count"], **given_fields}, dataset).wanted(dataset)
    assert getattr(wanted, wish) == value
    assert getattr(usual, wish) != value


def _some_rows() -> list[dict[str, int]]:
    return [
        {"clinic": clinic, "age": age, "satisfaction": mood, "smokes": smokes}
        for clinic in range(3)
        for age in (0, 2, 3, 12, 19)
        for mood in (0, 2, 4)
        for smokes in range(2)
    ]


def _meets(row: dict[str, int], clause: Clause) -> bool:
    """The condition, read by hand."""
    index = row[clause.column]
    if clause.column in ("clinic", "smokes"):
        names = ("North", "South", "other") if clause.column == "clinic" else ("false", "true")
        same = names[index] == clause.value
        return same if clause.relation == "=" else not same
    first = 18 if clause.column == "age" else 1
    top, _, bottom = clause.value.partition("/")
    left, right = (first + index) * float(bottom or 1), float(top)
    return {"=": left == right, "!=": left != right, "<=": left <= right, ">=": left >= right}[
        clause.relation
    ]
