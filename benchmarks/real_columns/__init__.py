"""`python -m benchmarks real_columns`: data nobody chose for us, beside simple mechanisms.

Samples of 350 real columns, whole, filtered and by group, under both relations, at four ε. A ratio
is (our error + ¼ step)/(their error + ¼ step), theirs the least *in hindsight*, cell by cell. Ours
is the plan that anybody gets who says nothing but ε; errors are exact, by the laws of the
mechanisms, and `libraries` holds the laws of others to the libraries themselves.

`--quick` takes a share of the questions that is done in minutes, the same ones every time.
"""

import argparse
import pickle
import time
from pathlib import Path

from benchmarks.real_columns.asked import Rows, Statistic
from benchmarks.real_columns.cells import Questions, claimed, measured, questions, some
from benchmarks.real_columns.columns import real_columns
from benchmarks.real_columns.coverage import show_claims
from benchmarks.real_columns.iid import iid_columns
from benchmarks.real_columns.libraries import DRAWS, checks, show_checks
from benchmarks.real_columns.readme import write
from benchmarks.real_columns.report import show

QUICK = 0.03
IID = 0.15
"""The share of the questions about independent records that the README rests on."""


def main(arguments: list[str]) -> int:
    """Print the tables; 1 when a target is missed."""
    said = _options().parse_args(arguments)
    started = time.perf_counter()
    asked, share = questions(real_columns()[:: said.every]), said.share or 1
    chosen = [
        one
        for one in some(asked, QUICK if said.quick else share)
        if (said.statistic is None or one.statistic.name.lower() in said.statistic)
        and (said.rows is None or one.rows in said.rows)
        and (said.selected is None or one.selected.name.lower() in said.selected)
        and (said.size is None or one.size_is_public == (said.size == "public"))
    ]
    if said.libraries:
        drawn = chosen[:: max(1, len(chosen) // said.libraries)]
        return 0 if show_checks(list(checks([(one, asked[one][0]) for one in drawn]))) else 1
    wanted = {one: asked[one] for one in chosen}
    if said.coverage:
        return 0 if show_claims(list(claimed(wanted, said.processes))) else 1
    cells = list(measured(wanted, said.processes, said.draws))
    if said.readme:
        write([*cells, *measured(_independent(), said.processes)], Path(said.readme))
    if said.save:
        Path(said.save).write_bytes(pickle.dumps(cells))
    met = show(cells)
    plans = len({cell.asked for cell in cells})
    print(
        f"{len(cells):,} cells, {plans:,} plans, {len(chosen) - plans:,} questions refused, "
        f"{time.perf_counter() - started:.0f} s"
    )
    return 0 if met else 1


def _independent() -> Questions:
    """Some questions about independent records, of a public number of rows."""
    asked = questions(iid_columns())
    return {one: asked[one] for one in some(asked, IID) if one.size_is_public}


def _options() -> argparse.ArgumentParser:
    options = argparse.ArgumentParser(prog="python -m benchmarks real_columns")
    add = options.add_argument
    add("--quick", action="store_true", help=f"{100 * QUICK:g} %% of the questions")
    add("--share", type=float, help="so large a share of the questions")
    add("--every", type=int, default=1, help="every so-manieth column only")
    add("--statistic", nargs="+", choices=[one.name.lower() for one in Statistic])
    add("--selected", nargs="+", choices=[one.name.lower() for one in Rows])
    add("--size", choices=("public", "private"), help="of a public or of a private number of rows")
    add("--rows", nargs="+", type=int, help="samples of so many rows")
    add("--draws", type=int, default=1, help="samples of each column and size: one is known badly")
    add("--processes", type=int, default=2)
    add("--save", help="keep all cells in a file")
    add("--readme", metavar="PAGE", help="with independent records; write the comparison there")
    add("--coverage", action="store_true", help="only: whether what is told holds as it says")
    add(
        "--libraries",
        type=int,
        help=f"only: hold laws to {DRAWS} draws of libraries, so many cells",
    )
    return options
