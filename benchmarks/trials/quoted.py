"""Figures measured earlier, with 2,200 answers a cell: quoted, not drawn anew.

Of OpenDP 0.16, diffprivlib 0.6.6, PyDP 1.1.5 and Tumult Analytics 0.21, for ε = 0.2, 0.5 and 1.
The median was then the mean of the two records in the middle. Tumult needs 1 GB and Java, and is
not rerun.
"""

from benchmarks.trials.sampled import Sampled, widest_deviation
from benchmarks.trials.trial import EPSILONS, SIZE, Trial
from discreet.mechanisms import geometric
from discreet.model import Grid, Loss, Within

ANSWERS = 2_200
CONSTANTS = {"count": 2.74, "mean": 0.36, "max": 0.50, "max_u": 2.45, "median": 1.12}
QUOTED: dict[str, dict[str, tuple[float, float, float]]] = {
    "OpenDP": {
        "mean": (1.27, 0.72, 0.40), "max": (3.39, 2.31, 1.25), "max_u": (3.06, 2.76, 2.47),
        "median": (2.43, 2.11, 1.60),
    },
    "diffprivlib": {
        "count": (2.81, 1.47, 0.73), "mean": (1.25, 0.71, 0.40), "max": (3.47, 2.61, 1.80),
        "max_u": (2.95, 2.66, 2.55), "median": (2.28, 2.06, 1.67),
    },
    "PyDP": {
        "count": (2.77, 1.50, 0.81), "mean": (1.32, 0.81, 0.42), "max": (4.32, 4.04, 3.35),
        "max_u": (2.92, 2.76, 2.33), "median": (2.26, 2.03, 1.75),
    },
    "Tumult": {
        "count": (2.72, 1.50, 0.71), "mean": (1.26, 0.81, 0.45), "max": (3.43, 2.76, 1.78),
        "max_u": (2.99, 2.73, 2.53), "median": (2.14, 1.67, 1.14),
    },
}  # fmt: skip


def quoted(tool: str, trial: Trial, epsilon: str, rerun: Sampled | None) -> Sampled | None:
    """A quoted figure; its deviation is that of the same tool rerun, or the largest possible.

    Tumult adds geometric noise to a count, so the deviation of its count is known exactly.
    """
    figures = QUOTED.get(tool, {}).get(trial.name)
    if figures is None:
        return None
    mean = figures[EPSILONS.index(epsilon)]
    if rerun is not None:
        return Sampled(mean, rerun.deviation, ANSWERS)
    if trial.kind == "count":
        return Sampled(mean, clamped_geometric(epsilon)[1], ANSWERS)
    return Sampled(mean, widest_deviation(mean, trial.most), ANSWERS)


def clamped_geometric(epsilon: str) -> tuple[float, float]:
    """Mean and standard deviation of the error of a uniform count with clamped geometric noise."""
    counts = Grid.between(0, SIZE)
    chances = geometric(counts, Within(1), epsilon).probabilities() / len(counts)
    off = Loss.of("absolute").matrix(counts, counts)
    mean = float((chances * off).sum())
    return mean, float((chances * (off - mean) ** 2).sum()) ** 0.5
