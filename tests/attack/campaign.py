"""Random questions over random small datasets, attacked by exact law: pairs, and the largest loss.

Half of the questions are aimed: they wish for a mechanism that was met least often so far, so that
every one the planner can choose is met. Run as a program for longer:
`python tests/attack/campaign.py SECONDS [SEED]`.
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

sys.path.insert(0, str(Path(__file__).parents[1]))

from discreet.attack.attack import attack
from discreet.attack.plans import PlanTarget
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
         "COVAR_POP(mood, weight)", "REGR_SLOPE(mood, weight)", "REGR_INTERCEPT(weight, mood)",
         "RATIO(mood, weight)", "WEIGHTED_AVG(weight, mood)", "COUNT(DISTINCT mood)",
         "MEDIAN(visit)", "SPREAD(mood)", "SHARE({0})")  # fmt: skip
GROUPS = ("clinic", "smokes", "BIN(mood, 2)", "clinic, smokes", "MONTH(visit)", "mood")
TOTALS = ("ROLLUP(clinic, smokes)", "CUBE(clinic, smokes)", "ROLLUP(clinic, mood)",
          "GROUPING SETS ((clinic), (smokes))")  # fmt: skip

RUNS = Path(__file__).parents[1] / "lab" / "campaigns.json"
SIZES = (1, 2, 3, 4, 6, 12, 40, 200)
WISHES = ({}, {}, {}, {"unbiased": True}, {"clamp": True}, {"consistent": True},
          {"interval": "every-table"}, {"about": "population"}, {"worst_case": True},
          {"prior": "uniform"}, {"prior": "databases"}, {"loss": "squared"}, {"remap": "uniform"},
          {"loss": "zero-one"}, {"require": "fair"}, {"within": "1"})  # fmt: skip
_COUNTED, _BY_GROUP = ("SELECT COUNT({where})",), ("SELECT COUNT(*){cond} GROUP BY {group}",)
_ADDED = (*_COUNTED, "SELECT SUM({column}){cond}", "SELECT AVG({column})")
_RANKED = ("SELECT MEDIAN({column}){cond}", "SELECT QUANTILE({column}, 0.3)", "SELECT MIN(weight)",
           "SELECT MEDIAN({column}) GROUP BY {group}")  # fmt: skip
_OF_WORDS = ("SELECT MODE(clinic){cond}", "SELECT MODE(smokes) GROUP BY clinic")
_MEANS = ("SELECT AVG({column}) WHERE {where}", "SELECT AVG({column}){cond} GROUP BY {group}")
_NESTED = "SELECT " + ", ".join(f"COUNT(visit < DATE '2023-01-{day:02}')" for day in range(2, 12))
AIMS = {
    "whole tables": _BY_GROUP,
    "remapped tables": _BY_GROUP,
    "together": _BY_GROUP,
    "one row a group": _BY_GROUP,
    "by answer": (*_ADDED, *_RANKED),
    "by database": (*_RANKED, *_OF_WORDS),
    "by rank, tuned": _RANKED,
    "by rank": (*_RANKED, "SELECT SPREAD(mood)", "SELECT IQR(weight)"),
    "by frequency": _OF_WORDS,
    "geometric, remapped": (*_ADDED, *_RANKED),
    "geometric": (*_ADDED, *_RANKED),
    "laplace": (*_ADDED, *_RANKED),
    "staircase": (*_ADDED, *_RANKED),
    "explicit-fair": (*_ADDED, *_RANKED),
    "randomized-response": (*_ADDED, *_RANKED),
    "geometric noise": _ADDED,
    "by answer, coarse": ("SELECT SUM({column}){cond}", *_COUNTED),
    "unbiased noise": _ADDED,
    "sum over count": _MEANS,
    "sum and count together": (
        *_MEANS, "SELECT AVG({column}), SUM({column}), COUNT(*){cond}",
        "SELECT AVG({column}), VARIANCE({column}){cond}",
        "SELECT AVG(mood), COVAR(mood, weight), COUNT(*) GROUP BY {group}",
        "SELECT SUM({column}), STDDEV({column}), COUNT(*){cond}",
    ),
    "one noise on sums": ("SELECT VARIANCE({column}){cond}", "SELECT COVAR(mood, weight)",
                          "SELECT CORR(mood, weight)", "SELECT STDDEV({column}) GROUP BY {group}"),
    "sums with one row a group": ("SELECT AVG({column}), COUNT(*) GROUP BY clinic",
                                  "SELECT SUM({column}), COUNT(*) GROUP BY clinic"),
    "noisy counts": ("SELECT TOP(clinic, 2){cond}", "SELECT TOP(smokes, 1) GROUP BY clinic"),
    "counts together": ("SELECT COUNT({where}), COUNT({other}), COUNT(*){cond}",),
    "cells together": ("SELECT COUNT({where}), COUNT({other}){cond}",
                       "SELECT COUNT({where}), COUNT({other}) GROUP BY {group}"),
    "running totals": (_NESTED,),
    "quantiles together": ("SELECT QUARTILES({column}){cond}", "SELECT DECILES({column})"),
    "quantiles by counts": ("SELECT QUARTILES({column}){cond}", "SELECT DECILES({column})"),
}  # fmt: skip
"""Every mechanism by the name that a wish may have, and questions that it may answer."""
AIMED_WISHES = {"unbiased noise": {"unbiased": True}, "by answer, coarse": {"worst_case": True}}
"""What must be wished besides, for some of them."""


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


def aimed_of(dice, aim):
    """A question that this mechanism may answer."""
    where = f" WHERE {dice.choice(CONDITIONS)}" if dice.random() < 0.35 else ""
    return dice.choice(AIMS[aim]).format(
        cond=where, where=dice.choice(CONDITIONS), other=dice.choice(CONDITIONS),
        group=dice.choice(GROUPS), column=dice.choice(COLUMNS),
    )  # fmt: skip


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
    """By their titles, for people; and by their names, for aiming."""
    names: Counter = field(default_factory=Counter)
    aimed: Counter = field(default_factory=Counter)
    """How often each mechanism was wished for."""
    broken: list = field(default_factory=list)


def one(dice, done, most_pairs, sizes):
    """Attack one random question, or one synthetic table."""
    facts, epsilon = facts_of(dice, sizes), dice.choice(["0.1", "0.5", "1", "2.7", "4", "log 3"])
    if dice.random() < 0.08:
        names = dice.sample(["mood", "weight", "clinic", "smokes"], dice.randint(1, 3))
        asked = f"synthesize {', '.join(names)}"
        columns = [Bins(name, 1) for name in names]
        run = partial(attack_synthesis, columns, facts, Epsilon.of(epsilon))
    elif dice.random() < 0.5:
        aim = min(AIMS, key=lambda name: (done.names[name] + done.aimed[name] / 20, dice.random()))
        done.aimed[aim] += 1
        asked = aimed_of(dice, aim)
        more = AIMED_WISHES.get(aim, {})
        run = partial(_asked, asked, facts, epsilon=epsilon, mechanism=aim, **more)
    else:
        asked = question_of(dice)
        wishes = dice.choice(WISHES)
        price = {} if "within" in wishes else {"epsilon": epsilon}
        run = partial(_asked, asked, facts, **price, **wishes)
    try:
        found = run(rows=dice.choice([2, 3]), most_pairs=most_pairs)
    except (QuestionError, DesignError, GoalError, InvalidInput):
        done.refused += 1
        return
    done.questions += 1
    done.pairs += found.pairs
    done.tables += found.tables
    done.mechanisms.update(found.titles)
    if isinstance(found.target, PlanTarget):
        done.names.update({part.chosen.name for part in found.target.plan.parts})
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
