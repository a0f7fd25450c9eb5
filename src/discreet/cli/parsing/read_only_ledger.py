"""Opening a ledger for reading, also where nothing can be written."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from discreet.budget import Ledger, copied, is_read_only
from discreet.cli.rendering import ledger as booking
from discreet.curator import has_ledger


@contextmanager
def opened_to_read(file: str) -> Iterator[Ledger]:
    """The ledger, or a copy of it where its folder cannot be written; a line says so."""
    place = booking.place_of(file)
    if not is_read_only(place):
        with booking.opened(file) as ledger:
            yield ledger
        return
    print(
        f"{place.name} is read-only here; reading a copy of it and of its anchor",
        file=sys.stderr,
    )
    with copied(place) as ledger:
        yield ledger


def left_of(file: str) -> int | None:
    """What is left of the whole budget, in billionths of ε; None where no ledger was begun."""
    dataset = booking.dataset_of(file)
    shared = dataset is not None and has_ledger(dataset, file)
    if not (shared or booking.place_of(file).is_file()):
        return None
    with opened_to_read(file) as ledger:
        return ledger.balance().left
