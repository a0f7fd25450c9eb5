"""Whole questions at random for as long as one likes: asked, and asked of neighbouring tables.

    python tests/lab/asks.py fuzz 600           # any sentence is answered, or refused for nothing
    python tests/lab/asks.py neighbours 600     # whatever is asked, neighbours look alike

Many are asked in one process. What is found goes to standard output as one line of JSON and is
added to asks.json, of which the security report is made; the exit code is 1 where a law broke, and
the sentence that broke it is in both.
"""

import fcntl
import json
import os
import random
import resource
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from functools import partial
from itertools import combinations
from pathlib import Path

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).parents[1]))

from asked_at_random import LONGEST, ask_at_random, write_survey
from discreet.curator import open_dataset
from neighbouring import ADDED, CHANGED, PERSON, lines, rows, seen_of, write_table
from question_grammar import QUESTIONS, SPOILT

TOGETHER = 200
"""So many are made at a time; a ledger is asked so many and thrown away."""
PRICES = ("0.00001", "0.003", "0.1", "1.5")
SIZES = (3, 6, 30, 1000, 1000, 1000, 1000)
"""Rows of the survey: few are planned by whole tables, which takes longer."""
SLOW = 5.0
"""Seconds of processor time that no question should take."""
MOST_TOLD = 20
ASKED_OF_EACH = 2
"""How many questions each pair of tables is asked."""
POOL = 40
"""From so many they are taken, so that plans are made once for several pairs."""
OTHERS = 9
"""Each table is compared with so many neighbours of its own, and looked at once."""
ANY_TWO = (*CHANGED, PERSON.format("change"))
"""What is said of tables any two of which are neighbours: one row or person is another in each."""
RECORD = Path(__file__).with_name("asks.json")


def _made(strategy, many, number):
    """Some examples of a strategy, quickly: nothing is shrunk or kept."""
    found = []

    @seed(number)
    @settings(
        max_examples=many,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(strategy)
    def collect(one):
        found.append(one)

    collect()
    return found


def _too_long(*_):
    raise TimeoutError(f"over {10 * LONGEST:g} seconds of the clock")


def _peak():
    """The most memory that this process ever held, in megabytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10


class Run:
    """What was tried and what came of it."""

    def __init__(self, law, seconds, number):
        self.law, self.until, self.number = law, time.monotonic() + seconds, number
        self.counts, self.slowest, self.broken, self.slow = Counter(), (0.0, ""), [], []
        self.hungriest = 0, ""
        self.folder = Path(tempfile.mkdtemp(prefix="asks-"))
        os.environ["DISCREET_CACHE"] = str(self.folder / "designs")
        signal.signal(signal.SIGALRM, _too_long)

    @property
    def goes_on(self):
        return time.monotonic() < self.until and len(self.broken) < MOST_TOLD

    def tried(self, sql, law, tables=1):
        """What is asked of some tables, held to a law; whatever breaks it is noted."""
        started, before = time.process_time(), _peak()
        signal.alarm(int(10 * LONGEST))  # of the clock: the machine may be busy
        try:
            self.counts[law()] += 1
        except Exception as problem:
            self.broken.append(f"{type(problem).__name__}: {problem} — {sql}"[:2000])
        finally:
            signal.alarm(0)
        took = round(time.process_time() - started, 2), str(sql)
        self.slowest = max(self.slowest, took)
        self.hungriest = max(self.hungriest, (_peak() - before, str(sql)))
        if took[0] > SLOW * tables:
            self.slow.append(took)

    def told(self):
        shutil.rmtree(self.folder, ignore_errors=True)
        seconds, text = self.slowest
        told = {"seed": self.number, **self.counts, "slowest": seconds, "of": text}
        used = round(time.process_time()), _peak()
        told |= dict(zip(("processor_seconds", "megabytes"), used, strict=True))
        told["raised the peak most"] = self.hungriest
        print(json.dumps(told | {"broken": self.broken, "slow": self.slow}), flush=True)
        self._written(used)
        return bool(self.broken or self.slow)

    def _written(self, used):
        """Added to what earlier runs found."""
        with RECORD.open("r+", encoding="utf-8") as file:
            fcntl.flock(file, fcntl.LOCK_EX)  # both laws may be tried at once
            record = json.loads(file.read())
            sums = record.setdefault(self.law, {})
            more = {
                "broken": len(self.broken),
                "slow": len(self.slow),
                "processor_seconds": used[0],
            }
            for name, many in (Counter(more) + self.counts).items():
                sums[name] = sums.get(name, 0) + many
            for text in (*self.broken, *map(str, self.slow)):  # to be looked into by hand
                sums.setdefault("found", []).append(text)
            sums["slowest"] = max(sums.get("slowest", 0), self.slowest[0])
            sums["megabytes"] = max(sums.get("megabytes", 0), used[1])
            file.seek(0)
            file.truncate()
            file.write(json.dumps(record, indent=1) + "\n")


def fuzz(run):
    """Any sentence is answered within its price, or refused in one line for nothing."""
    sentences = st.one_of(QUESTIONS, QUESTIONS, SPOILT)
    dice, number = random.Random(run.number), run.number
    while run.goes_on:
        number += 1
        price, size = dice.choice(PRICES), dice.choice(SIZES)
        file = write_survey(Path(tempfile.mkdtemp(dir=run.folder)), size)
        with open_dataset(file, analyst="tester") as survey:
            for sql in _made(sentences, TOGETHER, number):
                run.tried(sql, partial(_came_of, survey, sql, price))
                if not run.goes_on:
                    break


def _came_of(survey, sql, price):
    answer = ask_at_random(survey, sql, price)
    return "refused" if answer is None else "free" if answer.free else "charged"


def _changed(data):
    content, others, place = data
    at = place % len(content)
    return [content, *([*content[:at], other, *content[at + 1 :]] for other in others)]


def _added(data):
    content, others, place = data
    at = place % (len(content) + 1)
    return [content, *([*content[:at], other, *content[at:]] for other in others)]


def _joined(data):
    content, several = data
    return [
        content,
        *([*((b"somebody else", *row[1:]) for row in theirs), *content] for theirs in several),
    ]


def _several(one):
    return st.lists(one, min_size=OTHERS, max_size=OTHERS)


others, places = _several(st.one_of(rows, lines)), st.integers(0, 20)
STARS = st.one_of(
    st.tuples(
        st.tuples(st.lists(rows, min_size=1, max_size=5), others, places).map(_changed),
        st.sampled_from(CHANGED),
    ),
    st.tuples(st.tuples(st.lists(rows, max_size=6), others, places).map(_added), st.just(ADDED)),
    st.tuples(
        st.tuples(st.lists(rows, max_size=5), _several(st.lists(rows, max_size=4))).map(_joined),
        st.sampled_from([PERSON.format(one) for one in ("change", "add-or-remove")]),
    ),
)
"""A table and neighbours of it, and what their dataset file says of how they may differ."""


def neighbours(run):
    """Whatever is asked, two neighbouring tables look alike but for what was drawn."""
    dice, number = random.Random(run.number), run.number
    while run.goes_on:
        number, price = number + 1, dice.choice(PRICES)
        pool = sorted(set(_made(QUESTIONS, POOL, number)))
        for tables, privacy in _made(STARS, TOGETHER // OTHERS, number):
            questions = dict.fromkeys(dice.sample(pool, ASKED_OF_EACH), price)
            alike = partial(_look_alike, run, tables, privacy, questions)
            run.tried((tables, privacy, questions), alike, len(tables))
            if not run.goes_on:
                break


def _look_alike(run, tables, privacy, questions):
    folder = run.folder / "star"
    folder.mkdir()
    try:
        said = privacy.format(len(tables[0]))
        first, *rest = (
            seen_of(write_table(folder / str(at), rows, said), questions)
            for at, rows in enumerate(tables)
        )
    finally:
        shutil.rmtree(folder)
    for place, other in enumerate(rest, 1):
        assert first == other, f"table {place}: " + next(
            f"{one} but {two}" for one, two in zip(first, other, strict=False) if one != two
        )
    answered = sum(one[0] == "plan" for one in first) - sum(one[0] == "refused" for one in first)
    run.counts["answered"] += max(answered, 0)
    run.counts["questions"] += len(questions)
    run.counts["pairs"] += _pairs(tables, privacy)
    return "tables"


def _pairs(tables, privacy):
    """How many pairs of neighbours that differ are among tables that all look alike."""
    if privacy not in ANY_TWO:
        return sum(one != tables[0] for one in tables[1:])
    return sum(one != other for one, other in combinations(tables, 2))


if __name__ == "__main__":
    law, seconds = {"fuzz": fuzz, "neighbours": neighbours}[sys.argv[1]], float(sys.argv[2])
    number = int(sys.argv[3]) if len(sys.argv) > 3 else random.SystemRandom().randrange(10**9)
    started = Run(law.__name__, seconds, number)
    law(started)
    sys.exit(started.told())
