"""Where the accounts of a server are: a file beside the first dataset file, or PostgreSQL."""

from collections.abc import Sequence
from pathlib import Path

from discreet.accounts import Accounts
from discreet.connection import Connection
from discreet.errors import InvalidInput
from discreet.tables import Dataset

ACCOUNTS = "discreet.accounts"


def accounts_place(
    files: Sequence[Path], datasets: Sequence[Dataset], given: Path | None
) -> Path | Connection:
    """What `[ledger] accounts = true` of the dataset files says, or else which file.

    Args:
        files: The dataset files.
        datasets: What they say.
        given: A file that was asked for by name.

    Raises:
        InvalidInput: The files differ, or a file of accounts would be passed over.
    """
    beside = (files[0].parent if files else Path()) / ACCOUNTS
    places = {dataset.shared_accounts for dataset in datasets}
    shared = next((one for one in places if one is not None), None)
    if shared is None:
        return beside if given is None else given
    if len(places) > 1:
        raise InvalidInput(
            "dataset files that are served together must keep their accounts in one place: give "
            "all of them the same [ledger] accounts = true and connection"
        )
    if given is not None:
        raise InvalidInput(
            "the dataset file says that the accounts are in PostgreSQL; leave --accounts out "
            "(and DISCREET_ACCOUNTS)"
        )
    if beside.is_file():
        raise InvalidInput(
            f"{beside.name} is still a file: discreet token move {files[0]} moves it into "
            "PostgreSQL"
        )
    return shared


def opened_accounts(place: Path | Connection) -> Accounts | None:
    """The accounts of a place; None where it is a file that was never made."""
    return Accounts(place) if isinstance(place, Connection) or place.is_file() else None
