"""The types that columns had when a source was first opened, in a file beside the ledger.

A column whose type changes may mean something else: a number that became a text is another cell. On
a server somebody declared the types, which are as public as the names of columns: a change is
refused until the custodian has looked, in one line and before any charge. In a Parquet or DuckDB
file they may be what one row made of them, as a program that writes one chooses; so a refusal would
tell of that row, and a change is told to the custodian alone. Of texts and frames nothing is
recorded.
"""

import json
import os
import secrets
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from discreet.curator.dataset_ledger import ledger_path, source_facts
from discreet.errors import DatasetError, LedgerError
from discreet.exact import show
from discreet.tables import Dataset, Source, means, same_type

_ENDING = ".types"


def hold_to_first_types(
    dataset: Dataset, dataset_file: str | os.PathLike[str], types: Mapping[str, Sequence[str]]
) -> None:
    """Refuse a server's table whose columns have changed their types; record those of new columns.

    Args:
        dataset: What is declared; a column that it pins may have the pinned type.
        dataset_file: Its file, which the record is named after.
        types: The types of the columns that were read, by their names.

    Raises:
        DatasetError: A column of a server's table has another type than before.
        LedgerError: The record cannot be read or written.
    """
    place, source = _place(dataset_file), source_facts(dataset, ledger_path(dataset_file))
    before = _recorded(place, source)
    _refuse_changes(dataset.source, before, types)
    pinned = dict(dataset.source.types)
    after = before | {
        name: list(kinds) for name, kinds in types.items() if name in pinned or name not in before
    }
    if after != before:
        _write(place, {"source": source, "types": after})


def check_first_types(
    dataset: Dataset, dataset_file: str | os.PathLike[str], types: Mapping[str, Sequence[str]]
) -> tuple[str, ...]:
    """The same for the custodian's own look, which records nothing.

    Returns:
        What changed in a file, a sentence for each column.
    """
    place, source = _place(dataset_file), source_facts(dataset, ledger_path(dataset_file))
    before = _recorded(place, source)
    _refuse_changes(dataset.source, before, types)
    return tuple(
        f"{sentence}; look whether its cells still mean the same: questions are answered, for "
        "types in a file may depend on its rows"
        for _, _, sentence in _changes(dataset.source, before, types)
    )


def _refuse_changes(
    source: Source, before: Mapping[str, Sequence[str]], types: Mapping[str, Sequence[str]]
) -> None:
    if not source.is_served:
        return
    for name, one, sentence in _changes(source, before, types):
        raise DatasetError(
            f"{sentence}; if that is intended, the custodian pins it: "
            f'types = {{ {show(name)} = "{one}" }} in [source]'
        )


def _changes(
    source: Source, before: Mapping[str, Sequence[str]], types: Mapping[str, Sequence[str]]
) -> Iterator[tuple[str, str, str]]:
    """The columns that have another type than before, with the type and a sentence of both."""
    pinned = {name for name, _ in source.types}
    for name, kinds in types.items():
        if name in pinned or name not in before:
            continue
        for one in kinds:
            if not any(_alike(source, one, was) for was in before[name]):
                was = " or ".join(before[name])
                yield (
                    name,
                    one,
                    f"column {show(name)} of {source.called} was {was} when first opened, and now "
                    f"is {one}",
                )
                break


def _alike(source: Source, one: str, other: str) -> bool:
    """Whether a column may be of either type: of a server, whose types somebody declared, only if
    they are the same; in a file, where a gap makes numbers doubles and no filled cell nothing at
    all, if they mean the same."""
    if same_type(source.kind, one, other):
        return True
    if source.is_served:
        return False
    return means(one) == means(other) or "" in (means(one), means(other))


def _place(dataset_file: str | os.PathLike[str]) -> Path:
    ledger = ledger_path(dataset_file)
    return ledger.with_name(ledger.name + _ENDING)


def _recorded(place: Path, source: Mapping[str, Any]) -> dict[str, list[str]]:
    """What was recorded of the same source: the ledger notices if it is another one."""
    try:
        if not place.exists():
            return {}
        record = json.loads(place.read_text(encoding="utf-8"))
        known = {str(name): list(map(str, one)) for name, one in record["types"].items()}
        return known if record["source"] == source else {}
    except OSError as problem:
        raise LedgerError(f"cannot read {place.name}: {problem.strerror}") from None
    except (ValueError, TypeError, KeyError, AttributeError):
        raise LedgerError(
            f"{place.name}, the types that columns had when first opened, is damaged; the "
            "custodian removes it: types are then recorded anew"
        ) from None


def _write(place: Path, record: Mapping[str, Any]) -> None:
    """The whole record under its name, or the one before."""
    draft = place.with_name(f"{place.name}.{secrets.token_hex(8)}")
    try:
        try:
            draft.write_text(
                json.dumps(record, indent=1, ensure_ascii=False) + "\n", encoding="utf-8"
            )
            draft.replace(place)
        finally:
            draft.unlink(missing_ok=True)
    except OSError as problem:
        raise LedgerError(f"cannot write {place.name}: {problem.strerror}") from None
