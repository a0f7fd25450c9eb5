"""How likely answers are when rows are independent: in floats, for weighing errors alone."""

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


def at_least(rows: int, rank: int, chances: Floats) -> Floats:
    """Pr(Binomial(rows, chance) ≥ rank), for each chance."""
    counts = np.arange(rank, rows + 1)
    logs = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, rows + 1)))])
    ways = logs[rows] - logs[counts] - logs[rows - counts]
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.exp(
            ways[:, None]
            + counts[:, None] * np.log(chances)[None, :]
            + np.where(counts[:, None] == rows, 0.0, (rows - counts[:, None]))
            * np.log1p(-np.minimum(chances, 1 - 1e-300))[None, :]
        )
    tails: Floats = np.where(chances >= 1, 1.0, np.nansum(terms, axis=0))
    return tails


def sum_of_rows(row: Floats, rows: int, size: int, known_size: bool = True) -> Floats:
    """How likely each sum of independent rows is, from the chances of 0, 1, 2, … in one row.

    Where the number of rows is not known, every one up to `rows` is as likely as any other.

    >>> sum_of_rows(np.array([0.5, 0.5]), 2, 3).round(12).tolist()
    [0.25, 0.5, 0.25]
    """
    transform = np.fft.rfft(row, 2 * size)
    if known_size:
        powered = transform**rows
    else:
        with np.errstate(divide="ignore", invalid="ignore"):
            powered = (1 - transform ** (rows + 1)) / (1 - transform) / (rows + 1)
        powered = np.where(np.abs(1 - transform) < 1e-12, 1.0, powered)
    law: Floats = np.clip(np.fft.irfft(powered, 2 * size)[:size], 0.0, None)
    law[law < 1e-15] = 0.0
    return np.asarray(law / law.sum())
