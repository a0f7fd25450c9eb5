"""Random questions over random small datasets, attacked by exact law: pairs, and the largest loss.

Run as a program for longer: `python tests/attack/campaign.py SECONDS [SEED]`.
"""

import json
import random
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from datetime import date
from fractions import Fraction
from functools import partial
from pathlib import Path

from discreet.attack.attack import attack
from discreet.attack.synthesis import attack_synthesis
from discreet.errors import DesignError, GoalError, InvalidInput, QuestionError
from discreet.exact import Epsilon
from discreet.model import Grid, Labels
from discreet.questions import Bins
from discreet.requests import read_order
from discreet.tables import CategoryColumn, DateColumn, NumberColumn
from planning.facts import dataset

CONDITIONS = (
    "mood > 1", "mood <= 2", "weight >= 0", "clinic = 'A'", "NOT clinic = 'B'", "smokes",
    "mood > 0 AND clinic = 'A'", "mood = 1 OR weight > 0.5", "clinic IN ('A', 'other')",
    "visit >= DATE '2023-01-03'", "visit < DATE '2023-01-02' OR smokes", "mood IS NULL",
    "mood * 2 > weight", "mood / (mood - 1) > 1", "clinic LIKE 'A%'", "EXTRACT(DAY FROM visit) > 2",
)  # fmt: skip
COLUMNS = ("mood", "weight", "mood + weight", "ABS(weight)", "mood * mood", "ROUND(mood / 2, 0.5)",
           "CASE WHEN smokes THEN mood ELSE 0 END")  # fmt: skip
PLACED = ("MEDIAN({0})", "MIN({0})", "MAX({0})", "QUANTILE({0}, 0.25)", "QUANTILE({0}, 0.9)")
SUMMED = ("AVG({0})", "SUM({0})", "STDDEV({0})", "VARIANCE({0})")
WORDS = ("MODE(clinic)", "TOP(clinic, 2)", "MODE(smokes)", "CORR(mood, weight)",
         "COVAR(mood, weight)", "MEDIAN(visit)", "SPREAD(mood)", "SHARE({0})")  # fmt: skip
GROUPS = ("clinic", "smokes", "BIN(mood, 2)", "clinic, smokes", "MONTH(visit)", "mood")
TOTALS = ("ROLLUP(clinic, smokes)", "CUBE(clinic, smokes)", "ROLLUP(clinic, mood)",
          "GROUPING SETS ((clinic), (smokes))")  # fmt: skip

RUNS = Path(__file__).parents[1] / "lab" / "campaigns.json"
SIZES = (1, 2, 3, 4, 6, 12, 40, 200)
WISHES = ({}, {}, {}, {"unbiased": True}, {"clamp": True}, {"consistent": True},
          {"interval": "every-table"}, {"about": "population"}, {"worst_case": True})  # fmt: skip


def facts_of(dice, sizes):
    """A small dataset: columns with gaps or without, either relation, one row a person or more,
    or one for each value of a column."""
    gaps = dice.random() < 0.4
    change = dice.random() < 0.6
    days = (date(2023, 1, 1) - date(1970, 1, 1)).days
    missing = None if gaps else 0
    columns = (
        NumberColumn("mood", Grid.between(0, dice.choice([1, 2, 4])), _or_none(missing, 1), True,
                     complete=not gaps),
        NumberColumn("weight", Grid.between("-1", dice.choice(["0.5", "1", "2"]), "0.5"),
                     _or_none(missing, 0), False, complete=not gaps),
        CategoryColumn("clinic", Labels.of(["A", "B", "other"]), None if gaps else "other",
                       complete=not gaps),
        CategoryColumn("smokes", Labels.of(["false", "true"]), None if gaps else "false",
                       is_boolean=True, complete=not gaps),
        DateColumn("visit", Grid.between(days, days + dice.choice([2, 4, 40])),
                   _or_none(missing, days), True, complete=not gaps),
    )  # fmt: skip
    most = dice.choice([1, 1, 1, 2, 3])
    apart = dice.choice([None, None, "mood", "clinic", "smokes"]) if most > 1 else None
    return dataset(
        dice.choice(sizes),
        public=change and dice.random() < 0.6,
        change=change,
        per_person=most,
        columns=columns,
        one_row_per=apart,
    )


def _or_none(missing, value):
    return None if missing is None else Fraction(value)


def question_of(dice):
    """One SELECT: any kind of statistic, several of them, conditions, groups, totals."""
    kind = dice.choice(["counts", "placed", "summed", "words", "mixed", "totals", "running"])
    where = f" WHERE {dice.choice(CONDITIONS)}" if dice.random() < 0.35 else ""
    groups = f" GROUP BY {dice.choice(GROUPS)}" if dice.random() < 0.35 else ""
    if kind == "totals":
        return f"SELECT COUNT(*){where} GROUP BY {dice.choice(TOTALS)}"
    if kind == "running":
        return f"SELECT CUMULATIVE({dice.choice(['mood', 'weight'])}){where}"
    column = dice.choice(COLUMNS)
    asked = {
        "counts": [f"COUNT({one})" for one in dice.sample(CONDITIONS, dice.randint(1, 4))],
        "placed": [one.format(column) for one in dice.sample(PLACED, dice.randint(1, 3))],
        "summed": [one.format(column) for one in dice.sample(SUMMED, dice.randint(1, 3))],
        "words": [dice.choice(WORDS).format(dice.choice(CONDITIONS))],
        "mixed": [dice.choice(SUMMED).format(column), f"COUNT({dice.choice(CONDITIONS)})",
                  dice.choice(PLACED).format(column)],
    }[kind]  # fmt: skip
    if dice.random() < 0.2:
        asked.append("COUNT(*)")
    return f"SELECT {', '.join(asked)}{where}{groups}"


def _asked(sql, facts, *, rows, most_pairs, **given):
    return attack(read_order(sql, facts, **given), facts, rows=rows, most_pairs=most_pairs)


@dataclass
class Campaign:
    """What was tried so far."""

    questions: int = 0
    pairs: int = 0
    tables: int = 0
    refused: int = 0
    largest: float = 0.0
    mechanisms: Counter = field(default_factory=Counter)
    broken: list = field(default_factory=list)


def one(dice, done, most_pairs, sizes):
    """Attack one random question, or one synthetic table."""
    facts, epsilon = facts_of(dice, sizes), dice.choice(["0.1", "0.5", "1", "2.7", "log 3"])
    if dice.random() < 0.08:
        names = dice.sample(["mood", "weight", "clinic", "smokes"], dice.randint(1, 3))
        asked = f"synthesize {', '.join(names)}"
        columns = [Bins(name, 1) for name in names]
        run = partial(attack_synthesis, columns, facts, Epsilon.of(epsilon))
    else:
        asked = question_of(dice)
        wishes = dice.choice(WISHES)
        run = partial(_asked, asked, facts, epsilon=epsilon, **wishes)
    try:
        found = run(rows=dice.choice([2, 3]), most_pairs=most_pairs)
    except (QuestionError, DesignError, GoalError, InvalidInput):
        done.refused += 1
        return
    done.questions += 1
    done.pairs += found.pairs
    done.tables += found.tables
    done.mechanisms.update(found.titles)
    if found.holds:
        done.largest = max(done.largest, found.largest)
    else:
        done.broken.append((asked, epsilon, facts, found))


def campaign(pairs, seed=None, most_pairs=2_000, seconds=None, sizes=SIZES):
    """Attack random questions until so many pairs were tried, or the time is over."""
    dice, done, started = random.Random(seed), Campaign(), time.process_time()
    while done.pairs < pairs and (seconds is None or time.process_time() - started < seconds):
        one(dice, done, most_pairs, sizes)
    return done


def record(made, seconds):
    """Add what a run tried to the runs that the security report is made from."""
    runs = json.loads(RUNS.read_text(encoding="utf-8")) if RUNS.exists() else []
    told = {
        "questions": made.questions,
        "refused": made.refused,
        "tables": made.tables,
        "pairs": made.pairs,
        "largest": made.largest,
        "broken": len(made.broken),
        "processor_seconds": round(seconds),
        "mechanisms": dict(made.mechanisms.most_common()),
    }
    RUNS.write_text(json.dumps([*runs, told], indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    started = time.process_time()
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else None
    run = campaign(10**12, seed=seed, seconds=float(sys.argv[1]))
    record(run, time.process_time() - started)
    print(f"{run.questions} questions, {run.pairs} pairs, largest loss {run.largest:.9f}")
    for asked, epsilon, facts, found in run.broken:
        print("BROKEN", asked, epsilon, facts, found.largest, found.broken)
