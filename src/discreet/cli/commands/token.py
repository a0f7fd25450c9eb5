"""`discreet token create|list|revoke|move`: who may sign in to `discreet serve`."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from discreet.cli.parsing import options
from discreet.cli.program import Application, Group, app

if TYPE_CHECKING:
    from discreet.accounts import Account

tokens = Application(
    cls=Group,
    help="The accounts of a server: who may sign in, and to which datasets.",
    epilog=options.examples("discreet token create ana --dataset survey.toml --epsilon 1"),
    no_args_is_help=False,
)
app.add_typer(tokens, name="token")

Name = Annotated[str, typer.Argument(metavar="NAME", help="Whose account.")]
Datasets = Annotated[
    list[str] | None,
    typer.Option("--dataset", metavar="FILE", help="A dataset file to ask; repeat for several."),
]


@tokens.command(
    epilog=options.examples(
        "discreet token create ana --dataset survey.toml --epsilon 1 --expires 30d",
        "discreet token create otto --role custodian",
    )
)
def create(
    name: Name,
    *,
    dataset: Datasets = None,
    epsilon: options.Epsilon = None,
    expires: Annotated[
        str | None, typer.Option(metavar="30d|DAY", help="When it ends: 12h, 30d, 1y or a day.")
    ] = None,
    role: Annotated[str, typer.Option(metavar="ROLE", help="analyst or custodian.")] = "analyst",
    accounts: options.AccountsFile = None,
    json: options.Json = False,
) -> None:
    """Make an account and print its token, once; the ε goes into each dataset's ledger."""
    from datetime import UTC, datetime
    from pathlib import Path

    from discreet.accounts import Accounts, read_expiry
    from discreet.cli.rendering.terminal import console, or_else, say, say_json
    from discreet.curator import open_ledger
    from discreet.errors import DiscreetError, InvalidInput
    from discreet.requests import read_epsilon
    from discreet.tables import read_dataset
    from discreet.web.accounts_place import accounts_place
    from discreet.web.settings import dataset_names

    files = [Path(file) for file in dataset or ()]
    names = dataset_names(tuple(files))
    known = [read_dataset(file) for file in files]
    allowed = None if epsilon is None else read_epsilon(epsilon)
    if allowed is not None and not files:
        raise InvalidInput("--epsilon needs --dataset FILE: it is the budget for that dataset")
    ends = read_expiry(expires, datetime.now(UTC))
    place = accounts_place(files, known, None if accounts is None else Path(accounts))
    with Accounts(place) as book:
        is_known = any(account.name == name for account in book.accounts())
        made = book.create(name, role, names, ends)
        try:
            for file, facts in zip(files, known, strict=True):
                if allowed is not None:
                    with open_ledger(facts, file) as ledger:
                        ledger.allow(name, allowed)
        except DiscreetError:
            if is_known:
                book.revoke(name)
            else:
                book.take_back(made)
            raise
        document = {
            "token": made.text,
            "account": made.account.to_dict(),
            "epsilon": None if allowed is None else str(allowed),
            "accounts": book.place,
        }
    limit = "no limit but the total" if allowed is None else f"ε = {allowed} for each dataset"
    with or_else(f"the token was not shown: revoke {name} and create another"):
        if json:
            say_json(document)
            return
        say(
            console(),
            made.text,
            "",
            f"{_line(made.account)}; {limit}",
            "this token is shown only once: hand it over, and keep no copy",
        )


@tokens.command("list", epilog=options.examples("discreet token list"))
def list_accounts(
    dataset: Datasets = None, accounts: options.AccountsFile = None, json: options.Json = False
) -> None:
    """Every account with its role, datasets and state; tokens themselves are not kept."""
    from discreet.cli.rendering.terminal import console, say, say_json

    with _opened(accounts, dataset) as book:
        listed = book.accounts()
    if json:
        say_json({"accounts": [account.to_dict() for account in listed]})
        return
    say(console(), *([_line(account) for account in listed] or ["there are no accounts"]))


@tokens.command(epilog=options.examples("discreet token revoke ana"))
def revoke(
    name: Name,
    dataset: Datasets = None,
    accounts: options.AccountsFile = None,
    json: options.Json = False,
) -> None:
    """End an account: its token and its sessions open nothing any more."""
    from discreet.cli.rendering.terminal import console, say, say_json

    with _opened(accounts, dataset) as book:
        ended = book.revoke(name)
    if json:
        say_json({"account": ended.to_dict()})
        return
    say(console(), _line(ended), "a running server notices within a second")


@tokens.command(epilog=options.examples("discreet token move survey.toml"))
def move(
    file: Annotated[str, typer.Argument(metavar="FILE", help="The dataset file.")],
    json: options.Json = False,
) -> None:
    """Move the accounts' file into PostgreSQL, beside the ledger; tokens and sessions go on."""
    from pathlib import Path

    from discreet.accounts import move as moved
    from discreet.cli.rendering.terminal import console, say, say_json
    from discreet.errors import DatasetError, FileError
    from discreet.exact import show
    from discreet.tables import read_dataset
    from discreet.text import plural
    from discreet.web.accounts_place import ACCOUNTS

    shared = read_dataset(file).shared_accounts
    if shared is None:
        raise DatasetError(
            f"{show(file)} keeps its accounts in a file; first set accounts = true in [ledger]"
        )
    place = Path(file).parent / ACCOUNTS
    if not place.is_file():
        raise FileError(f"there are no accounts at {show(str(place))}; nothing was moved")
    many = moved(place, shared)
    if json:
        say_json({"accounts": f"PostgreSQL at {shared}", "moved": many})
        return
    accounts_moved = plural(many, "account was", "accounts were")
    say(console(), f"{accounts_moved} moved; {place.name}.moved is kept aside, and opens nothing")


def _opened(accounts: str | None, dataset: list[str] | None) -> Any:
    from pathlib import Path

    from discreet.errors import FileError
    from discreet.exact import show
    from discreet.tables import read_dataset
    from discreet.web.accounts_place import accounts_place, opened_accounts

    files = [Path(file) for file in dataset or ()]
    known = [read_dataset(file) for file in files if file.is_file()]
    place = accounts_place(files, known, None if accounts is None else Path(accounts))
    book = opened_accounts(place)
    if book is None:
        raise FileError(
            f"there are no accounts at {show(str(place))}; use --accounts FILE, or --dataset FILE "
            "to look where a dataset has them"
        )
    return book


def _line(account: "Account") -> str:
    facts = account.to_dict()
    asks = "every dataset" if account.is_custodian else ", ".join(account.datasets)
    ends = f", ends {account.expires[:16].replace('T', ' ')} UTC" if account.expires else ""
    return f"{account.name}: {account.role}, {facts['state']}, may ask {asks}{ends}"
