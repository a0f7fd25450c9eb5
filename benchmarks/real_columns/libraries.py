"""The laws of others, held to the libraries themselves: answers drawn in their own environments.

The mean of so many drawn errors is compared with what the law says; it is odd when it lies further
off than chance leads once in a million times (Bernstein's inequality, whose variance and range come
from the law as well).
"""

import math
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.peers import Peer, PeerError
from benchmarks.real_columns.asked import Asked, Rows, Statistic
from benchmarks.real_columns.columns import Counts, RealColumn
from benchmarks.real_columns.ours import truth
from benchmarks.real_columns.simple import others, per_group
from discreet.model import Relation

DRAWS = 200
_ALARM = 1e-6
SCRIPTS = {"OpenDP": "columns_opendp", "diffprivlib": "columns_diffprivlib"}


@dataclass(frozen=True, kw_only=True)
class Checked:
    """The errors of one tool on one table, drawn and by the law."""

    tool: str
    version: str
    column: str
    asked: Asked
    drawn: float
    law: float
    slack: float

    @property
    def agrees(self) -> bool:
        """Whether chance alone may have led so far."""
        return abs(self.drawn - self.law) <= self.slack


def checks(asked: Sequence[tuple[Asked, RealColumn]], draws: int = DRAWS) -> Iterator[Checked]:
    """Draw the tools' own answers to questions that they can be asked."""
    for tool, script in SCRIPTS.items():
        try:
            with Peer("libraries", script) as peer:
                for one, column in asked:
                    if _suits(tool, one):
                        yield _checked(tool, peer, one, column, draws)
        except (PeerError, OSError) as problem:
            print(f"{tool} is left out: {problem}", file=sys.stderr)


def _suits(tool: str, asked: Asked) -> bool:
    if asked.statistic is Statistic.MODE or asked.words:
        return False
    return asked.size_is_public or asked.statistic is not Statistic.MEAN


def _checked(tool: str, peer: Peer, asked: Asked, column: RealColumn, draws: int) -> Checked:
    counts = column.sample(asked.rows)
    share = asked.statistic.share
    grouped = asked.selected is Rows.GROUPED
    reply = peer.ask(
        {
            "rows": np.repeat(np.arange(asked.values), counts).tolist(),
            "values": asked.values,
            "share": None if share is None else float(share),
            "size": asked.rows if asked.size_is_public else None,
            "moved": 2 if asked.relation == Relation.CHANGE and not grouped else 1,
            "epsilon": per_group(asked),
            "draws": draws,
        }
    )
    told = np.clip(np.array(reply["answers"]), 0, asked.values - 1)
    off = np.abs(told - truth(asked, counts))
    law = others(asked, counts)["Laplace" if share is None else tool]
    return Checked(
        tool=tool,
        version=reply["version"],
        column=column.name,
        asked=asked,
        drawn=float(off.mean()),
        law=law,
        slack=_slack(asked, counts, law, draws),
    )


def _slack(asked: Asked, counts: Counts, law: float, draws: int) -> float:
    """How far a mean of draws may lie from the law: errors lie between 0 and the range.

    Their variance is at most law · (range − law) (Bhatia & Davis 2000).
    """
    most = max(truth(asked, counts), asked.values - 1 - truth(asked, counts))
    variance, doubt = law * max(0.0, most - law), math.log(2 / _ALARM)
    return math.sqrt(2 * variance * doubt / draws) + most * doubt / (3 * draws)


def show_checks(found: Sequence[Checked]) -> bool:
    """Print the comparison, and say whether all agree."""
    table = Table(title=f"the laws of others beside {DRAWS} answers of the libraries themselves")
    headings = ("tool", "cells", "drawn / law, geometric mean", "beyond chance")
    for heading in headings:
        table.add_column(heading, justify="left" if heading == "tool" else "right")
    for tool in sorted({f"{one.tool} {one.version}" for one in found}):
        these = [one for one in found if f"{one.tool} {one.version}" == tool]
        logs = [math.log((one.drawn + 0.25) / (one.law + 0.25)) for one in these]
        odd = sum(not one.agrees for one in these)
        table.add_row(tool, f"{len(these):,}", f"{math.exp(np.mean(logs)):.3f}", f"{odd}")
    Console(width=None if sys.stdout.isatty() else 132).print(table)
    for one in found:
        if not one.agrees:
            print(
                f"{one.tool}, {one.column}, {one.asked}: drawn {one.drawn:.3g}, law {one.law:.3g}"
            )
    return all(one.agrees for one in found)
