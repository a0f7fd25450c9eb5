"""A ledger in PostgreSQL as one reader sees it, and as the one who writes does.

Who writes holds the book's head, decides in memory, and sends all entries in one statement. The
rules are those that the database checks again (`schema.py`): here they tell who is refused, there
they hold whoever connects.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from discreet.budget.book import LookUp, Refused, Spending
from discreet.budget.entries import Entry, EntryKind, Head
from discreet.budget.postgresql.schema import COLUMNS
from discreet.errors import BudgetError, NotPrepared
from discreet.exact import show

_LONGEST = 500
_SELECT = f"SELECT {COLUMNS} FROM discreet.entries WHERE book = %s"
_FINDING = {
    kind: f"{_SELECT} AND kind = '{kind}' AND question = %s"
    for kind in (EntryKind.CHARGE, EntryKind.ANSWER)
}
_CHARGED = f"{_SELECT} AND kind = '{EntryKind.CHARGE}' AND question = ANY(%s)"
_ACCOUNTS = "SELECT name, allowed, spent FROM discreet.accounts WHERE book = %s"
_NEWEST_FACTS = f"{_SELECT} AND kind = '{EntryKind.FACTS}' ORDER BY seq DESC LIMIT 1"
_APPENDING = f"""
INSERT INTO discreet.entries (book, {COLUMNS})
SELECT %s, * FROM unnest(
    %s::bigint[], %s::text[], %s::text[], %s::text[], %s::text[],
    %s::bigint[], %s::text[], %s::text[], %s::text[]
)
"""
_NONE: Spending = (None, 0)
_SERVED = (EntryKind.CHARGE, EntryKind.ANSWER)


class PostgresBook:
    """What a reader sees."""

    def __init__(self, connection: Any, name: str) -> None:
        self.connection, self.name = connection, name

    def _rows(self, sql: str, *values: object) -> list[tuple[Any, ...]]:
        rows: list[tuple[Any, ...]] = self.connection.execute(sql, (self.name, *values)).fetchall()
        return rows

    def _entry(self, sql: str, *values: object) -> Entry | None:
        return next((Entry.of_row(row) for row in self._rows(sql, *values)), None)

    def expect(self, about: Sequence[LookUp]) -> None:
        """Nothing to do: a reader looks for one thing."""

    def head(self) -> Head | None:
        """The number and the hash of the newest entry."""
        rows = self._rows("SELECT seq, hash FROM discreet.heads WHERE book = %s")
        return next((Head(*row) for row in rows if row[0] > 0), None)

    def entry_at(self, seq: int) -> Entry | None:
        """The entry of a number."""
        return self._entry(f"{_SELECT} AND seq = %s", seq)

    def find(self, kind: EntryKind, question: str) -> Entry | None:
        """The charge or the answer of a question."""
        return self._entry(_FINDING[kind], question) if is_storable(question) else None

    def any_charge(self) -> bool:
        """Whether anything was ever charged."""
        return bool(self._rows(f"{_SELECT} AND kind = '{EntryKind.CHARGE}' LIMIT 1"))

    def lost_since(self, seq: int) -> bool:
        """Whether a loss was acknowledged after the entry of that number."""
        lost = f"{_SELECT} AND kind = '{EntryKind.ACKNOWLEDGED}' AND seq > %s LIMIT 1"
        return bool(self._rows(lost, seq))

    def facts_digest(self) -> str | None:
        """The digest of the facts recorded last: such an entry has it in place of a question."""
        newest = self.newest_facts()
        return None if newest is None else newest.question

    def resting_since(self, digest: str) -> int | None:
        """The number of the newest entry of facts, if it is of these."""
        newest = self.newest_facts()
        return newest.seq if newest is not None and newest.question == digest else None

    def newest_facts(self) -> Entry | None:
        """The facts recorded last."""
        return self._entry(_NEWEST_FACTS)

    def charges_after(self, seq: int, analyst: str, most: int) -> list[Entry]:
        """An analyst's charges of more than nothing after an entry, newest first."""
        rows = self._rows(
            f"{_SELECT} AND kind = '{EntryKind.CHARGE}' AND analyst = %s AND seq > %s "
            "AND billionths > 0 ORDER BY seq DESC LIMIT %s",
            analyst, seq, most,
        )  # fmt: skip
        return [Entry.of_row(row) for row in rows]

    def all_entries(self, analyst: str | None = None) -> list[Entry]:
        """Every entry, or every one of an analyst's, oldest first."""
        chosen = "" if analyst is None else "AND analyst = %s"
        values = () if analyst is None else (analyst,)
        return [
            Entry.of_row(row) for row in self._rows(f"{_SELECT} {chosen} ORDER BY seq", *values)
        ]

    def account(self, name: str) -> Spending:
        """What an account is allowed (None: no limit of its own) and has spent."""
        rows = self._rows(f"{_ACCOUNTS} AND name = %s", name)
        return next(((allowed, spent) for _, allowed, spent in rows), _NONE)

    def both(self, name: str) -> tuple[Spending, Spending]:
        """The total account and an analyst's own, in one look."""
        rows = self._rows(f"{_ACCOUNTS} AND name = ANY(%s)", ["", name])
        accounts = {whose: (allowed, spent) for whose, allowed, spent in rows}
        return accounts.get("", _NONE), accounts.get(name, _NONE)

    def accounts(self) -> dict[str, Spending]:
        """Every account; the total has the empty name."""
        rows = self._rows(f"{_ACCOUNTS} ORDER BY name")
        return {name: (allowed, spent) for name, allowed, spent in rows}

    def append(self, entry: Entry) -> None:
        """A reader adds nothing."""
        raise Refused("a reader adds nothing")

    @contextmanager
    def whole(self) -> Iterator[None]:
        """A reader adds nothing that could be taken back."""
        yield

    def ready_for_facts(self) -> None:
        """Entries of facts are kept from the first version on."""


class PostgresWritingBook(PostgresBook):
    """What the one who holds the head sees, with the entries that are not sent yet."""

    def __init__(self, connection: Any, name: str, head: Head | None, *, serving: bool) -> None:
        super().__init__(connection, name)
        self._head, self._serving = head, serving
        self._pending: list[Entry] = []
        self._found: dict[tuple[str, str], Entry | None] = {}
        self._accounts: dict[str, Spending] = {}
        self._facts: Entry | None = None
        self._facts_known = False

    def expect(self, about: Sequence[LookUp]) -> None:
        """Look for all of it at once."""
        questions = [one.question for one in about if is_storable(one.question)]
        names = list({"", *(one.analyst for one in about if is_storable(one.analyst))})
        with self.connection.pipeline():
            charged = self.connection.execute(_CHARGED, (self.name, questions))
            accounts = self.connection.execute(
                f"{_ACCOUNTS} AND name = ANY(%s)", (self.name, names)
            )
            facts = self.connection.execute(_NEWEST_FACTS, (self.name,))
        self._found = {(kind, question): None for question in questions for kind in _SERVED}
        for row in charged.fetchall():
            entry = Entry.of_row(row)
            self._found[EntryKind.CHARGE, entry.question] = entry
            del self._found[EntryKind.ANSWER, entry.question]
        self._accounts = dict.fromkeys(names, _NONE)
        self._accounts |= {name: (allowed, spent) for name, allowed, spent in accounts.fetchall()}
        self._facts = next((Entry.of_row(row) for row in facts.fetchall()), None)
        self._facts_known = True

    def head(self) -> Head | None:
        """The number and the hash of the newest entry."""
        return self._pending[-1].head if self._pending else self._head

    def entry_at(self, seq: int) -> Entry | None:
        """The entry of a number."""
        own = next((entry for entry in self._pending if entry.seq == seq), None)
        return own or super().entry_at(seq)

    def find(self, kind: EntryKind, question: str) -> Entry | None:
        """The charge or the answer of a question."""
        if (kind, question) not in self._found:
            self._found[kind, question] = super().find(kind, question)
        return self._found[kind, question]

    def any_charge(self) -> bool:
        """Whether anything was ever charged."""
        own = any(entry.kind == EntryKind.CHARGE for entry in self._pending)
        return own or super().any_charge()

    def lost_since(self, seq: int) -> bool:
        """Whether a loss was acknowledged after the entry of that number."""
        kinds = {entry.kind for entry in self._pending if entry.seq > seq}
        return EntryKind.ACKNOWLEDGED in kinds or super().lost_since(seq)

    def newest_facts(self) -> Entry | None:
        """The facts recorded last."""
        if not self._facts_known:
            self._facts, self._facts_known = super().newest_facts(), True
        return self._facts

    def charges_after(self, seq: int, analyst: str, most: int) -> list[Entry]:
        """An analyst's charges of more than nothing after an entry, newest first."""
        own = [
            entry
            for entry in reversed(self._pending)
            if entry.kind == EntryKind.CHARGE and entry.analyst == analyst
            if entry.seq > seq and entry.billionths > 0
        ]
        return [*own, *super().charges_after(seq, analyst, most)][:most]

    def account(self, name: str) -> Spending:
        """What an account is allowed (None: no limit of its own) and has spent."""
        if name not in self._accounts:
            self._accounts[name] = super().account(name)
        return self._accounts[name]

    def both(self, name: str) -> tuple[Spending, Spending]:
        """The total account and an analyst's own."""
        return self.account(""), self.account(name)

    def append(self, entry: Entry) -> None:
        """Add an entry to those that will be sent, if no rule forbids it."""
        for word in (entry.question, entry.analyst):
            if not is_storable(word):
                raise BudgetError(
                    f"an id or a name can have at most {_LONGEST} characters, got {show(word)}"
                )
        if self._serving and entry.kind not in _SERVED:
            raise NotPrepared(
                "this role may only add charges and answers; connect as the custodian who "
                "prepared the ledger"
            )
        self._spend(entry)
        if entry.kind in _SERVED:
            self._found[entry.kind, entry.question] = entry
        if entry.kind == EntryKind.FACTS:
            self._facts, self._facts_known = entry, True
        self._pending.append(entry)

    def _spend(self, entry: Entry) -> None:
        if entry.kind == EntryKind.ANSWER:
            if self.find(EntryKind.CHARGE, entry.question) is None:
                raise Refused("no charge for this answer")
            if self.find(EntryKind.ANSWER, entry.question) is not None:
                raise Refused("a second answer to one question")
        elif entry.kind == EntryKind.CHARGE:
            if self.find(EntryKind.CHARGE, entry.question) is not None:
                raise Refused("a second charge for one question")
            if self.account("")[0] is None:
                raise Refused("no total budget")
            self._raise_spent(("", entry.analyst), entry.billionths)
        elif entry.kind == EntryKind.ACKNOWLEDGED:
            self._raise_spent(("",), entry.billionths)
        elif entry.kind == EntryKind.BUDGET:
            spent = self.account(entry.analyst)[1]
            if spent > entry.billionths:
                raise Refused("more is spent already")
            self._accounts[entry.analyst] = (entry.billionths, spent)

    def _raise_spent(self, names: Sequence[str], cost: int) -> None:
        accounts = {name: self.account(name) for name in names}
        if any(known is not None and spent + cost > known for known, spent in accounts.values()):
            raise Refused("more than is allowed")
        self._accounts |= {name: (known, spent + cost) for name, (known, spent) in accounts.items()}

    @contextmanager
    def whole(self) -> Iterator[None]:
        """When what is done within fails, nothing that it added stays."""
        before = (list(self._pending), dict(self._found), dict(self._accounts),
                  self._facts, self._facts_known)  # fmt: skip
        try:
            yield
        except BaseException:
            (self._pending, self._found, self._accounts, self._facts, self._facts_known) = before
            raise

    def take_over(self, entries: Sequence[Entry]) -> None:
        """Entries of another store as they are; the database checks them all."""
        self._pending.extend(entries)

    def send(self) -> None:
        """All entries in one statement, which the database checks as a whole."""
        if not self._pending:
            return
        columns = [
            [getattr(entry, name) for entry in self._pending] for name in COLUMNS.split(", ")
        ]
        columns[2] = [str(kind) for kind in columns[2]]
        self.connection.execute(_APPENDING, (self.name, *columns))


def is_storable(word: str) -> bool:
    """Whether PostgreSQL can keep and find a word: whole characters, none of them NUL, not long."""
    try:
        word.encode()
    except UnicodeEncodeError:
        return False
    return len(word) <= _LONGEST and "\0" not in word
