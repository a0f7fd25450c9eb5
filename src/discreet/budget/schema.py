"""The tables of a ledger's file and the rules in them: the database itself enforces the budgets."""

import apsw

VERSION = 2
OLDEST = 1
"""The oldest version that is read; it is brought up to date with the first entry that needs it."""

_ENTRIES = """
CREATE TABLE {name} (
    seq INTEGER PRIMARY KEY,
    at TEXT NOT NULL,
    kind TEXT NOT NULL,
    analyst TEXT NOT NULL,
    question TEXT NOT NULL,
    billionths INTEGER NOT NULL CHECK (billionths >= 0),
    body TEXT NOT NULL,
    previous TEXT NOT NULL,
    hash TEXT NOT NULL
) STRICT;
"""

_ACCOUNTS = """
CREATE TABLE accounts (
    name TEXT PRIMARY KEY,
    allowed INTEGER CHECK (allowed >= 0),
    spent INTEGER NOT NULL DEFAULT 0 CHECK (spent >= 0),
    CHECK (allowed IS NULL OR spent <= allowed)
) STRICT;
"""

_RULES = f"""
CREATE UNIQUE INDEX one_charge ON entries (question) WHERE kind = 'charge';
CREATE UNIQUE INDEX one_answer ON entries (question) WHERE kind = 'answer';
CREATE INDEX all_facts ON entries (seq) WHERE kind = 'facts';

CREATE TRIGGER no_update BEFORE UPDATE ON entries
BEGIN SELECT RAISE (ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER no_delete BEFORE DELETE ON entries
BEGIN SELECT RAISE (ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER in_order BEFORE INSERT ON entries
WHEN NEW.seq <> (SELECT ifnull(max(seq), 0) + 1 FROM entries)
BEGIN SELECT RAISE (ABORT, 'entries follow one another'); END;
CREATE TRIGGER known_kinds BEFORE INSERT ON entries
WHEN NEW.kind NOT IN ('budget', 'charge', 'answer', 'acknowledged', 'facts')
BEGIN SELECT RAISE (ABORT, 'no such kind of entry'); END;

CREATE TRIGGER budgets AFTER INSERT ON entries WHEN NEW.kind = 'budget'
BEGIN
    INSERT INTO accounts (name, allowed) VALUES (NEW.analyst, NEW.billionths)
    ON CONFLICT (name) DO UPDATE SET allowed = excluded.allowed;
END;
CREATE TRIGGER charges AFTER INSERT ON entries WHEN NEW.kind = 'charge'
BEGIN
    SELECT RAISE (ABORT, 'no total budget')
    WHERE NOT EXISTS (SELECT 1 FROM accounts WHERE name = '' AND allowed IS NOT NULL);
    INSERT INTO accounts (name) VALUES (NEW.analyst) ON CONFLICT (name) DO NOTHING;
    UPDATE accounts SET spent = spent + NEW.billionths WHERE name IN ('', NEW.analyst);
END;
CREATE TRIGGER losses AFTER INSERT ON entries WHEN NEW.kind = 'acknowledged'
BEGIN
    UPDATE accounts SET spent = spent + NEW.billionths WHERE name = '';
END;
CREATE TRIGGER answers BEFORE INSERT ON entries WHEN NEW.kind = 'answer'
BEGIN
    SELECT RAISE (ABORT, 'no charge for this answer')
    WHERE NOT EXISTS (SELECT 1 FROM entries WHERE kind = 'charge' AND question = NEW.question);
END;
PRAGMA user_version = {VERSION};
"""


def version(connection: apsw.Connection) -> int:
    """The version of the file; 0 for one that holds nothing yet."""
    found = int(str(connection.execute("PRAGMA user_version").fetchall()[0][0]))
    if found == 0 and connection.execute("SELECT 1 FROM sqlite_master").fetchall():
        return -1
    return found


def create(connection: apsw.Connection) -> None:
    """Make the tables; to be called within a transaction."""
    connection.execute(_ENTRIES.format(name="entries") + _ACCOUNTS + _RULES)


def upgrade(connection: apsw.Connection) -> None:
    """Bring a file of version 1 up to date, entry by entry as they are; within a transaction.

    Its table names the kinds of entries that there were, and SQLite cannot change that in place.
    """
    connection.execute(
        _ENTRIES.format(name="renewed")
        + "INSERT INTO renewed SELECT * FROM entries ORDER BY seq;"
        + "DROP TABLE entries; ALTER TABLE renewed RENAME TO entries;"
        + _RULES
    )
