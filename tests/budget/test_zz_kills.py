"""One ledger for several servers: many clients at once, and kills while they are served."""

import os
import subprocess
import sys
import textwrap
import threading
import time
from contextlib import contextmanager

KILLS = 20


RACER = """
    import sys
    from concurrent.futures import ThreadPoolExecutor
    from discreet.budget import Claim, Ledger, SharedBook, Single
    from discreet.connection import Connection
    from discreet.errors import OverBudget
    path, name, who = sys.argv[1:]
    book = SharedBook(Connection("url_env", "DISCREET_TEST_LEDGERS"), name)
    with Ledger(path, shared=book) as one:
        def ask(number):
            try:
                return one.answered(f"{who}-{number}", Claim(Single(1)), dict, analyst="a").new
            except OverBudget:
                return False
        with ThreadPoolExecutor(64) as pool:
            print(sum(pool.map(ask, range(300))))
"""


def started(code, *arguments):
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code), *map(str, arguments)],
        stdout=subprocess.PIPE, text=True,
    )  # fmt: skip


def test_two_servers_with_64_clients_each_share_the_last_unit_exactly(server, book, tmp_path):
    server("one", "0.000000401").close()
    (tmp_path / "two").mkdir()
    racing = [started(RACER, tmp_path / who / "survey.ledger", book.name, who)
              for who in ("one", "two")]  # fmt: skip
    granted = [int(one.communicate(timeout=120)[0]) for one in racing]
    with server("one") as ledger:
        assert sum(granted) == ledger.balance().spent == 401
        assert ledger.audit().clean


SERVING = """
    import sys, threading
    from discreet.budget import Claim, Ledger, SharedBook, Single
    from discreet.connection import Connection
    from discreet.errors import LedgerError
    path, name, who = sys.argv[1:]
    book = SharedBook(Connection("url_env", "DISCREET_TEST_LEDGERS"), name)
    with Ledger(path, shared=book) as one:
        said = threading.Lock()
        def client(client):
            for number in range(10**6):
                id = f"{who}-{client}-{number}"
                try:
                    told = one.answered(id, Claim(Single(1)), lambda: {"v": id}, analyst="a")
                except LedgerError:
                    continue
                with said:
                    print(id, told.answer["v"], told.new, flush=True)
        for number in range(8):
            threading.Thread(target=client, args=(number,), daemon=True).start()
        threading.Event().wait()
"""


def round_of(kill, serving, postgres):
    """What two servers told before and after the database was killed, until they are."""
    lines = [one.stdout.readline() for one in serving]
    time.sleep(0.05 + 0.01 * (kill % 20))
    if kill % 3 != 1:
        postgres.kill()
        time.sleep(0.05)
        postgres.start()
        lines += [one.stdout.readline() for one in serving]
    for one in serving:
        one.kill()
    lines += [line for one in serving for line in one.communicate()[0].splitlines(True)]
    return [line.split() for line in lines if line.endswith("\n")]


@contextmanager
def ended_after(seconds, processes):
    """Nobody waits longer for what these say."""
    clock = threading.Timer(seconds, lambda: [one.kill() for one in processes])
    clock.start()
    try:
        yield
    finally:
        clock.cancel()


def test_killed_servers_and_a_killed_database_lose_no_charge_of_a_told_answer(
    server, book, postgres, tmp_path
):
    server("one", "100").close()
    (tmp_path / "two").mkdir()
    told = []
    for kill in range(KILLS):
        serving = [started(SERVING, tmp_path / who / "survey.ledger", book.name, f"{who}{kill}")
                   for who in ("one", "two")]  # fmt: skip
        with ended_after(120, serving):
            told += round_of(kill, serving, postgres)
    with server("one") as ledger:
        assert ledger.audit().clean
        stored = {
            entry.question: entry.facts() for entry in ledger.entries() if entry.kind == "answer"
        }
    assert len({question for question, _, _ in told}) == len(told) >= 2 * KILLS
    for question, value, new in told:
        assert stored[question] == {"v": value}
        assert new == "True"
