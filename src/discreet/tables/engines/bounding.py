"""At most c rows for each person: which of theirs is drawn by a lottery that nobody can foresee.

Rows are ordered by a hash of a secret, the person and the cells: by the cells themselves, the
smallest values would be kept, and every mean would be too low; without the secret, whoever writes
rows could choose which of them win. Nobody else's rows have a say: see
docs/proofs/one-record-one-row.md.
"""

from discreet.tables.cleaning import DUCKDB, is_blank
from discreet.tables.cleaning.forms import SqlCell
from discreet.tables.facts import Dataset
from discreet.tables.key import Key
from discreet.tables.readers.reader import UNREADABLE, name_sql, text_sql

_CROWDED, _STAGED, _PEOPLE, _SINGLE = "crowded", "staged", "persons", "single"


def person_of(cell: SqlCell, name: str) -> tuple[str, str]:
    """Whose row it is, as text under a name, and the WHERE of rows that say it.

    Blanks around an id make nobody else of a person. Without an id, or with one that could not be
    read, a row could push out another person's, so it is left out.
    """
    identity = f"{DUCKDB.trimmed(cell.text)} AS {name}"
    return identity, f"WHERE NOT {is_blank(name, DUCKDB)} AND NOT contains({name}, '{UNREADABLE}')"


def bounded(table: str, dataset: Dataset, key: Key) -> list[str]:
    """Statements that leave a table at most c rows for each person, with a number instead of an id.

    Where that may be several rows, people can be counted by that number, in which nothing but
    their difference matters. Only rows of people who have too many take part in the lottery. Where
    one row of each value of a column counts, these are drawn first.
    """
    whose, most = name_sql(dataset.person), dataset.unit.most_rows
    names = [f"{_STAGED}.{name_sql(column.name)}" for column in dataset.columns]
    cells = ", ".join(f"CAST({name} AS VARCHAR)" for name in names)
    ticket = f"concat_ws(' ', {text_sql(key.lottery)}, {_STAGED}.{whose}, {cells})"
    lot = f"ORDER BY sha256({ticket})"
    order = f"PARTITION BY {_STAGED}.{whose} {lot}"
    every, staged, numbered = ", ".join(names), _STAGED, []
    if dataset.has_people:
        every += f", {_PEOPLE}.number AS {whose}"
        staged = f"{_STAGED} JOIN {_PEOPLE} ON {_STAGED}.{whose} = {_PEOPLE}.whose"
        people = f"(SELECT DISTINCT {whose} AS whose FROM {_STAGED})"
        people_numbered = f"SELECT whose, row_number() OVER () AS number FROM {people}"
        numbered = [f"CREATE TABLE {_PEOPLE} AS {people_numbered}"]
    alike = f"{_CROWDED} ON {_STAGED}.{whose} = {_CROWDED}.whose"
    return [
        f"ALTER TABLE {table} RENAME TO {_STAGED}",
        *_one_for_each(dataset, whose, lot),
        f"CREATE TABLE {_CROWDED} AS SELECT {whose} AS whose FROM {_STAGED} GROUP BY {whose} "
        f"HAVING count(*) > {most}",
        *numbered,
        f"CREATE TABLE {table} AS SELECT {every} FROM {staged} ANTI JOIN {alike} UNION ALL "
        f"SELECT {every} FROM {staged} SEMI JOIN {alike} "
        f"QUALIFY row_number() OVER ({order}) <= {most}",
        *(f"DROP TABLE {name}" for name in (_STAGED, _CROWDED, *([_PEOPLE] * len(numbered)))),
    ]


def _one_for_each(dataset: Dataset, whose: str, lot: str) -> list[str]:
    """Statements that leave one row of a person for each value of a column, gaps being one."""
    column = dataset.unit.one_row_per
    if column is None:
        return []
    order = f"PARTITION BY {_STAGED}.{whose}, {_STAGED}.{name_sql(column)} {lot}"
    return [
        f"CREATE TABLE {_SINGLE} AS SELECT * FROM {_STAGED} "
        f"QUALIFY row_number() OVER ({order}) = 1",
        f"DROP TABLE {_STAGED}",
        f"ALTER TABLE {_SINGLE} RENAME TO {_STAGED}",
    ]
