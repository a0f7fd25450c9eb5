"""Frames that are handed over in Python: which facts, which ledger."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from discreet.curator.books import LEDGER
from discreet.curator.curator import Curator
from discreet.errors import DatasetError
from discreet.exact import show
from discreet.tables import FRAMES_WANTED, handed_over, read_dataset, read_facts

_FACTS = "the path of a dataset file, its text, or a dictionary of the same keys"


def curator_of_frame(
    given: object,
    facts: str | os.PathLike[str] | Mapping[str, Any] | None,
    ledger: str | os.PathLike[str] | None,
    analyst: str | None,
) -> Curator:
    """The curator of a frame; its rows are read at once, for a frame may be changed later.

    A dataset file has its ledger beside it. Facts without a file have it where the caller says: two
    ledgers for the same rows would be two budgets, so it is not made up.
    """
    frame = handed_over(given)
    if frame is None:
        raise DatasetError(f"facts are given with {FRAMES_WANTED}, got {show(given)}")
    if isinstance(facts, os.PathLike) or (isinstance(facts, str) and "\n" not in facts):
        if ledger is not None:
            raise DatasetError("a dataset file has its ledger beside it; leave out ledger=")
        curator = Curator(facts, analyst, dataset=read_dataset(facts, frame))
    elif isinstance(facts, str | Mapping):
        place = _place(ledger)
        curator = Curator(place, analyst, dataset=read_facts(facts, frame, place))
    else:
        raise DatasetError(f"say what is public about the frame: facts={_FACTS}")
    curator.table  # noqa: B018
    return curator


def _place(ledger: str | os.PathLike[str] | None) -> Path:
    if ledger is None:
        raise DatasetError(
            f'say where the ledger of these rows is, and always the same: ledger="survey{LEDGER}"'
        )
    place = Path(ledger)
    if place.suffix != LEDGER or not place.resolve().parent.is_dir():
        raise DatasetError(
            f"a ledger is a file that ends in {LEDGER}, in a folder that is there; got "
            f"{show(str(ledger))}"
        )
    return place
