"""Columns of independent records, from laws that textbooks have: beside the real ones."""

from zlib import crc32

import numpy as np

from benchmarks.real_columns.columns import RealColumn

MANY = 10_000


def iid_columns() -> list[RealColumn]:
    """Ten thousand records of each law, the same in every run."""
    return [_column(name, law) for name, law in _laws().items()]


def _laws() -> dict[str, np.ndarray]:
    """Chances of the values 0, 1, …"""
    ages, scale, hundred = np.arange(121), np.arange(5), np.arange(101)
    return {
        "iid: uniform on 0 … 9": np.ones(10),
        "iid: uniform on 0 … 100": np.ones(101),
        "iid: normal, mean 50, deviation 15": np.exp(-(((hundred - 50) / 15) ** 2) / 2),
        "iid: exponential, mean 10, up to 200": np.exp(-np.arange(201) / 10),
        "iid: ages, falling from 40 on": np.exp(-np.maximum(0, ages - 40) / 15),
        "iid: a scale of five, mostly content": np.array([1, 2, 4, 8, 5])[scale].astype(float),
        "iid: seldom anything, up to 20": np.exp(-2.0 * np.arange(21)),
    }


def _column(name: str, law: np.ndarray) -> RealColumn:
    dice = np.random.default_rng(crc32(name.encode()))
    indices = dice.choice(len(law), MANY, p=law / law.sum()).astype(np.int64)
    return RealColumn(name=name, words=False, from_zero=True, values=len(law), indices=indices)
