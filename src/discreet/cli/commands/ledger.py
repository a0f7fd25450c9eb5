"""`discreet ledger show|verify|export|budget|acknowledge|prepare|move`: the books of a dataset."""

from typing import Annotated

import typer

from discreet.cli.parsing import options
from discreet.cli.program import Application, Group, app

books = Application(
    cls=Group,
    help="The ledger of a dataset: what was charged, what is left.",
    epilog=options.examples("discreet ledger show survey.toml"),
    no_args_is_help=False,
)
app.add_typer(books, name="ledger")

Book = Annotated[
    str, typer.Argument(metavar="FILE", help="A dataset file (survey.toml) or a .ledger file.")
]


@books.command(epilog=options.examples("discreet ledger show survey.toml"))
def show(
    file: Book,
    delta: Annotated[
        str, typer.Option(metavar="D", help="For the (ε, δ) that is shown as information.")
    ] = "1e-6",
    json: options.Json = False,
) -> None:
    """What was spent, by whom and on which questions, and what is left."""
    from discreet.cli.parsing.read_only_ledger import opened_to_read
    from discreet.cli.rendering import ledger as booking
    from discreet.cli.rendering.terminal import console, say, say_json

    with opened_to_read(file) as ledger:
        facts, balances = booking.summary(ledger, delta), ledger.balances()
    facts["ledger"] = booking.told_place(file)
    if json:
        say_json(facts)
        return
    say(console(), *booking.summary_lines(facts, balances))


@books.command(epilog=options.examples("discreet ledger verify survey.toml"))
def verify(file: Book, json: options.Json = False) -> None:
    """Recompute every hash, every cost and every balance from the entries alone."""
    from discreet.cli.failures import NO_LEDGER
    from discreet.cli.parsing.read_only_ledger import opened_to_read
    from discreet.cli.rendering import ledger as booking
    from discreet.cli.rendering.terminal import console, say, say_json

    with opened_to_read(file) as ledger:
        audit = ledger.audit()
    if json:
        say_json(
            {
                "ledger": booking.told_place(file),
                "clean": audit.clean,
                "entries": audit.entries,
                "spent": booking.decimals(audit.spent),
                "losses": audit.losses,
                "problems": list(audit.problems),
            }
        )
    else:
        say(console(), *booking.audit_lines(audit))
    if not audit.clean:
        raise typer.Exit(NO_LEDGER)


@books.command(epilog=options.examples("discreet ledger export survey.toml --json > entries.json"))
def export(file: Book, json: options.Json = False) -> None:
    """Every entry, oldest first, one JSON object to a line (or one document)."""
    from json import dumps

    from discreet.cli.parsing.read_only_ledger import opened_to_read
    from discreet.cli.rendering import ledger as booking
    from discreet.cli.rendering.terminal import say_json

    with opened_to_read(file) as ledger:
        entries = [entry.to_dict() for entry in ledger.entries()]
    if json:
        say_json({"ledger": booking.told_place(file), "entries": entries})
        return
    for entry in entries:
        print(dumps(entry))


@books.command(
    epilog=options.examples(
        "discreet ledger budget survey.toml --epsilon 4",
        "discreet ledger budget survey.toml --analyst ana --epsilon 1",
    )
)
def budget(
    file: Book,
    epsilon: options.Epsilon = None,
    analyst: Annotated[
        str, typer.Option(metavar="NAME", help="Whose budget (default: the total).")
    ] = "",
    yes: options.Yes = False,
    json: options.Json = False,
) -> None:
    """Set the total budget, or an analyst's own: the custodian's act, recorded in the ledger."""
    from discreet.cli.rendering import ledger as booking
    from discreet.cli.rendering.terminal import confirm, console, say, say_json
    from discreet.requests import read_epsilon

    wanted = read_epsilon(epsilon)
    whose = analyst or "everybody together"
    with booking.opened(file) as ledger:
        before = booking.account(ledger.balance(analyst))
        confirm(f"Allow {whose} ε = {wanted} from now on?", yes=yes)
        ledger.allow(analyst, wanted)
        after = booking.account(ledger.balance(analyst))
    if json:
        say_json({"analyst": analyst, "before": before, "after": after})
        return
    say(console(), f"{whose}: ε = {wanted} allowed, {after['spent']} spent, {after['left']} left")


@books.command(
    epilog=options.examples(
        "discreet ledger acknowledge survey.toml --lost all --reason 'disk'",
        "discreet ledger acknowledge survey.toml --facts --reason 'ages up to 110'",
    )
)
def acknowledge(
    file: Book,
    *,
    lost: Annotated[
        str | None,
        typer.Option(
            metavar="E|all",
            help="The ε that the lost entries had spent; all counts what was left (default: what "
            "the anchor remembers).",
        ),
    ] = None,
    facts: Annotated[
        bool,
        typer.Option("--facts", help="Continue under the facts of the dataset file as it is now."),
    ] = False,
    reason: Annotated[str, typer.Option(metavar="WORDS", help="Kept in the ledger.")] = "",
    yes: options.Yes = False,
    json: options.Json = False,
) -> None:
    """Continue with a restored older copy, without an anchor, or under changed facts."""
    from discreet.errors import InvalidInput

    if facts and lost is not None:
        raise InvalidInput("give --lost or --facts, not both")
    if facts:
        _acknowledge_facts(file, reason, yes=yes, as_json=json)
    else:
        _acknowledge_loss(file, lost, reason, yes=yes, as_json=json)


def _acknowledge_facts(file: str, reason: str, *, yes: bool, as_json: bool) -> None:
    from discreet.cli.rendering import ledger as booking
    from discreet.cli.rendering.terminal import confirm, console, say, say_json

    with booking.opened(file) as ledger:
        confirm("Record permanently that the facts of this dataset changed?", yes=yes)
        changes = ledger.acknowledge_premises(reason)
    if as_json:
        say_json({"changes": [change.to_dict() for change in changes]})
        return
    lines = [f"  {change}" for change in changes]
    say(
        console(),
        "from now on the guarantee rests on the facts of the dataset file as it is",
        *lines,
    )


def _acknowledge_loss(
    file: str, lost: str | None, reason: str, *, yes: bool, as_json: bool
) -> None:
    from discreet import budget as ledgers
    from discreet.cli.rendering import ledger as booking
    from discreet.cli.rendering.terminal import confirm, console, say, say_json
    from discreet.curator import acknowledge_loss
    from discreet.text import Amount, plural

    dataset = booking.dataset_of(file)
    confirm("Record permanently that entries were lost?", yes=yes)
    if dataset is None:
        loss = ledgers.acknowledge(booking.place_of(file), lost, reason)
    else:
        loss = acknowledge_loss(dataset, file, lost, reason)
    charged = str(Amount(loss.billionths))
    if as_json:
        say_json({"kept": loss.kept, "anchored": loss.anchored, "charged": charged})
        return
    known = "the anchor was gone" if loss.anchored is None else f"{loss.anchored} were known"
    here = plural(loss.kept, "entry is", "entries are")
    say(
        console(),
        f"{here} here, {known}; ε = {charged} counts as spent by the "
        "lost ones, and questions that were charged without an answer are void",
    )


@books.command(
    epilog=options.examples(
        "discreet ledger prepare survey.toml --role discreet_server",
        "discreet ledger prepare survey.toml --role discreet_server --sql",
    )
)
def prepare(
    file: Book,
    role: Annotated[
        str | None, typer.Option(metavar="ROLE", help="A role of PostgreSQL that servers use.")
    ] = None,
    *,
    sql: Annotated[
        bool, typer.Option("--sql", help="Print the statements instead, and do nothing.")
    ] = False,
    json: options.Json = False,
) -> None:
    """Make a database ready for this ledger, and for shared accounts, as its custodian."""
    from discreet import accounts
    from discreet.budget import prepare as made
    from discreet.budget import schema_sql
    from discreet.cli.rendering import ledger as booking
    from discreet.cli.rendering.terminal import console, say, say_json
    from discreet.curator import open_ledger

    dataset, shared = booking.shared_of(file)
    if sql:
        people = accounts.schema_sql(role) if dataset.shares_accounts else ""
        statements = (schema_sql(shared, role) + people).strip()
        say_json({"sql": statements}) if json else print(statements)
        return
    is_new = made(shared, role)
    if dataset.shares_accounts:
        accounts.prepare(shared.connection, role)
    begun = not booking.place_of(file).is_file()
    if begun:
        with open_ledger(dataset, file) as ledger:
            entries = ledger.entries_count()
    if json:
        say_json({"ledger": str(shared), "new": is_new, "role": role, "begun": begun})
        return
    say(
        console(),
        "the tables and their rules were made" if is_new else "the tables and rules are there",
        *([] if role is None else [_rights(role, with_accounts=dataset.shares_accounts)]),
        f"the ledger has {entries} entries; servers may ask"
        if begun
        else f"{booking.place_of(file).name} is still a file: discreet ledger move {file}",
    )


def _rights(role: str, *, with_accounts: bool) -> str:
    accounts = ", may look accounts up" if with_accounts else ""
    return f"{role} may add charges and answers to this ledger{accounts}, and nothing else"


@books.command(epilog=options.examples("discreet ledger move survey.toml"))
def move(file: Book, yes: options.Yes = False, json: options.Json = False) -> None:
    """Move the ledger's file into PostgreSQL, every entry as it is; the chain goes on there."""
    from discreet.budget import move as moved
    from discreet.cli.rendering import ledger as booking
    from discreet.cli.rendering.terminal import confirm, console, say, say_json

    _, shared = booking.shared_of(file)
    place = booking.place_of(file)
    confirm(f"Move {place.name} into PostgreSQL for good?", yes=yes)
    entries = moved(place, shared)
    if json:
        say_json({"ledger": str(shared), "entries": entries})
        return
    say(
        console(),
        f"{entries} entries moved, every hash and balance checked; {place.name}.moved is kept "
        "aside, and nothing spends from it",
    )
