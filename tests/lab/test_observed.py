"""All that can be seen of an answer is alike for neighbouring tables, whatever was asked and where.

Every kind of question over every front end: exit codes, status, headers, all fields but those that
were drawn, and which files are read, in what order and how far. What is told of one table alone,
and a read that depends on a row, are planted and found.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from collections import Counter, defaultdict

import pytest
from typer.testing import CliRunner

from discreet.cli import app
from discreet.curator.result import Result
from neighbouring import seen_of
from served_api import make_dataset, serving

SIZE = 30
ROWS = tuple(f"{1 + place % 5},{'AB'[place % 2]}" for place in range(SIZE))
OTHER = (*ROWS[:-1], "1,A")
"""The last row at the other ends of its columns, in as many bytes."""
assert ROWS[-1] == "5,B"
KINDS = (
    "SELECT COUNT(mood > 2)",
    "SELECT SHARE(mood > 2) WHERE clinic = 'A'",
    "SELECT SUM(mood)",
    "SELECT AVG(mood) WHERE clinic = 'A'",
    "SELECT MIN(mood), MAX(mood)",
    "SELECT MEDIAN(mood) GROUP BY clinic",
    "SELECT QUARTILES(mood)",
    "SELECT IQR(mood)",
    "SELECT SPREAD(mood)",
    "SELECT MODE(clinic)",
    "SELECT TOP(clinic, 2)",
    "SELECT VARIANCE(mood)",
    "SELECT CORR(mood, mood * mood)",
    "SELECT COUNT(DISTINCT clinic)",
    "SELECT COUNT(*) GROUP BY CUBE(clinic, mood)",
    "SELECT COUNT(*) GROUP BY CUMULATIVE(mood)",
    "SELECT COUNT(*) AS n GROUP BY mood HAVING n > 3 ORDER BY n DESC LIMIT 2",
    "SELECT COUNT(mood > 1), AVG(mood), MEDIAN(mood) WHERE clinic = 'B'",
)
EPSILON = "0.5"
DRAWN = {
    "value", "exact", "interval", "exact_interval", "bound", "sentence", "percentiles", "surer",
    "rows_about", "rows_within", "run", "mean", "whole_range", "told", "drawn", "body",
    "too_few_rows", "interval_if_prior_holds", "exact_interval_if_prior_holds", "remarks",
}  # fmt: skip
MADE = {
    "at",
    "hash",
    "previous",
    "made",
    "published",
    "id",
    "release",
    "seconds",
    "entries",
    "head",
}
"""What no two runs have in common: moments, hashes and names by chance."""


def outline(value, *, view=False):
    """A document without what was drawn; of a view, also without what noise chose to show."""
    if isinstance(value, dict):
        hidden = DRAWN | MADE | ({"results", "groups", "tables"} if view else set())
        return {key: outline(one, view=view) for key, one in value.items() if key not in hidden}
    if isinstance(value, list):
        return [outline(one, view=view) for one in value]
    return value


def looked_at(reply, *, view=False):
    """What a reply shows but for what was drawn."""
    chance = ("date", "content-length", "content-disposition")
    headers = sorted((name, told) for name, told in reply.headers.items() if name not in chance)
    return reply.status_code, headers, outline(reply.json(), view=view)


def by_python(folder, rows):
    """Asked in Python: plans, answers, refusals and the ledger."""
    return seen_of(make_dataset(folder, rows=rows, total="60"), dict.fromkeys(KINDS, EPSILON))


def by_command(folder, rows):
    """Asked by the command line, and reported."""
    file, found, runner = make_dataset(folder, rows=rows, total="60"), [], CliRunner()

    def said(*words, view):
        done = runner.invoke(app, [str(word) for word in (*words, "--json")])
        told = json.loads(done.stdout.replace(str(folder), ""))
        found.append((done.exit_code, done.stderr, outline(told, view=view)))

    for place, sql in enumerate(KINDS):
        asked = ("--epsilon", EPSILON, "--yes", "--id", place, "--analyst", "ana")
        said("ask", file, sql, *asked, view="LIMIT" in sql)
    said("report", file, "--out", folder / "report", view=True)
    said("ledger", "verify", file, view=True)
    return found


def by_server(folder, rows):
    """Asked one by one, in a basket, put together as a release, and read as everybody may."""
    found, at = [], "/api/datasets/survey"
    with serving(folder, rows=rows) as api:
        api.service.every_dataset()[0].curator.ledger.allow("ana", "20")
        for place, sql in enumerate(KINDS):
            body = {"sql": sql, "epsilon": EPSILON}
            for reply in (api.post("ana", f"{at}/plan", body), api.ask("ana", body, str(place))):
                found.append(looked_at(reply, view="LIMIT" in sql))
        fresh = {"questions": [{"sql": sql} for sql in KINDS[:-2]], "total": "4", "fresh": True}
        basket = api.post("ana", f"{at}/ask-batch", fresh, headers={"Idempotency-Key": "all"})
        found.append(looked_at(basket))
        receipts = [f"ana:{place}" for place in range(len(KINDS))]
        chosen = {"receipt": receipts, "title": "All"}
        made = api.call("ana", "POST", "/datasets/survey/releases", data=chosen)
        here = made.headers["location"]
        api.call("otto", "POST", f"{here}/publish", data={"whole": "1"})
        for end in (".json", "/proof.json", "/report.json"):
            found.append(looked_at(api.get(None, here + end), view=True))
        for end in ("", "/verify", "/report.html", "/report.md"):
            found.append(api.get(None, here + end).status_code)
        found.append(looked_at(api.get("ana", f"{at}/answers"), view=True))
    return found


FRONT_ENDS = {"python": by_python, "command line": by_command, "server": by_server}


def both(folder, seen):
    """What is seen of either table."""
    told = []
    for name, rows in (("one", ROWS), ("other", OTHER)):
        (folder / name).mkdir()
        told.append(seen(folder / name, rows))
    return told


@pytest.mark.parametrize("name", FRONT_ENDS)
def test_neighbours_look_alike_wherever_whatever_is_asked(tmp_path, name):
    one, other = both(tmp_path, FRONT_ENDS[name])
    assert len(one) == len(other) > len(KINDS)
    for mine, yours in zip(one, other, strict=True):
        assert mine == yours


@pytest.mark.parametrize("name", FRONT_ENDS)
def test_what_is_told_of_one_table_alone_is_found(tmp_path, name, monkeypatch):
    """The planted fault: the mechanism is named otherwise for one of the tables."""
    monkeypatch.setattr(f"{__name__}.KINDS", KINDS[:3])
    plain = Result.to_dict

    def seen(folder, rows):
        if rows == OTHER:
            monkeypatch.setattr(
                Result, "to_dict", lambda self: {**plain(self), "mechanism": "another"}
            )
        return FRONT_ENDS[name](folder, rows)

    one, other = both(tmp_path, seen)
    assert one != other


ASKING = """
import sys
from discreet.curator import open_dataset
file, planted, *kinds = sys.argv[1:]
with open_dataset(file, analyst="ana") as survey:
    for sql in kinds:
        survey.sql(sql).ask(epsilon=1)
rows = open(file.replace("toml", "csv")).read() if planted == "planted" else ""
if rows.endswith("A\\n"):
    open(file).read()
"""


def reads_of(folder, rows, planted=""):
    """By file: how often it was opened, and how far it was read in order, as the kernel saw it.

    A thread that opens a file may overtake one that reads it, whatever the rows are.
    """
    file, trace = make_dataset(folder, rows=rows, total="60"), folder / "trace"
    watched = ["strace", "-f", "-y", "-qq", "-o", trace, "-e", "trace=openat,read,pread64,readv"]
    subprocess.run(
        [*watched, sys.executable, "-c", ASKING, file, planted, *KINDS],
        check=True, env={**os.environ, "DISCREET_CACHE": str(folder.parent / "designs")},
    )  # fmt: skip
    opened, read = Counter(), defaultdict(list)
    for line in trace.read_text(errors="replace").splitlines():
        told = re.search(r"(openat|p?read(?:64|v)?)\(.*= (-?\d+)(?:<([^>]*)>)?", line)
        path = re.search(rf"{folder}/([\w.-]+)", line)
        if told and path:
            if told[1] == "openat":
                opened[path[1]] += 1
            else:
                read[path[1]].append((told[1], int(told[2])))
    return {file: (times, read[file]) for file, times in opened.items()}


@pytest.mark.skipif(not shutil.which("strace"), reason="strace is not installed")
def test_files_are_read_alike_for_neighbouring_tables(tmp_path):
    """Number, order and length of the reads of every file, for every kind of question."""
    (tmp_path / "warm").mkdir()
    reads_of(tmp_path / "warm", ROWS)  # designs are kept
    one, other = both(tmp_path, reads_of)
    assert one == other
    assert {"survey.csv", "survey.toml", "survey.ledger"} <= set(one)


@pytest.mark.skipif(not shutil.which("strace"), reason="strace is not installed")
def test_a_read_that_depends_on_a_row_is_found(tmp_path, monkeypatch):
    monkeypatch.setattr(f"{__name__}.KINDS", KINDS[:1])
    one, other = both(tmp_path, lambda folder, rows: reads_of(folder, rows, "planted"))
    assert one != other
