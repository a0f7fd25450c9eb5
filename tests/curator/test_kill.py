"""A kill at any moment of an ask: no answer without its charge, no torn entry."""

import itertools
import os
import signal
import subprocess
import sys
import time

from discreet.budget import audit
from discreet.curator import open_dataset

KILLS = 200 if os.environ.get("DISCREET_SOAK") else 5

ASKER = """
import itertools, os, sys
from discreet.curator import open_dataset
with open_dataset(sys.argv[1], analyst="killed") as survey:
    for number in itertools.count():
        name = f"{os.getpid()}-{number}"
        answer = survey.count("smokes").ask(epsilon="0.001", id=name)
        print(name, answer.value, flush=True)
"""


def test_a_kill_during_an_ask_loses_no_charge(make):
    file = make(total="100")
    released = []
    for kill in range(KILLS):
        with subprocess.Popen(
            [sys.executable, "-c", ASKER, str(file)], stdout=subprocess.PIPE, text=True
        ) as asker:
            assert asker.stdout is not None
            first = asker.stdout.readline()
            time.sleep(0.001 * (kill * 13 % 60))
            asker.send_signal(signal.SIGKILL)
            lines = (first + asker.stdout.read()).splitlines(keepends=True)
        released += [line.split() for line in lines if line.endswith("\n")]
    assert len(released) >= KILLS
    with open_dataset(file, analyst="killed") as survey:
        ledger = survey.curator.ledger
        found = audit(ledger.entries())
        assert found.clean
        assert ledger.balance().spent == found.spent[""]
        for name, value in released:
            assert survey.count("smokes").ask(epsilon="0.001", id=name).value == int(value)
        assert ledger.balance().spent == found.spent[""]
        charged = {entry.question for entry in ledger.entries() if entry.kind == "charge"}
        answered = {entry.question for entry in ledger.entries() if entry.kind == "answer"}
        assert answered <= charged
        assert len(charged - answered) <= KILLS
        for name in itertools.islice(charged - answered, 3):
            survey.count("smokes").ask(epsilon="0.001", id=name)
        assert ledger.balance().spent == found.spent[""]
