"""The types that columns had when a source was first opened, in a file beside the ledger.

A column whose type changes may mean something else: a number that became a text is another cell. So
such a change is refused until the custodian has looked, in one line and before any charge. Types
are declared where the rows are, and are as public as the names of columns; of texts and frames, in
which rows decide over them, nothing is recorded.
"""

import json
import os
import secrets
from collections.abc import Mapping, Sequence
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
    """Refuse a source whose columns have changed their types; record those of new columns.

    Args:
        dataset: What is declared; a column that it pins may have the pinned type.
        dataset_file: Its file, which the record is named after.
        types: The types of the columns that were read, by their names.

    Raises:
        DatasetError: A column has another type than before.
        LedgerError: The record cannot be read or written.
    """
    place, source = _place(dataset_file), source_facts(dataset, ledger_path(dataset_file))
    before = _recorded(place, source)
    _check(dataset.source, before, types)
    pinned = dict(dataset.source.types)
    after = before | {
        name: list(kinds) for name, kinds in types.items() if name in pinned or name not in before
    }
    if after != before:
        _write(place, {"source": source, "types": after})


def check_first_types(
    dataset: Dataset, dataset_file: str | os.PathLike[str], types: Mapping[str, Sequence[str]]
) -> None:
    """The same for the custodian's own look, which records nothing."""
    place, source = _place(dataset_file), source_facts(dataset, ledger_path(dataset_file))
    _check(dataset.source, _recorded(place, source), types)


def _check(
    source: Source, before: Mapping[str, Sequence[str]], types: Mapping[str, Sequence[str]]
) -> None:
    pinned = {name for name, _ in source.types}
    for name, kinds in types.items():
        if name in pinned or name not in before:
            continue
        for one in kinds:
            if not any(_alike(source, one, was) for was in before[name]):
                raise DatasetError(
                    f"column {show(name)} of {source.called} was {' or '.join(before[name])} when "
                    f"first opened, and now is {one}; if that is intended, the custodian pins it: "
                    f'types = {{ {show(name)} = "{one}" }} in [source]'
                )


def _alike(source: Source, one: str, other: str) -> bool:
    """Whether a column may be of either type: of a server, whose types somebody declared, only if
    they are the same."""
    if same_type(source.kind, one, other):
        return True
    return not source.is_served and means(one) == means(other)


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
