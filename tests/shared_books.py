"""Asking of a ledger that several servers share, and writing into it past the program."""

from discreet.budget import Claim, Single
from discreet.budget.entries import EntryKind


def ask(ledger, question, cost=1, draw=lambda: {"value": "3"}):
    return ledger.answered(question, Claim(Single(cost)), draw, analyst="ana")


def inserted(connection, book, entry, **changed):
    told = {**vars(entry), **changed}
    told["hash"] = changed.get("hash") or type(entry)(**told).computed_hash()
    values = (
        book.name,
        *(str(one) if isinstance(one, EntryKind) else one for one in told.values()),
    )
    names = ", ".join(("book", *told))
    connection.execute(
        f"INSERT INTO discreet.entries ({names}) VALUES ({', '.join(['%s'] * len(values))})", values
    )
