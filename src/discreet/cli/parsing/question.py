"""From the words of `discreet plan` and `discreet ask` to an order."""

from typing import Any

from discreet.cli.parsing.files import prior_of
from discreet.requests import Order, read_order
from discreet.tables import Dataset


def order_of(dataset: Dataset, sql: str, **words: Any) -> Order:
    """The order that a command line describes; a prior may stand in a file."""
    for name in ("prior", "remap"):
        if words[name] is not None:
            words[name] = prior_of(words[name], "databases")
    return read_order(sql, dataset, **words)
