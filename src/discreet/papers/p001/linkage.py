"""Linkage and differencing attacks (001 §1.2) on a made-up patient table.

Postcode, year of birth and sex name most people; a public list with names does the rest. The same
questions answered privately leave an attacker little more than a guess:
docs/proofs/reconstruction.md.
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from discreet.exact import Epsilon
from discreet.mechanisms import GeometricMechanism, LaplaceMechanism
from discreet.papers.checking import as_often, at_most, statement
from discreet.papers.item import Figure, Outcome, Panel, PaperItem, PrintedTable, Series, Step
from discreet.papers.p001.reconstruction import ceiling

PEOPLE, POSTCODES, YEARS, SEXES = 1_000, 120, 60, 2
TOTALS = ("0.1", "0.5", "1", "2", "4")
TARGETS = 20_000

Bits = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Patients:
    """What a list with names tells of everybody, and the diagnosis that it does not."""

    known: tuple[tuple[int, int, int], ...]
    ill: Bits

    @classmethod
    def made_up(cls, people: int = PEOPLE) -> "Patients":
        """People who live anywhere, of any age, each ill with a fair coin."""
        random = np.random.default_rng()
        columns = [random.integers(0, size, people) for size in (POSTCODES, YEARS, SEXES)]
        known = [(int(p), int(y), int(s)) for p, y, s in zip(*columns, strict=True)]
        return cls(tuple(known), random.integers(0, 2, people))

    @property
    def unique(self) -> Bits:
        """The people whom no other shares postcode, year and sex with."""
        times = Counter(self.known)
        return np.array([place for place, who in enumerate(self.known) if times[who] == 1])


def link(patients: Patients, private_at: str | None = None) -> tuple[int, int]:
    """How many diagnoses of unique people are guessed rightly, of how many.

    Published are the numbers of the ill and of the healthy for every postcode, year and sex: as
    they are, or with noise for which a changed diagnosis costs ε. The larger number is believed.
    """
    alone = patients.unique
    counts = np.stack([patients.ill[alone], 1 - patients.ill[alone]], axis=1)
    if private_at is not None:
        counts = GeometricMechanism.counting(private_at, sensitivity=2).draw_counts(counts)
    coin = np.random.default_rng().integers(0, 2, len(alone))
    believed = np.where(counts[:, 0] == counts[:, 1], coin, counts[:, 0] > counts[:, 1])
    return int((believed == patients.ill[alone]).sum()), len(alone)


def difference(targets: int, private_at: str | None = None) -> int:
    """How many targets are guessed rightly from two counts: of everybody, and of everybody else."""
    random = np.random.default_rng()
    ill, others = random.integers(0, 2, targets), random.integers(0, 500, targets)
    counts = np.stack([others + ill, others], axis=1)
    if private_at is not None:
        each = Epsilon.of(Fraction(private_at) / 2)
        counts = GeometricMechanism.counting(each).draw_counts(counts)
    return int((((counts[:, 0] - counts[:, 1]) > 0) == ill).sum())


def chance_of_linking(total: str) -> float:
    """Two noises apart by less than the truth's 1, or even with a coin: ½ + (P(0) + P(1))/2."""
    law = _difference_of_noises(LaplaceMechanism.of(2, total, on_grid=True).rate())
    middle = len(law) // 2
    return 0.5 + float(law[middle] + law[middle + 1]) / 2


def chance_of_differencing(total: str) -> float:
    """The difference of two noises is not negative: (1 + P(0))/2."""
    law = _difference_of_noises(GeometricMechanism.counting(Epsilon.of(Fraction(total) / 2)).rate())
    return 0.5 + float(law[len(law) // 2]) / 2


def _difference_of_noises(rate: Fraction) -> npt.NDArray[np.float64]:
    """The law of the difference of two discrete Laplace noises, around its middle."""
    reach = math.ceil(40 / float(rate))
    noise = np.exp(-float(rate) * np.abs(np.arange(-reach, reach + 1)))
    return np.convolve(noise / noise.sum(), noise / noise.sum())


def _linkage(step: Step) -> Outcome:
    patients = Patients.made_up()
    alone = len(patients.unique)
    lines, checks = [], []
    right, diagnoses = link(patients)
    checks += [
        statement(
            "postcode, year of birth and sex identify most people",
            alone > PEOPLE // 2,
            f"{alone:,} of {PEOPLE:,} are unique",
            printed="87 %",
            note="the printed share is of the American population; this table is made up",
        ),
        statement(
            "exact counts by postcode, year and sex give away every unique person's diagnosis",
            right == diagnoses,
            f"{right:,} of {diagnoses:,}",
        ),
    ]
    exposed = difference(TARGETS)
    checks.append(
        statement(
            "the difference of two exact counts gives away any target's diagnosis",
            exposed == TARGETS,
            f"{exposed:,} of {TARGETS:,}",
        )
    )
    for place, total in enumerate(TOTALS):
        step(place / len(TOTALS), f"ε = {total}")
        linked, diagnoses = link(patients, total)
        exposed = difference(TARGETS, total)
        lines.append(
            (
                float(total),
                linked / diagnoses,
                chance_of_linking(total),
                exposed / TARGETS,
                chance_of_differencing(total),
                ceiling(total),
            )
        )
        checks += [
            as_often(
                f"ε = {total}: linkage is right as often as computed",
                linked,
                diagnoses,
                chance_of_linking(total),
            ),
            as_often(
                f"ε = {total}: so is differencing", exposed, TARGETS, chance_of_differencing(total)
            ),
            at_most(
                f"ε = {total}: neither is right more often than e^ε/(1 + e^ε) (Prop. 2)",
                max(chance_of_linking(total), chance_of_differencing(total)),
                ceiling(total),
            ),
        ]
    return Outcome(
        tables=(
            PrintedTable(
                "linkage",
                (
                    "ε",
                    "linkage is right",
                    "computed",
                    "differencing is right",
                    "computed there",
                    "bound for any attack",
                ),
                tuple(lines),
                f"share of diagnoses guessed correctly; exact answers: all of them; {alone:,} "
                f"unique people of {PEOPLE:,}, {TARGETS:,} targets of differencing",
            ),
        ),
        figures=(_figure(lines),),
        checks=tuple(checks),
        notes=(
            "A guess alone is right half of the time. ε is what a changed diagnosis costs, over "
            "all that is published.",
        ),
    )


def _figure(lines: Sequence[tuple[float, ...]]) -> Figure:
    at = tuple(line[0] for line in lines)
    panel = Panel(
        title="",
        x_label="ε in all",
        y_label="share of diagnoses guessed correctly",
        series=(
            Series("exact answers", at, (1.0,) * len(at), "ours"),
            Series(
                "bound for any attack, e^ε/(1 + e^ε)", at, tuple(line[5] for line in lines), "bound"
            ),
            Series("linkage, measured", at, tuple(line[1] for line in lines), "ours"),
            Series("differencing, measured", at, tuple(line[3] for line in lines), "ours"),
            Series("guessing", at, (0.5,) * len(at), "bound"),
        ),
        log_x=True,
    )
    return Figure(
        "linkage",
        "Exact counts give everybody away; private ones leave an attacker with a guess, little "
        "better than a coin at small ε.",
        (panel,),
    )


ITEMS: tuple[PaperItem, ...] = (
    PaperItem(
        id="001/attack-linkage",
        title="Linkage and differencing attacks",
        paper="001",
        claim="Anonymization is not sufficient (§1.2); differential privacy is robust to what an "
        "adversary knows or doesn't know.",
        run=_linkage,
        seconds=1,
    ),
)
