"""The ledger of a dataset file, beside it or in PostgreSQL: the file's budgets begin it.

A budget that is changed in the file later is not applied by itself: raising what may be spent is
the custodian's explicit act. However the file is spelled, it has one ledger. The facts that the
guarantee rests on are recorded in it; names are those of analysts and questions.
"""

import getpass
import os
import secrets
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from discreet.budget import (
    ANCHOR,
    KEY,
    Beginning,
    Ledger,
    Premises,
    RecordedLoss,
    acknowledge,
    first_budgets,
)
from discreet.errors import DatasetError, LedgerError
from discreet.exact import Epsilon, EpsilonLike, show
from discreet.tables import (
    CategoryColumn,
    Column,
    Dataset,
    DateColumn,
    Key,
    NumberColumn,
    Source,
    examine_dataset,
)


def premises_of(dataset: Dataset, ledger: Path) -> Premises:
    """What is recorded in the ledger of a dataset, and compared with it before every charge."""
    facts = {**source_facts(dataset, ledger), **_privacy(dataset)}
    for column in dataset.columns:
        facts |= {f"columns.{column.name}.{key}": fact for key, fact in _column(column).items()}
    for one in dataset.derivations:
        facts[f"derived.{one.name}.expression"] = dataset.expression_sql(one.name)
    if dataset.second_anchor is not None:
        facts[ANCHOR] = dataset.second_anchor.place
    key = _key_of(dataset, ledger)
    if key is not None:
        facts[KEY] = key.fingerprint
    return Premises(facts)


def source_facts(dataset: Dataset, ledger: Path) -> dict[str, Any]:
    """Where the rows are. Beside the ledger the path is relative: a folder may move with all that
    is in it."""
    source, folder = dataset.source, ledger.resolve().parent
    facts: dict[str, Any] = {"source.kind": source.kind}
    if source.version is not None:
        facts["source.version"] = source.version
    if source.is_frame:  # what it holds is private, so that another one is not noticed
        return facts
    if source.connection is not None:
        where = f"source.{source.connection.key}"
        return facts | {"source.table": source.table, where: source.connection.value}
    place = source.path.resolve()
    inside = place.is_relative_to(folder)
    facts["source.path"] = (place.relative_to(folder) if inside else place).as_posix()
    if source.patterns:
        facts |= {
            "source.files": list(source.patterns),
            "source.partitions": list(source.partitions),
        }
    if source.table is not None:
        facts["source.table"] = source.table
    written = asdict(source.dialect) if source.dialect is not None else {}
    return facts | {f"source.{key}": str(fact) for key, fact in written.items() if fact is not None}


def _privacy(dataset: Dataset) -> dict[str, Any]:
    size = "size" if dataset.size_is_public else "size_at_most"
    return {
        "privacy.unit": dataset.unit.id_column or "row",
        "privacy.most_rows_per_unit": dataset.unit.most_rows,
        **_one_row_per(dataset),
        "privacy.neighbours": str(dataset.relation),
        f"privacy.{size}": dataset.most_rows,
    }


def _one_row_per(dataset: Dataset) -> dict[str, Any]:
    column = dataset.unit.one_row_per
    return {} if column is None else {"privacy.one_row_per": column}


def _column(column: Column) -> dict[str, Any]:
    """What gaps count as is told where they count at all; whether there are any changes nothing."""
    filled = {} if column.missing is None else {"missing": str(column.missing)}
    if isinstance(column, NumberColumn):
        return {
            "type": str(column.type),
            "low": str(column.grid.start),
            "high": str(column.grid.last),
            "step": str(column.grid.step),
            **({"decimal": ","} if column.comma else {}),
            **(_of_dates(column) if isinstance(column, DateColumn) else {}),
            **filled,
        }
    return {
        "type": str(column.type),
        "values": sorted(str(value) for value in column.labels.values()),
        **({"closed": True} if column.closed else {}),
        **_words_of_truth(column),
        **filled,
    }


def _of_dates(column: DateColumn) -> dict[str, Any]:
    order = {} if column.order is None else {"order": str(column.order)}
    return {"resolution": str(column.resolution), **order}


def _words_of_truth(column: CategoryColumn) -> dict[str, Any]:
    """By which words a boolean is written, where the dataset file says so."""
    if column.spellings == CategoryColumn.spellings:
        return {}
    return {
        key: list(words) for key, words in zip(("false", "true"), column.spellings, strict=True)
    }


def default_analyst() -> str:
    """Who asks unless somebody is named: DISCREET_ANALYST, or the name of the login."""
    try:
        return os.environ.get("DISCREET_ANALYST") or getpass.getuser()
    except (KeyError, OSError):
        return "analyst"


def new_id() -> str:
    """A fresh question id."""
    return "q-" + secrets.token_hex(6)


LEDGER = ".ledger"
_MOST_SIBLINGS = 100


def ledger_path(dataset_file: str | os.PathLike[str]) -> Path:
    """Where the ledger of a dataset file is: beside the file itself, not beside a link to it.

    >>> ledger_path("survey.toml").name
    'survey.ledger'
    """
    file = Path(dataset_file)
    return (file.resolve() if file.is_symlink() else file).with_suffix(LEDGER)


def open_ledger(dataset: Dataset, dataset_file: str | os.PathLike[str]) -> Ledger:
    """The ledger of a dataset file, created with its budgets when there is none yet."""
    place = ledger_path(dataset_file)
    _refuse_ledger_of_link(Path(dataset_file), place)
    return Ledger.open_or_create(
        place,
        dataset.budget.total,
        dict(dataset.budget.analysts),
        premises=premises_of(dataset, place),
        second_anchor=dataset.second_anchor,
        shared=dataset.shared_book,
    )


def has_ledger(dataset: Dataset, dataset_file: str | os.PathLike[str]) -> bool:
    """Whether a ledger was begun; of one in PostgreSQL, whether this server has opened it."""
    place = ledger_path(dataset_file)
    if place.is_file() or dataset.shared_book is None:
        return place.is_file()
    return place.with_name(place.name + ".head").is_file()


def reopen_ledger(dataset: Dataset, dataset_file: str | os.PathLike[str]) -> Ledger:
    """The ledger of a dataset file that has one: for the custodian, who sees what is there."""
    place = ledger_path(dataset_file)
    return Ledger(
        place,
        premises=premises_of(dataset, place),
        second_anchor=dataset.second_anchor,
        shared=dataset.shared_book,
    )


def acknowledge_loss(
    dataset: Dataset,
    dataset_file: str | os.PathLike[str],
    spent: "EpsilonLike | None",
    reason: str = "",
) -> RecordedLoss:
    """Go on after entries of a dataset's ledger were lost; where it is gone, it begins again."""
    place, budget = ledger_path(dataset_file), dataset.budget
    beginning = Beginning(
        budgets=first_budgets(budget.total, dict(budget.analysts)),
        premises=premises_of(dataset, place),
    )
    return acknowledge(
        place,
        spent,
        reason,
        beginning=beginning,
        second_anchor=dataset.second_anchor,
        shared=dataset.shared_book,
    )


def open_key(dataset: Dataset, dataset_file: str | os.PathLike[str]) -> Key | None:
    """The secret of a dataset, in a file beside its ledger; None where nothing depends on it."""
    return _key_of(dataset, ledger_path(dataset_file))


def _key_of(dataset: Dataset, ledger: Path) -> Key | None:
    if dataset.unit.id_column is None and not dataset.source.is_pinned:
        return None
    return Key.open(ledger.with_name(ledger.name + ".key"))


def _refuse_ledger_of_link(file: Path, place: Path) -> None:
    stray = _ledger_of_link(file)
    if stray is None:
        return
    what = f"{stray.name}, beside the link {file.name}, has spent on these rows too"
    if place.is_file():
        raise LedgerError(
            f"{what}: lower the total budget of {place.name} by that much, then move it away"
        )
    raise LedgerError(f"{what}: rename it, and its .head, to {show(str(place))}")


def _ledger_of_link(file: Path) -> Path | None:
    """Earlier versions kept a ledger beside a link: what it spent must not be forgotten."""
    stray = file.with_suffix(LEDGER)
    if file.is_symlink() and stray.is_file() and stray.resolve() != ledger_path(file).resolve():
        return stray
    return None


def notices(dataset: Dataset, dataset_file: str | os.PathLike[str]) -> list[str]:
    """What a custodian should know before budgets are spent side by side, a line for each."""
    file = Path(dataset_file)
    if not file.exists():  # the facts of a frame may be in no file
        return []
    lines = [
        f"{path.name} has a budget of its own for the same rows, so the costs of both add up; "
        "keep one of them"
        for path in _over_same_rows(dataset, file)
    ]
    names = file.stat().st_nlink
    if names > 1:
        lines.append(
            f"{file.name} is one of {names} hard links to one file: another name would have "
            "another ledger; keep one of them"
        )
    return lines


def _over_same_rows(dataset: Dataset, file: Path) -> list[Path]:
    """Other dataset files beside this one, or beside the rows, that may spend on the same rows."""
    own = file.resolve()
    rows = dataset.source.files[:_MOST_SIBLINGS]
    folders = dict.fromkeys([own.parent, *(path.resolve().parent for path in rows)])
    beside = [path for folder in folders for path in sorted(folder.glob("*.toml"))]
    others = [path for path in beside if path.resolve() != own or _ledger_of_link(path)]
    return [path for path in others[:_MOST_SIBLINGS] if _spends_on(path, dataset.source)]


def _spends_on(path: Path, source: Source) -> bool:
    try:
        other = examine_dataset(path)[0]
        if other is None or not same_rows(other.source, source):
            return False
    except DatasetError:
        return False
    return other.confirmed or has_ledger(other, path)


def same_rows(one: Source, other: Source) -> bool:
    """Whether two sources have rows in common, however their paths are spelled."""
    if one.is_served or other.is_served:
        return (one.connection, one.table) == (other.connection, other.table)
    if one.is_database and (one.table or "").lower() != (other.table or "").lower():
        return False
    paths_of_each = [{path.resolve() for path in source.files} for source in (one, other)]
    if paths_of_each[0] & paths_of_each[1]:
        return True
    known = [{_identity(path) for path in paths if path.is_file()} for paths in paths_of_each]
    return bool(known[0] & known[1])


def _identity(path: Path) -> tuple[int, int]:
    """What hard links to one file have in common."""
    status = path.stat()
    return status.st_dev, status.st_ino


@dataclass(frozen=True)
class BudgetDifference:
    """A budget that the dataset file and the ledger tell differently; the ledger decides."""

    analyst: str
    """Whose it is; the total has the empty name."""
    declared: Epsilon
    allowed: int | None
    """What the ledger says, in billionths; None without a limit."""


def differing_budgets(dataset: Dataset, ledger: Ledger) -> list[BudgetDifference]:
    """Where the dataset file and the ledger disagree on budgets."""
    declared = [("", dataset.budget.total), *dataset.budget.analysts]
    allowed = {name: ledger.balance(name).allowed for name, _ in declared}
    return [
        BudgetDifference(name, epsilon, allowed[name])
        for name, epsilon in declared
        if allowed[name] != epsilon.billionths
    ]
