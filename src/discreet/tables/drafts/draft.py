"""A commented draft of a dataset file, for the custodian to confirm line by line.

The draft looks at the rows, so what it proposes is not public yet: whoever confirms a bound says
that it is known without looking. Nothing is answered while `confirmed = false`.
"""

import re
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, replace
from pathlib import Path

from discreet.errors import DatasetError
from discreet.exact import show
from discreet.tables import readers
from discreet.tables.cleaning import GAPS
from discreet.tables.dialect import DIALECTS, ENCODINGS, Dialect, Quoting
from discreet.tables.drafts.columns import Proposal, proposal
from discreet.tables.drafts.sampling import sample_of
from discreet.tables.drafts.seen import DATE, MOST_LOOKED_AT, Seen, look
from discreet.tables.drafts.writing import CONFIRM, DRAFT, fact_lines, key_text, quoted_text
from discreet.tables.readers.text_files import detect_dialect
from discreet.tables.source import COMPRESSIONS, INSIDE, KINDS, SERVED, Source, kind_of_name
from discreet.text import all_of, plural

DRAFT_BUDGET = "3"
"""What a draft proposes for all questions together."""

_CELLS = {"true", "false", "yes", "no", *GAPS}
_NUMBER = re.compile(r"[-+]?(\d+[.,]?\d*|[.,]\d+)([eE][-+]?\d+)?")
_MOST_NAMED = 5
_ONE_ROW = "one person has only one row here"
_WORTH = "# (what this buys is said here)\n"


@dataclass(frozen=True)
class Doubtful:
    """A line to confirm: where it is, what it says, and what is odd about the rows behind it."""

    line: int
    text: str
    doubt: str = ""


@dataclass(frozen=True)
class DatasetDraft:
    """The text of a draft, and what it was made from."""

    opening: str
    proposals: tuple[Proposal, ...]
    worth: tuple[str, ...] = ()
    """What the budget buys, line by line."""
    sampled: str = ""
    """Which rows were looked at, where it was not all."""
    _: KW_ONLY
    seen: tuple[Seen, ...] = ()
    """What the columns hold: for the custodian alone."""

    @property
    def text(self) -> str:
        """The whole file."""
        worth = "".join(f"# {line}".rstrip() + "\n" for line in self.worth)
        opening = self.opening.replace(_WORTH, worth)
        return opening + "\n".join(one.text for one in self.proposals)

    @property
    def to_confirm(self) -> tuple[Doubtful, ...]:
        """Every line that somebody must know without the rows, once."""
        doubts = iter([one.doubt for one in self.proposals if not one.left_out])
        doubtful, columns = [], False
        for number, line in enumerate(self.text.splitlines(), start=1):
            columns = columns or line.startswith("[columns.")
            if line.startswith(CONFIRM):
                text = line.removeprefix(CONFIRM)
                doubt = self._unit_doubt if text == _ONE_ROW else next(doubts) if columns else ""
                doubtful.append(Doubtful(number, text, doubt))
        return tuple(doubtful)

    @property
    def _unit_doubt(self) -> str:
        units = [show(one.column) for one in self.proposals if one.may_be_unit]
        return f"values of {all_of(units)} repeat: whose rows are they?" if units else ""

    @property
    def lists(self) -> dict[str, str]:
        """Files of words that belong beside the draft, by their names."""
        return {
            one.list_name: "".join(f"{word}\n" for word in one.listed)
            for one in self.proposals
            if one.listed
        }

    @property
    def left_out(self) -> tuple[tuple[str, str], ...]:
        """The columns that are not proposed, each with the reason."""
        return tuple((one.column, one.left_out) for one in self.proposals if one.left_out)


_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:/")


def kind_of_source(path: Path) -> str:
    """Which kind of table a file is; raises DatasetError when it is none, or not there."""
    endings = ", ".join(KINDS)
    if not path.is_file() and _ADDRESS.match(str(path)):  # it may hold a password: not quoted
        raise DatasetError(
            f"a draft is made from a file ({endings}), from postgresql://… or from sc://… "
            "(Spark), not from other addresses"
        )
    if path.is_dir() or (not path.is_file() and "*" in str(path)):
        raise DatasetError(
            f"{show(str(path))} is a {'folder' if path.is_dir() else 'pattern'}; give the file "
            "that holds the table, or one of many: its draft may then say "
            'files = "visits/*.parquet" instead of path'
        )
    if not path.is_file():
        raise DatasetError(f"there is no file {show(str(path))}; give a table: {endings}")
    kind = kind_of_name(path.name)
    if path.suffix.lower() == ".zip":
        raise DatasetError(
            f"{show(path.name)} is an archive, which cannot be read; unpack it, or compress the "
            f"table itself: {', '.join(COMPRESSIONS)} after .csv, .tsv or .jsonl"
        )
    if kind is None:
        raise DatasetError(f"cannot tell what {show(path.name)} is; its name must end in {endings}")
    return kind


def draft_dataset(source_path: Path, table: str | None = None, name: str = "") -> DatasetDraft:
    """A draft for a file; raises DatasetError when it cannot be read."""
    return draft_source(
        Source(path=source_path, kind=kind_of_source(source_path), table=table), name
    )


def draft_source(source: Source, name: str = "") -> DatasetDraft:
    """A draft for a file, or for a table of a server."""
    kind = source.kind
    if kind in INSIDE and not source.table:
        source = replace(source, table=readers.only_table(source))
    with sample_of(source, MOST_LOOKED_AT) as sample:
        looked_at = sample.source
        if kind in DIALECTS:
            source = replace(source, dialect=detect_dialect(looked_at))
            looked_at = replace(looked_at, dialect=source.dialect)
        seen = look(looked_at, sample.rows)
    proposals = tuple(proposal(column) for column in seen)
    if source.connection is not None:
        kept = {one.column for one in proposals if not one.left_out}
        pinned = tuple(one for one in sample.types.items() if one[0] in kept)
        source = replace(source, types=pinned)
    odd = _headless(seen) if kind in DIALECTS else ""
    rows = max((column.of_rows for column in seen), default=0)
    if not rows:
        raise DatasetError(f"{source.called} has no rows to draft from; give a table with some")
    looked = max((column.rows for column in seen), default=0)
    sampled = f"columns were judged by {looked:,} of {rows:,} rows" if looked < rows else ""
    units = [one.column for one in proposals if one.may_be_unit]
    opening = _opening(source, name or source.stem, rows, odd, units)
    if sampled:
        opening = f"# {sampled.capitalize()}, taken by lot.\n{opening}"
    return DatasetDraft(opening, proposals, sampled=sampled, seen=tuple(seen))


def _headless(seen: Sequence[Seen]) -> str:
    """A sentence when columns are called as cells are: perhaps the first row became the names."""
    cells = [column.name for column in seen if _is_value(column.name)]
    if not cells and not any(_has_a_name(column) for column in seen):
        cells = [column.name for column in seen if _is_a_cell(column)]
    if not cells:
        return ""
    listed = ", ".join(show(name) for name in cells[:_MOST_NAMED])
    more = ", ..." if len(cells) > _MOST_NAMED else ""
    return (
        f"the first line of the file holds column names, although {listed}{more} "
        f"{'looks like a cell' if len(cells) == 1 else 'look like cells'}"
    )


def _is_value(name: str) -> bool:
    """Whether a name is a number or a date."""
    return bool(_NUMBER.fullmatch(name.strip()) or re.match(DATE, name.strip()))


def _is_a_cell(column: Seen) -> bool:
    name = column.name.strip()
    return name.lower() in _CELLS or name in {word for word, _ in column.words}


def _has_a_name(column: Seen) -> bool:
    """Whether its name cannot be one of its cells: numbers under a word."""
    return column.is_numeric and column.name.strip().lower() not in _CELLS


def _opening(source: Source, name: str, rows: int, odd: str, units: Sequence[str]) -> str:
    first = f"{CONFIRM}{odd}\n" if odd else ""
    return f"""\
{DRAFT}: it is for the custodian alone until every line marked CONFIRM is
# known WITHOUT the rows, from the questionnaire, from the instrument, from the law. Everything
# here counts as public. Change what is wrong, then set confirmed = true; until then nothing is
# answered. `discreet check` explains this file, and warns of bounds that are too loose.

name = {quoted_text(name)}
confirmed = false

[source]
{first}{_source_lines(source)}
[privacy]
{_privacy_lines(rows, units)}
[budget]
{CONFIRM}all questions together may cost ε = {DRAFT_BUDGET}, for ever
{_WORTH}total = "{DRAFT_BUDGET}"
# [budget.analysts]
# ana = "0.5"

# Numbers outside low and high count as the nearer bound, words that are not listed as "other", and
# empty cells are skipped. Narrow bounds make answers more accurate: choose the narrowest ones that
# you can vouch for.
# gaps = false says that no cell may be empty, and means are then more accurate, too; one that is
# empty all the same counts as `missing`. closed = true says that the words are all there are: then
# answers have no group "other", and any other word is a gap.

"""


def _source_lines(source: Source) -> str:
    """Where the rows are."""
    inside = {INSIDE.get(source.kind, "table"): quoted_text(source.table)} if source.table else {}
    if source.connection is not None:
        where = {source.connection.key: quoted_text(source.connection.value)}
        lines = fact_lines({"kind": quoted_text(source.kind), **where, **inside})
        pinned = ", ".join(f"{key_text(name)} = {quoted_text(one)}" for name, one in source.types)
        ways = (
            '# rows = "asked" asks the server for every question, instead of copying the rows\n'
            if len(SERVED[source.kind]) > 1
            else ""
        )
        return f"{lines}{ways}types = {{ {pinned} }}\n"
    path = fact_lines({"path": quoted_text(source.path.name), **inside})
    return path if inside else path + _dialect_lines(source.dialect)


def _privacy_lines(rows: int, units: Sequence[str]) -> str:
    """Who is protected, and what is known of the number of rows."""
    several = (
        f"# Values of {all_of([quoted_text(one) for one in units])} come back. "
        f"If that is who is protected: unit = {quoted_text(units[0])},\n"
        if units
        else '# If a column says whose row it is: unit = "that column",\n'
    )
    return f"""\
{CONFIRM}{_ONE_ROW}
{several}# most_rows_per_unit = how many rows of one person count, and size_at_most instead of size.
unit = "row"
# "change": one person's record may change; "add-or-remove": whether somebody is in the
# table at all is secret, and the number of rows with it.
neighbours = "change"
{CONFIRM}everybody may know that there {"is" if rows == 1 else "are"} {plural(rows, "row")}
# If not: size_at_most = {_round_up(rows)}, a bound that is known without counting.
size = {rows}
"""


def _dialect_lines(dialect: Dialect | None) -> str:
    if dialect is None:
        return ""
    by_quoting = {
        Quoting.LINE: ("", "  # cells may stand in quotes, within a line"),
        Quoting.NONE: ("", "  # quotes are characters like any other"),
        Quoting.MULTILINE: (
            f"{CONFIRM}cells span lines, and whoever writes this file doubles quotes inside cells\n"
            "# digest = what discreet check prints once it has found the file well-formed\n",
            "",
        ),
    }
    before, beside = by_quoting[dialect.quoting]
    return (
        f"delimiter = {quoted_text(dialect.delimiter)}\n"
        f'{before}quoting = "{dialect.quoting}"{beside}\n'
        f'line_ending = "{dialect.line_ending}"\n{_encoding_lines(dialect)}'
    )


def _encoding_lines(dialect: Dialect) -> str:
    named = {python: name for name, python in ENCODINGS.items()}
    if dialect.encoding is None:
        return ""
    called = named[dialect.encoding]
    return f'{CONFIRM}the text of this file is {called}\nencoding = "{called}"\n'


def _round_up(rows: int) -> int:
    """A fifth more, in two digits."""
    unit: int = 10 ** max(0, len(str(rows)) - 2)
    return max(1, -(-rows * 6 // 5 // unit) * unit)
