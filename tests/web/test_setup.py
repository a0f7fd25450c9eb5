"""Set-up is the custodian's alone, writes a dataset file as hands do, and survives bad files."""

import io
import re
import tomllib
import zipfile
from pathlib import Path

import httpx
import openpyxl
import pytest

from discreet.accounts import Accounts
from discreet.cli.commands.serve import _announce
from discreet.errors import FileError, InvalidInput
from discreet.tables import draft_dataset, examine_dataset
from discreet.web.app import create_app
from discreet.web.service import Service
from discreet.web.settings import Settings
from discreet.web.setup.child import perform
from discreet.web.setup.desk import Desk
from served_pages import browsing, hidden_fields, running, served, set_up, write_survey

PATHS = (
    *("/setup", "/setup/visits", "/setup/visits/source", "/setup/visits/privacy"),
    *("/setup/visits/budget", "/setup/visits/columns/age", "/setup/visits/rehearsal"),
    *("/setup.json", "/setup/visits.json"),
)
POSTS = (
    *("/setup/choose", "/setup/upload", "/setup/connect", "/setup/visits/source"),
    *("/setup/visits/privacy", "/setup/visits/budget", "/setup/visits/columns/age"),
    *("/setup/visits/check/age", "/setup/visits/rehearse", "/setup/visits/finish"),
    *("/setup/visits/serve", "/setup/visits/leave-out"),
)
SECRET = 7919


def _workbook(path: Path, rows: int = 120) -> Path:
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.append(["patient", "age", "clinic", "km/h"])
    for place in range(rows):
        sheet.append([f"p{place}", 20 + place % 60, ("North", "South")[place % 2], SECRET])
    book.save(path)
    return path


def _csrf(client: httpx.Client, path: str = "/setup") -> str:
    return hidden_fields(client.get(path).text)["csrf"]


def _enter(client: httpx.Client, key: str) -> httpx.Response:
    fields = hidden_fields(client.get("/setup/enter", params={"key": key}).text)
    return client.post("/setup/enter", data=fields)


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory):
    """A desk with a drafted workbook; for tests that change nothing."""
    folder = tmp_path_factory.mktemp("desk")
    _workbook(folder / "visits.xlsx")
    with set_up(folder) as (client, key):
        assert _enter(client, key).status_code == 200
        chosen = {"csrf": _csrf(client), "table": "visits.xlsx"}
        assert client.post("/setup/choose", data=chosen).url.path == "/setup/visits"
        yield client, folder, key


def test_a_server_without_setup_has_no_such_pages(tmp_path: Path):
    with served(write_survey(tmp_path), warm=False) as client:
        for path in (*PATHS, "/setup/enter"):
            assert client.get(path).status_code == 404
        assert "/setup" not in client.get("/").text


def test_the_custodian_sees_the_true_ends_of_a_column(tmp_path: Path):
    """What does not count for the bounds that are proposed is there all the same."""
    cells = "".join(f"{40 + place},A\n" for place in range(60))
    (tmp_path / "visits.csv").write_text(f"mass,clinic\n{cells}1358,A\n15,B\n")
    made = perform({"do": "draft", "path": str(tmp_path / "visits.csv")})["done"]
    mass = made["columns"][0]
    assert mass["ends"] == ["15", "1,358"]
    assert "far from the others (1,358)" in mass["doubt"]
    assert "high = 100\n" in made["text"]


def test_without_the_link_nobody_on_this_machine_sees_it_and_the_link_works_once(desk):
    client, _, key = desk
    assert all(client.get(path).status_code == 200 for path in PATHS)
    with browsing(str(client.base_url)) as other:
        for path in PATHS:
            reply = other.get(path)
            assert reply.status_code == 403
            assert str(SECRET) not in reply.text
        csrf = _csrf(other, "/accounts")
        for path in POSTS:
            assert other.post(path, data={"csrf": csrf}).status_code == 403
        for given in (key, "wrong"):
            again = other.post("/setup/enter", data={"csrf": csrf, "key": given})
            assert again.status_code == 403
            assert "was used already" in again.text
        assert "Set up</a>" not in other.get("/").text


def test_the_next_link_is_printed_and_takes_set_up_over(tmp_path: Path):
    """A link that the wrong browser has used up needs no restart."""
    told, app = [], create_app(Settings(files=(), setup=tmp_path, workers=1, warm=False))
    with running(app) as base, browsing(base) as wrong, browsing(base) as right:
        desk = app.state.service.desk
        key, desk.announce = desk.key, lambda: told.append(desk.key)
        assert _enter(wrong, key).status_code == 200
        assert _enter(right, key).status_code == 403
        assert told != [key]
        assert _enter(right, told[0]).status_code == 200
        assert right.get("/setup").status_code == 200
        assert wrong.get("/setup").status_code == 403
        assert len({key, *told}) == 3


def test_a_draft_has_a_twin_for_programs(desk):
    client, _, _ = desk
    (one,) = client.get("/setup.json").json()["drafts"]
    assert (one["name"], one["served"]) == ("visits", False)
    told = client.get("/setup/visits.json").json()
    assert told["left"] == sum(not step["done"] for step in told["steps"]) > 0
    assert told["declared"]["columns"].keys() <= {
        column["name"] for column in told["seen"]["columns"]
    }
    for path in ("/setup/visits", "/setup/visits/budget"):
        assert 'href="/setup/visits.json"' in client.get(path).text


def test_forms_need_the_csrf_word_and_come_from_these_pages(desk):
    client, folder, _ = desk
    before = (folder / "visits.toml").read_text()
    for path in POSTS:
        assert client.post(path, data={"why": "x"}).status_code == 403
        elsewhere = {"Origin": "https://evil.example"}
        assert client.post(path, data={"csrf": _csrf(client)}, headers=elsewhere).status_code == 403
    assert (folder / "visits.toml").read_text() == before


def test_with_accounts_it_is_for_custodians_and_never_for_analysts(tmp_path: Path):
    file = write_survey(tmp_path)
    _workbook(tmp_path / "visits.xlsx")
    with Accounts(tmp_path / "discreet.accounts") as accounts:
        carla = accounts.create("carla", "custodian").text
        ana = accounts.create("ana", datasets=("survey",)).text
    with set_up(tmp_path, file) as (client, key):
        assert client.get("/setup").url.path == "/sign-in"
        client.post("/sign-in", data={"token": ana})
        menu = client.get("/").text
        assert "Set up</a>" not in menu
        csrf = re.search(r'name="csrf" value="([^"]*)"', menu)
        assert csrf is not None
        for path in PATHS:
            assert client.get(path).status_code == 403
        for path in (*POSTS, "/setup/enter"):
            assert client.post(path, data={"csrf": csrf[1], "key": key}).status_code == 403
        client.post("/sign-out", data={"csrf": csrf[1]})
        client.post("/sign-in", data={"token": carla})
        assert "visits.xlsx" in client.get("/setup").text


@pytest.mark.parametrize("people", [False, True])
def test_only_a_link_that_works_once_is_said_to(tmp_path: Path, capsys, people):
    if people:
        with Accounts(tmp_path / "discreet.accounts") as accounts:
            accounts.create("carla", "custodian")
    service = Service(Settings(files=(), setup=tmp_path))
    _announce(service, "http://127.0.0.1:8000", as_json=False)
    service.close()
    told = capsys.readouterr().out
    assert ("works once" in told) == ("?key=" in told) == (not people)


def test_other_machines_reach_it_by_https_alone(tmp_path: Path):
    with pytest.raises(InvalidInput, match="only by https"):
        Settings(files=(), setup=tmp_path, host="0.0.0.0").checked()
    given = Settings(files=(), setup=tmp_path).checked().accounts_given
    assert given is not None
    assert given.parent == tmp_path


def test_a_column_of_words_by_itself_is_checked(desk):
    client, *_ = desk
    page = client.get("/setup/visits/columns/clinic").text
    assert "annot read" not in page
    fields = {"csrf": _csrf(client), "type": "category", "values": "North", "gaps": "skip"}
    told = client.post("/setup/visits/check/clinic", data=fields, headers={"X-Part": "remarks"})
    assert (
        "60 (50\N{NO-BREAK SPACE}%) not declared (&#39;South&#39;), counted as other" in told.text
    )


def test_what_is_wrong_is_said_where_it_is_typed_without_lines_of_a_file(desk):
    client, *_ = desk
    wrong = {"csrf": _csrf(client), "type": "integer", "low": "9", "high": "3", "gaps": "skip"}
    page = client.post("/setup/visits/check/age", data=wrong).text
    problem = page.split('id="remarks"')[1].split("</div>")[0]
    assert "The range is reversed" in problem
    assert "ine " not in problem, "a page has no lines"
    assert page.index('id="remarks"') < page.index(">This is right<") < page.index("</form>")
    letters = client.post("/setup/visits/check/age", data={**wrong, "high": "abc"}).text
    assert "abc" in letters.split('id="remarks"')[1].split("</div>")[0]


def test_a_draft_has_as_many_steps_to_confirm_in_the_list_as_on_its_page(desk):
    client, *_ = desk
    page, listed = client.get("/setup/visits").text, client.get("/setup").text
    left = re.search(r"(\d+) of \d+ steps are still to be confirmed", page)[1]
    assert f"{left} steps to confirm" in listed


def test_the_draft_is_the_one_that_init_writes(desk):
    _, folder, _ = desk
    assert (folder / "visits.toml").read_text() == draft_dataset(folder / "visits.xlsx").text
    assert (folder / "visits.toml").stat().st_mode & 0o777 == 0o600, "it may name a server"


def test_names_from_outside_lead_nowhere_else(desk):
    client, folder, _ = desk
    (folder.parent / "other.csv").write_text("a\n1\n")
    csrf = _csrf(client)
    for name in ("../other.csv", "/etc/passwd", "", "nothing.csv", "visits.toml", ".hidden.csv"):
        reply = client.post("/setup/choose", data={"csrf": csrf, "table": name})
        assert reply.status_code == 422
        assert "there is no table" in reply.text.lower()
    for name in ("..%2Fother", "nothing", "%2Fetc%2Fpasswd", "x" * 300):
        assert client.get(f"/setup/{name}").status_code in (404, 422)
        posted = client.post(f"/setup/{name}/columns/age", data={"csrf": csrf, "why": "so"})
        assert posted.status_code in (404, 422)


def test_a_link_in_the_folder_leads_nowhere(tmp_path: Path):
    """Whoever may put a link there does not see what the server may read elsewhere."""
    folder = tmp_path / "desk"
    folder.mkdir()
    (tmp_path / "other.csv").write_text("a\n1\n")
    write_survey(tmp_path)
    (folder / "linked.csv").symlink_to(tmp_path / "other.csv")
    (folder / "survey.toml").symlink_to(tmp_path / "survey.toml")
    (folder / "own.csv").write_text("a\n1\n")
    desk = Desk(folder)
    assert [one.name for one in desk.tables()] == ["own.csv"]
    assert desk.drafts() == []
    for ask, name in ((desk.table, "linked.csv"), (desk.text, "survey")):
        with pytest.raises(FileError, match="there is no"):
            ask(name)


def test_several_columns_are_left_out_at_once_but_never_all(tmp_path: Path):
    _workbook(tmp_path / "visits.xlsx")
    with set_up(tmp_path) as (client, key):
        _enter(client, key)
        csrf = _csrf(client)
        client.post("/setup/choose", data={"csrf": csrf, "table": "visits.xlsx"})
        before = (tmp_path / "visits.toml").read_text()
        every = {"csrf": csrf, "column": ["age", "clinic", "km/h"]}
        refused = client.post("/setup/visits/leave-out", data=every)
        assert refused.status_code == 422
        assert (tmp_path / "visits.toml").read_text() == before
        some = {"csrf": csrf, "column": ["age", "km/h", "no such column"]}
        assert client.post("/setup/visits/leave-out", data=some).status_code == 200
    text = (tmp_path / "visits.toml").read_text()
    assert set(tomllib.loads(text)["columns"]) == {"clinic"}
    assert '# Column "km/h" is left out: the custodian left it out.' in text


def test_from_a_file_to_a_served_dataset_with_every_reason_kept(tmp_path: Path):
    _workbook(tmp_path / "visits.xlsx")
    with set_up(tmp_path) as (client, key):
        _enter(client, key)
        csrf = _csrf(client)
        client.post("/setup/choose", data={"csrf": csrf, "table": "visits.xlsx"})
        early = client.post("/setup/visits/finish", data={"csrf": csrf})
        assert early.status_code == 422
        assert "still to be confirmed" in early.text
        why = {"csrf": csrf, "why": "the questionnaire"}
        privacy = {"unit": "row", "neighbours": "change", "size_is": "public", "size": "120"}
        age = {"type": "integer", "low": "0", "high": "120", "unit": "years", "gaps": "skip"}
        clinic = {"type": "category", "values": "North\nSouth\nEast", "gaps": "skip"}
        seen = {"type": "integer", "low": "0", "high": "100000", "gaps": "skip"}
        without = client.post("/setup/visits/source", data={"csrf": csrf, "name": "Visits"})
        assert without.status_code == 422
        assert "how you know this without the rows" in without.text
        typed = {"unit": "patient", "neighbours": "change", "why": "by law", "size_is": "bound"}
        again = client.post("/setup/visits/privacy", data={"csrf": csrf, **typed})
        assert again.status_code == 422
        assert '<option value="patient" selected>' in again.text, "what was typed stays"
        assert 'value="by law"' in again.text
        wrong = client.post("/setup/visits/columns/age", data={**why, **age, "low": "old"})
        assert wrong.status_code == 422
        assert 'value="old"' in wrong.text
        checked = client.post("/setup/visits/check/km%2Fh", data={**why, **seen}).text
        assert "lie within 0.1\N{NO-BREAK SPACE}% of the range" in checked
        for step, given in (
            ("source", {"name": "Clinic visits"}),
            ("privacy", privacy),
            ("budget", {"total": "2.5", "analysts": "ana 0.5"}),
            ("columns/age", age),
            ("columns/clinic", {**clinic, "description": "where they went"}),
            ("columns/km%2Fh", {"keep": "no"}),
        ):
            assert client.post(f"/setup/visits/{step}", data={**why, **given}).status_code == 200
        twin = (
            (tmp_path / "visits.toml").read_text().replace("confirmed = false", "confirmed = true")
        )
        (tmp_path / "twin.toml").write_text(twin)
        assert (
            "twin.toml has a budget of its own for the same rows"
            in client.get("/setup/visits").text
        )
        (tmp_path / "twin.toml").unlink()
        rehearsal = client.post("/setup/visits/rehearse", data={"csrf": csrf}).text
        assert "120 made-up rows" in rehearsal
        seen_there = client.get("/datasets/~rehearsal-visits").text
        assert "Rehearsal: Clinic visits" in seen_there
        assert "ε = 2.5 is left" in seen_there
        assert str(SECRET) not in seen_there
        done = client.post("/setup/visits/finish", data={"csrf": csrf})
        assert "Clinic visits is served" in done.text
        assert client.get("/api/datasets/visits").json()["columns"][0]["unit"] == "years"
        late = client.post("/setup/visits/budget", data={**why, "total": "9"})
        assert late.status_code == 422
        assert "is confirmed, and its ledger relies on what it says" in late.text
    facts = tomllib.loads((tmp_path / "visits.toml").read_text())
    assert facts["confirmed"] is True
    assert "A draft" not in (tmp_path / "visits.toml").read_text(), "it is none any more"
    assert facts["budget"] == {"total": "2.5", "analysts": {"ana": "0.5"}, "why": why["why"]}
    assert set(facts["columns"]) == {"age", "clinic"}
    places = [facts["source"], facts["privacy"], *facts["columns"].values()]
    assert {one["why"] for one in places} == {"the questionnaire"}
    assert examine_dataset(tmp_path / "visits.toml")[0] is not None
    left = {path.name for path in tmp_path.iterdir() if ".ledger" not in path.name}
    assert left == {"visits.xlsx", "visits.toml"}


def test_a_table_of_postgresql_is_set_up_and_asked(tmp_path: Path, postgres, monkeypatch):
    """The file names the variable that holds the address; address and password are nowhere."""
    database = postgres.database()
    postgres.sql("CREATE SCHEMA ward", database)
    postgres.sql(
        "CREATE TABLE ward.stays AS SELECT n AS patient, n % 90 AS age, "
        "CASE WHEN n % 2 = 0 THEN 'North' ELSE 'South' END AS clinic FROM generate_series(1, 60) n",
        database,
    )
    monkeypatch.setenv("WARD_URL", postgres.url(database))
    with set_up(tmp_path) as (client, key):
        _enter(client, key)
        csrf = _csrf(client)
        given = {"csrf": csrf, "key": "url_env", "value": "WARD_URL", "table": "ward.stays"}
        for wrong, told in (
            ({"value": "NOWHERE_URL"}, "NOWHERE_URL"),
            ({"table": "ward.nothing"}, "ward.nothing"),
            ({"table": "stays.of.ward"}, "with its schema"),
        ):
            reply = client.post("/setup/connect", data={**given, **wrong})
            assert reply.status_code == 422
            assert told in reply.text
        assert client.post("/setup/connect", data=given).url.path == "/setup/stays"
        told = client.get("/setup/stays.json").json()
        assert [one["name"] for one in told["seen"]["columns"]] == ["patient", "age", "clinic"]
        why = {"csrf": csrf, "why": "the register's own rules"}
        for step, facts in (
            ("source", {"name": "Stays"}),
            ("privacy", {"unit": "row", "neighbours": "change", "size_is": "public", "size": "60"}),
            ("budget", {"total": "2"}),
            ("columns/patient", {"keep": "no"}),
            ("columns/age", {"type": "integer", "low": "0", "high": "120", "gaps": "skip"}),
            ("columns/clinic", {"type": "category", "values": "North\nSouth", "gaps": "skip"}),
        ):
            reply = client.post(f"/setup/stays/{step}", data={**why, **facts})
            assert reply.status_code == 200, reply.text
        assert "Stays is served" in client.post("/setup/stays/finish", data={"csrf": csrf}).text
        headers = {"Idempotency-Key": "one"}
        body = {"sql": "SELECT COUNT(*) GROUP BY clinic", "epsilon": "2"}
        asked = client.post("/api/datasets/stays/ask", json=body, headers=headers)
        assert asked.status_code == 200, asked.text
        assert len(asked.json()["results"]) >= 2
    assert postgres.url(database) not in (tmp_path / "stays.toml").read_text()


def _uploaded(client: httpx.Client, name: str, content: bytes) -> httpx.Response:
    return client.post(
        "/setup/upload", data={"csrf": _csrf(client)}, files={"table": (name, content)}
    )


def _bomb() -> bytes:
    """A workbook of some KB whose sheet would unpack to three gigabytes."""
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr("xl/workbook.xml", "<workbook/>")
        with archive.open("xl/worksheets/sheet1.xml", "w", force_zip64=True) as part:
            block = b" " * (1 << 20)
            for _ in range(8):
                part.write(block)
    packed = bytearray(inner.getvalue())
    at = packed.find(b"PK\x01\x02", packed.find(b"PK\x01\x02") + 1)
    packed[at + 24 : at + 28] = (3_000_000_000).to_bytes(4, "little")
    return bytes(packed)


BAD = [
    ("bomb.xlsx", _bomb(), "unpacks to 2,861 MB"),
    ("million.csv", b",".join([b"c%d" % i for i in range(10**6)]) + b"\n1\n", "first line"),
    ("wide.csv", b",".join([b"c%d" % i for i in range(2_000)]) + b"\n1\n", "2,000 columns"),
    ("torn.xlsx", b"PK\x03\x04 no more", "it is damaged"),
    ("locked.xlsx", b"\xd0\xcf\x11\xe0" + bytes(600), "without a password"),
    ("text.xlsx", b"a,b\n1,2\n", "rename it to end in .csv"),
    ("empty.xlsx", b"", "it is empty"),
    ("torn.parquet", b"PAR1 and then nothing", "is not a Parquet file, or only a part of one"),
    ("bytes.csv", b"\x00\x01,\x02\x03" * 99, "is no text"),
    ("empty.csv", b"", "empty.csv"),
    ("only-names.csv", b"a,b\n", "has no rows"),
    ("twice.csv", b"a,a\n1,2\n", "a"),
]


@pytest.mark.parametrize(("name", "content", "told"), BAD, ids=[name for name, *_ in BAD])
def test_the_process_that_reads_says_in_one_line_what_is_wrong(tmp_path, name, content, told):
    (tmp_path / name).write_bytes(content)
    reply = perform({"do": "draft", "path": str(tmp_path / name), "table": None})
    assert set(reply) == {"problem"}
    assert told in reply["problem"]
    assert "\n" not in reply["problem"]


def test_bad_uploads_get_that_line_and_leave_nothing_behind(desk):
    client, folder, _ = desk
    before = sorted(folder.rglob("*")) + sorted(folder.parent.glob("*.csv"))
    unread = [BAD[0], BAD[4], ("program.exe", b"MZ", "must end in .csv")]
    for name, content, told in (
        *unread,
        ("../up.csv", b"", "up.csv"),
        ("a.db", b"", "must end in"),
    ):
        reply = _uploaded(client, name, content)
        assert reply.status_code == 422, reply.text
        found = re.search(r'role="alert"><strong>That did not work.</strong> (.*?)</p>', reply.text)
        assert found is not None
        assert told.lower() in found[1].lower()
        assert sorted(folder.rglob("*")) + sorted(folder.parent.glob("*.csv")) == before


def test_uploads_are_bounded_and_only_those_of_custodians_are_long(tmp_path: Path):
    with set_up(tmp_path, most_upload=2_000_000) as (client, key):
        assert _uploaded_raw(client, 300_000) == 413
        _enter(client, key)
        assert _uploaded(client, "big.csv", b"a\n" + b"1\n" * 1_500_000).status_code == 413
        assert _uploaded(client, "fine.csv", b"a,b\n" + b"1,2\n" * 80_000).status_code == 200
        assert (tmp_path / "fine.csv").stat().st_mode & 0o077 == 0
        again = _uploaded(client, "fine.csv", b"a\n1\n")
        assert again.status_code == 422
        assert "is in the folder already" in again.text
        assert client.post("/setup/choose", content=b"x" * 300_000).status_code == 413
    assert not (tmp_path / "big.csv").exists()


def _uploaded_raw(client: httpx.Client, size: int) -> int:
    return client.post("/setup/upload", content=b"x" * size).status_code


def test_a_workbook_of_several_sheets_is_asked_about(tmp_path: Path):
    book = openpyxl.load_workbook(_workbook(tmp_path / "visits.xlsx"))
    book.create_sheet("Notes").append(["a"])
    book.save(tmp_path / "visits.xlsx")
    with set_up(tmp_path) as (client, key):
        _enter(client, key)
        chosen = {"csrf": _csrf(client), "table": "visits.xlsx"}
        assert "Which one?" in client.post("/setup/choose", data=chosen).text
        reply = client.post("/setup/choose", data={**chosen, "inside": "Sheet"})
        assert reply.url.path == "/setup/visits"


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("pbc visits (2024).csv", "pbc-visits-2024.csv"),
        ("C:\\data\\März 24.XLSX", "M-rz-24.xlsx"),
        ("a.b c.csv.gz", "a.b-c.csv.gz"),
        ("../../etc/x.csv", "x.csv"),
        ("...csv", "table.csv"),
    ],
)
def test_an_upload_is_kept_under_a_name_that_urls_can_have(tmp_path, given, kept):
    desk = Desk(tmp_path)
    assert desk.save_upload(given, io.BytesIO(b"a\n1\n")) == tmp_path / kept
    assert [path.name for path in tmp_path.iterdir()] == [kept]
