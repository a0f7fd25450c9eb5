"""Frames that are handed over in Python: which facts, which ledger."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from discreet.curator.curator import Curator
from discreet.curator.dataset_ledger import LEDGER
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
        raise DatasetError(f"facts go with {FRAMES_WANTED}, got {show(given)}")
    if isinstance(facts, os.PathLike) or (isinstance(facts, str) and "\n" not in facts):
        if ledger is not None:
            raise DatasetError("the ledger of a dataset file is beside it; leave out ledger=")
        curator = Curator(facts, analyst, dataset=read_dataset(facts, frame))
    elif isinstance(facts, str | Mapping):
        place = _place(ledger)
        curator = Curator(place, analyst, dataset=read_facts(facts, frame, place))
    else:
        raise DatasetError(f"the public facts about the frame are required: facts={_FACTS}")
    curator.table  # noqa: B018
    return curator


def _place(ledger: str | os.PathLike[str] | None) -> Path:
    if ledger is None:
        raise DatasetError(
            f'ledger is required, always the same one for these rows: ledger="survey{LEDGER}"'
        )
    place = Path(ledger)
    if place.suffix != LEDGER or not place.resolve().parent.is_dir():
        raise DatasetError(
            f"a ledger must be a file whose name ends in {LEDGER}, in an existing folder, got "
            f"{show(str(ledger))}"
        )
    return place
