"""With an anchor elsewhere, ledger and anchor put back or deleted together are noticed too."""

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from discreet.budget import (
    ANCHOR,
    AnchorCommand,
    AnchorFile,
    AnchorUrl,
    Beginning,
    Claim,
    Premises,
    Single,
)
from discreet.budget.entries import Head, Mark
from discreet.errors import DatasetError, LedgerError, Remedy
from ledger_stores import Ledger, acknowledge, copied, put_back

KILLS = 60 if os.environ.get("DISCREET_SOAK") else 4
KEEPING = 'if [ "$2" = read ]; then cat "$1" 2> /dev/null; true; else cat > "$1"; fi'
KEPT: dict[str, bytes] = {}


class _Vault(BaseHTTPRequestHandler):
    def do_GET(self):
        found = KEPT.get(self.path)
        self.send_response(404 if found is None else 200)
        self.end_headers()
        self.wfile.write(found or b"")

    def do_PUT(self):
        KEPT[self.path] = self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def vault():
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Vault)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture(params=["file", "command", "url", "file, ledger in PostgreSQL"])
def second(request, tmp_path):
    (tmp_path / "vault").mkdir()
    if "PostgreSQL" in request.param:
        request.getfixturevalue("in_postgresql")
    if request.param.startswith("file"):
        return AnchorFile(tmp_path / "vault" / "kept")
    if request.param == "command":
        (tmp_path / "vault" / "keep").write_text(KEEPING)
        return AnchorCommand.of(f"/bin/sh '{tmp_path}/vault/keep' '{tmp_path}/vault/kept'")
    return AnchorUrl.of(f"{request.getfixturevalue('vault')}/{tmp_path.name}")


@pytest.fixture
def held(tmp_path, second):
    """How a ledger with a second anchor is opened."""
    premises = Premises({"privacy.unit": "row", ANCHOR: second.place})
    (tmp_path / "books").mkdir()

    def opening(total="1"):
        return Ledger.open_or_create(
            tmp_path / "books" / "survey.ledger", total, {"ana": "1"},
            premises=premises, second_anchor=second,
        )  # fmt: skip

    return opening


def ask(ledger, question, draw=lambda: {"value": "3"}):
    return ledger.answered(question, Claim(Single(100)), draw, analyst="ana")


def _books(tmp_path):
    return tmp_path / "books"


def test_it_has_the_newest_entry_before_an_answer_is_released(held, second):
    with held() as ledger:
        assert second.read().head.seq == 3
        for number in range(3):
            ask(ledger, f"q{number}")
            newest = ledger.entries()[-1]
            assert second.read() == Mark(newest.head, 100 * (number + 1))


def test_ledger_and_anchor_put_back_together_are_refused(held, tmp_path):
    with held() as ledger:
        ask(ledger, "a")
    path = _books(tmp_path) / "survey.ledger"
    head = path.with_name("survey.ledger.head")
    older, before = copied(path), head.read_bytes()
    with held() as ledger:
        ask(ledger, "b")
    put_back(path, older)
    head.write_bytes(before)
    with pytest.raises(LedgerError, match="older or another copy: entry 7 was written") as refused:
        held()
    assert refused.value.remedy is Remedy.ACKNOWLEDGE_LOSS


def test_ledger_and_anchor_deleted_together_do_not_begin_anew(held, tmp_path, second):
    with held() as ledger:
        ask(ledger, "a")
    path = _books(tmp_path) / "survey.ledger"
    put_back(path, None)
    path.with_name("survey.ledger.head").unlink()
    with pytest.raises(LedgerError, match="older or another copy"):
        held()
    beginning = Beginning(budgets={"": 10**9, "ana": 10**9})
    loss = acknowledge(path, beginning=beginning, second_anchor=second)
    assert (loss.kept, loss.anchored, loss.billionths) == (0, 5, 100)
    with held() as ledger:
        assert ledger.balance().spent == 100
        assert ask(ledger, "b").new
        assert ledger.audit().clean


def _break(second, monkeypatch, what):
    """Reading or writing fails from now on."""

    def failing(*_):
        raise LedgerError(f"the second anchor cannot be {what}: out of reach")

    monkeypatch.setattr(type(second), "read" if what == "read" else "write", failing)


def test_out_of_reach_before_the_charge_nothing_is_charged(held, second, monkeypatch):
    with held() as ledger:
        ask(ledger, "a")
        with monkeypatch.context() as broken:
            _break(second, broken, "read")
            with pytest.raises(LedgerError, match="cannot be read"):
                ask(ledger, "b", lambda: pytest.fail("drawn"))
        assert ledger.balance().spent == 100
        assert ask(ledger, "b").new


def test_out_of_reach_after_the_charge_nothing_is_told_until_it_is_back(held, second, monkeypatch):
    with held() as ledger:
        with monkeypatch.context() as broken:
            _break(second, broken, "written")
            with pytest.raises(LedgerError, match="cannot be written"):
                ask(ledger, "a")
            with pytest.raises(LedgerError, match="cannot be written"):
                ledger.answer("a")
            with pytest.raises(LedgerError, match="cannot be written"):
                ask(ledger, "a")
        assert ledger.answer("a") == {"value": "3"}
        assert second.read().head == ledger.entries()[-1].head
        assert ask(ledger, "a").new is False
        assert ledger.balance().spent == 100


def test_what_another_process_left_unmarked_is_marked_before_it_is_told(held, second, monkeypatch):
    with held() as ledger, held() as other:
        with monkeypatch.context() as broken:
            _break(second, broken, "written")
            with pytest.raises(LedgerError):
                ask(other, "a")
        assert ledger.answer("a") == {"value": "3"}
        assert second.read().head == ledger.entries()[-1].head


def test_an_emptied_second_anchor_is_refused(held, second, tmp_path):
    with held() as ledger:
        ask(ledger, "a")
    if isinstance(second, AnchorUrl):
        KEPT.clear()
    else:
        (tmp_path / "vault" / "kept").unlink()
    with pytest.raises(LedgerError, match="the second anchor is empty"):
        held()
    acknowledge(_books(tmp_path) / "survey.ledger", "0", second_anchor=second)
    with held() as ledger:
        assert ask(ledger, "b").new


def test_a_damaged_second_anchor_is_refused_in_one_line(held, second, tmp_path):
    with held() as ledger:
        ask(ledger, "a")
    if isinstance(second, AnchorUrl):
        KEPT.update(dict.fromkeys(KEPT, b"<html>"))
    else:
        (tmp_path / "vault" / "kept").write_bytes(b"\xff\0 nonsense")
    with pytest.raises(LedgerError, match="holds no mark") as refused:
        held()
    assert refused.value.remedy is Remedy.ACKNOWLEDGE_LOSS
    acknowledge(_books(tmp_path) / "survey.ledger", "all", second_anchor=second)
    with held() as ledger:
        assert ledger.balance().left == 0


def test_a_ledger_that_has_charges_may_get_a_second_anchor(tmp_path, second):
    path = tmp_path / "survey.ledger"
    with Ledger.create(path, "1") as ledger:
        ask(ledger, "a")
    premises = Premises({"privacy.unit": "row", ANCHOR: second.place})
    with Ledger(path, premises=premises, second_anchor=second) as ledger:
        assert second.read().head == ledger.entries()[-1].head
        ask(ledger, "b")
        assert second.read().head == ledger.entries()[-1].head


ASKER = """
    import itertools, os, sys
    from pathlib import Path
    from discreet.budget import ANCHOR, AnchorFile, Claim, Premises, Single
    from ledger_stores import Ledger
    second = AnchorFile(Path(sys.argv[2]))
    premises = Premises({ANCHOR: second.place})
    with Ledger.open_or_create(
        sys.argv[1], "1", {"ana": "0.5"}, premises=premises, second_anchor=second
    ) as ledger:
        for number in itertools.count():
            name = f"{os.getpid()}-{number}"
            ledger.answered(name, Claim(Single(1)), lambda: {"value": str(number)}, analyst="ana")
            print(name, number, flush=True)
"""


def test_a_kill_at_any_moment_leaves_every_released_answer_marked(either, tmp_path):
    """And the anchors are never ahead of the ledger: nobody has to acknowledge a crash."""
    path, kept = tmp_path / "survey.ledger", tmp_path / "kept"
    second = AnchorFile(kept)
    premises = Premises({ANCHOR: second.place})
    for kill in range(KILLS):
        words = [sys.executable, "-c", textwrap.dedent(ASKER), str(path), str(kept)]
        here = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}
        with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=here) as asker:
            assert asker.stdout is not None
            if kill % 2:
                time.sleep(0.2 + 0.02 * kill)
                first = ""
            else:
                first = asker.stdout.readline()
            asker.send_signal(signal.SIGKILL)
            lines = (first + asker.stdout.read()).splitlines(keepends=True)
        mark = second.read()
        with Ledger.open_or_create(
            path, "1", {"ana": "0.5"}, premises=premises, second_anchor=second
        ) as ledger:
            assert ledger.balance("ana").allowed == 5 * 10**8
            assert ledger.audit().clean
            places = {one.question: one.seq for one in ledger.entries() if one.kind == "answer"}
        released = [line.split()[0] for line in lines if line.endswith("\n")]
        assert all(mark is not None and places[name] <= mark.head.seq for name in released)


@pytest.mark.parametrize(
    "make",
    [
        lambda: AnchorUrl.of("file:///etc/passwd"),
        lambda: AnchorUrl.of("http://vault.example/head"),
        lambda: AnchorUrl.of("https://"),
        lambda: AnchorUrl.of("https://[::1"),
        lambda: AnchorUrl.of("https://vault.example/a b"),
        lambda: AnchorCommand.of("  "),
        lambda: AnchorCommand.of("keep 'head"),
    ],
)
def test_what_is_no_anchor_is_one_line(make):
    with pytest.raises(DatasetError) as refused:
        make()
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    "second",
    [
        AnchorCommand.of("no-such-command"),
        AnchorCommand.of("false"),
        AnchorUrl.of("http://127.0.0.1:1/head"),
    ],
)
def test_an_anchor_that_cannot_be_read_makes_no_ledger(tmp_path, second):
    with pytest.raises(LedgerError, match=r"cannot be read.*nothing was charged"):
        Ledger.create(tmp_path / "survey.ledger", "1", second_anchor=second)
    with pytest.raises(LedgerError, match="cannot be read"):
        Ledger.open_or_create(tmp_path / "survey.ledger", "1", second_anchor=second)


def test_a_folder_that_is_not_there_is_told(tmp_path):
    second = AnchorFile(tmp_path / "unplugged" / "survey.head")
    with pytest.raises(LedgerError, match="there is no folder"):
        second.read()
    with pytest.raises(LedgerError, match="cannot be written"):
        second.write(Mark(Head(1, "a" * 64), 0))
