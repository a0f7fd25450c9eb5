"""Write docs/security-report.md from the runs: `python tests/lab/report.py`.

Figures come from campaigns.json (tests/attack/campaign.py), mutants/results.json (run.py there) and
others.json, which holds what was run by hand; faults.json is written by killing.py and
failing_disk.py.
"""

import json
import tomllib
from collections import Counter
from pathlib import Path

HERE = Path(__file__).parent
PAGE = HERE.parents[1] / "docs" / "security-report.md"


def page():
    """The page, from what was written down."""
    runs = json.loads((HERE / "campaigns.json").read_text(encoding="utf-8"))
    mutants = json.loads((HERE / "mutants" / "results.json").read_text(encoding="utf-8"))
    others = json.loads((HERE / "others.json").read_text(encoding="utf-8"))
    faults = json.loads((HERE / "faults.json").read_text(encoding="utf-8"))
    parts = [
        *(_head(), _campaigns(runs), _mutants(mutants), _faults(faults), _others(others)),
        *(_kept(), _rest()),
    ]
    return "\n".join(line for part in parts for line in part) + "\n"


def _head():
    return [
        "# Security report",
        "",
        "What was tried, how often, with what result. This page is written by "
        "`tests/lab/report.py` from the runs themselves.",
        "",
    ]


def _campaigns(runs):
    sums = {
        name: sum(run[name] for run in runs)
        for name in ("questions", "refused", "tables", "pairs", "broken", "processor_seconds")
    }
    ways = Counter()
    for run in runs:
        ways.update(run["mechanisms"])
    largest = max(run["largest"] for run in runs)
    return [
        "## By exact law",
        "",
        "Random questions over random small datasets, each plan's own draw code followed along all "
        "that chance may say, for neighbouring tables ([how](explanation/attack.md)).",
        "",
        "| what | figure |",
        "| --- | --- |",
        f"| questions attacked | {sums['questions']:,} |",
        f"| questions that were refused | {sums['refused']:,} |",
        f"| tables | {sums['tables']:,} |",
        f"| pairs of neighbours | {sums['pairs']:,} |",
        f"| largest loss, as a share of the charge | {largest:.8f} |",
        f"| questions that raised an alarm | {sums['broken']:,} |",
        f"| processor time | {sums['processor_seconds'] // 60} minutes |",
        "",
        "A loss of 1 is what is charged; what is above it is how well chances are known that are "
        "added up in floating point. The largest is over all questions without an alarm.",
        "",
        *(line for run in runs if "note" in run for line in (run["note"], "")),
        "| mechanism | statistics |",
        "| --- | --- |",
        *(f"| {title} | {many:,} |" for title, many in ways.most_common()),
        "",
    ]


def _mutants(found):
    kept = Counter(file.stem for file in (HERE / "mutants").glob("*.toml") for _ in _laws(file))
    lines = [
        "## By mutation",
        "",
        "Changes of the source that would break a law, each tried against the tests that must "
        "notice (`tests/lab/mutants/`).",
        "",
        "| room | kept as data | tried | killed |",
        "| --- | --- | --- | --- |",
    ]
    for room in sorted(kept):
        mine = [one for one in found.values() if one["room"] == room]
        killed = sum(one["killed_by"] is not None for one in mine)
        lines.append(f"| {room} | {kept[room]} | {len(mine)} | {killed} |")
    left = [law for law, one in found.items() if one["killed_by"] is None]
    untried = sum(kept.values()) - len(found)
    lines += [
        "",
        f"Survivors among those tried: {'; '.join(left) if left else 'none'}."
        + (f" Not tried yet: {untried}." if untried else ""),
        "",
        "A mutant that survived the tests first named for it is kept, and counts as killed once a "
        "test was written or named that notices it: this table says what is noticed today, not "
        "how many faults were noticed before anybody looked.",
        "",
    ]
    return lines


def _laws(file):
    return tomllib.loads(file.read_text(encoding="utf-8"))["mutant"]


def _faults(found):
    words = {
        "kills": "kills", "cuts": "power cuts", "rounds": "rounds",
        "undone": "writes undone in part", "told": "answers told",
        "lacking": "told and lacking in the ledger",
        "unanswered": "charged without an answer", "unclean": "audits that found something",
        "drawn_twice": "charged or answered twice", "refused": "ledgers that could not be opened",
    }  # fmt: skip
    lines = [
        "## By fault",
        "",
        "A process that charges and answers is killed, or the power goes under it, at any moment; "
        "whatever was told must be in the ledger with its charge (`tests/lab/killing.py`, "
        "`failing_disk.py`). Both find the fault that is planted: to tell before the commit, and "
        "commits that are not synced.",
        "",
    ]
    for what, facts in found.items():
        told = [f"{facts[key]:,} {word}" for key, word in words.items() if key in facts]
        lines.append(f"- {what}: {', '.join(told)}.")
    return [*lines, ""]


def _others(runs):
    lines = ["## By observation, load and abuse", "", "| what | how often | result | control |"]
    lines.append("| --- | --- | --- | --- |")
    lines += [f"| {o['what']} | {o['how']} | {o['result']} | {o['control']} |" for o in runs]
    return [*lines, ""]


def _kept():
    """Where each campaign is kept, how long it is in `make test` and in `make soak`."""
    return [
        "## Campaigns that are kept",
        "",
        "Each is a test with a short form in `make test`, and fails on a fault that is planted.",
        "",
        "| campaign | in `make test` | in `make soak` | fault that must be found | where |",
        "| --- | --- | --- | --- | --- |",
        *(f"| {' | '.join(one)} |" for one in _CAMPAIGNS),
        "",
    ]


_CAMPAIGNS = (
    ("exact law, random questions", "10⁴ pairs", "10⁶ pairs",
     "a rate twice too large; one noise for all words; a count without noise", "`tests/attack`"),
    ("adjacent files of every source kind", "40 pairs a kind", "10⁴ pairs a kind",
     "a record that swallows others", "`tests/tables/test_one_record.py`, `test_more_sources.py`"),
    ("adjacent tables, all that is seen", "45 pairs", "10⁴ pairs",
     "a question that is refused", "`tests/curator/test_adjacent.py`"),
    ("time given the told value", "16,000 draws", "160,000 draws",
     "a microsecond for one of two tables", "`tests/curator/test_transaction.py`"),
    ("time of sixteen kinds of questions, given what they told", "800 draws a kind",
     "40,000 draws a kind", "a sort of 200 words for one of two tables",
     "`tests/lab/test_times.py`"),
    ("kills of a ledger (a file, PostgreSQL)", "50", "20,000", "an answer told before its commit",
     "`tests/lab/test_faults.py`"),
    ("kills of servers and of PostgreSQL", "2 rounds", "200 rounds", "a draw of a lost transaction",
     "`tests/budget/test_postgresql_load.py`, `tests/curator/test_shared_ledger.py`"),
    ("kills of a curator and of a second anchor", "9", "260", "a torn write of the anchor",
     "`tests/curator/test_kill.py`, `tests/budget/test_second_anchor.py`"),
    ("power cuts that tear unsynced writes", "40", "10⁴", "commits that are not synced",
     "`tests/lab/test_faults.py`"),
    ("no room, read-only, errors of the disk", "13 places each", "99 places each",
     "an id charged twice", "`tests/lab/test_faults.py`"),
    ("fuzzed requests", "400", "10⁶", "a handler that raises", "`tests/lab/test_abuse.py`"),
)  # fmt: skip


def _rest():
    return [
        "## What was found by attacks, and mended",
        "",
        "- `discreet attack` of `SELECT COUNT(*)` over a private number of rows ended in a "
        "traceback, and one of a median of 82 values over 600 rows took minutes. Both are mended.",
        "- Noise that several counts share could not be certified at ε = log 3, so that "
        "`discreet synthesize --epsilon 'log 3'` was refused. Nothing leaked; it is answered now.",
        "",
    ]


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
