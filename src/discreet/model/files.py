"""Mechanisms on disk: a small JSON file, version 1 (docs/reference/mechanism-file.md)."""

import json
import os
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from discreet.errors import FileError, InvalidInput
from discreet.exact import show
from discreet.model.mechanism import Mechanism
from discreet.model.neighbours import Neighbours, neighbours_from_dict, neighbours_to_dict
from discreet.model.ray_mechanism import FIELDS, RayBlocks, RayMechanism
from discreet.model.spaces import Space, space_from_dict, space_to_dict

FORMAT = "discreet-mechanism"
VERSION = 1
MOST_BYTES = 256 * 2**20


def mechanism_to_dict(mechanism: Mechanism) -> dict[str, Any]:
    """A mechanism as plain JSON values; weights are decimal strings, for they may be long."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "name": mechanism.name,
        "notes": dict(mechanism.notes),
        "answers": space_to_dict(mechanism.answers),
        "outputs": space_to_dict(mechanism.outputs),
        "neighbours": neighbours_to_dict(mechanism.neighbours),
        "total": str(mechanism.total),
        **_cells_to_dict(mechanism),
        "digest": mechanism.digest,
    }


def _cells_to_dict(mechanism: Mechanism) -> dict[str, Any]:
    if isinstance(mechanism, RayMechanism):
        return {"rays": _rays_to_dict(mechanism)}
    return {"weights": [[str(cell) for cell in row] for row in mechanism.weights.tolist()]}


def _rays_to_dict(mechanism: RayMechanism) -> dict[str, Any]:
    """The rays as plain JSON values; weights are decimal strings, for they may be long."""
    return {
        "spare_output": mechanism.spare_output,
        "ladders": [[str(rung) for rung in ladder] for ladder in mechanism.ladders.tolist()],
        "blocks": mechanism.blocks.to_lists(),
    }


def mechanism_from_dict(data: object) -> Mechanism:
    """Read back what `mechanism_to_dict` wrote, checking everything including the digest."""
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise FileError(f'a mechanism file must be an object with "format": "{FORMAT}"')
    if data.get("version") != VERSION or isinstance(data["version"], bool):
        raise FileError(
            f"the file has version {show(data.get('version'))} of the format; this program reads "
            f"version {VERSION}"
        )
    cells = "rays" if "rays" in data else "weights"
    for key in ("answers", "outputs", "neighbours", cells):
        if key not in data:
            raise FileError(f'the mechanism file lacks "{key}"')
    spaces = (
        space_from_dict(data["answers"]),
        space_from_dict(data["outputs"]),
        neighbours_from_dict(data["neighbours"]),
    )
    name = str(data.get("name", "custom"))
    notes = data["notes"] if isinstance(data.get("notes"), dict) else None
    mechanism = (
        _rays_from_dict(data["rays"], spaces, data.get("total"), name=name, notes=notes)
        if cells == "rays"
        else Mechanism.of(*spaces, _weights(data["weights"]), name=name, notes=notes)
    )
    if "total" in data and str(data["total"]) != str(mechanism.total):
        raise FileError(
            f"the file says total {show(data['total'])}, but its columns sum to "
            f"{show(mechanism.total)}"
        )
    if "digest" in data and data["digest"] != mechanism.digest:
        raise FileError("the digest does not match the content: the file was changed or damaged")
    return mechanism


def _weights(rows: object) -> list[list[int]]:
    if not isinstance(rows, list) or not all(isinstance(row, list) for row in rows):
        raise FileError(f"weights must be a list of rows, got {show(rows)}")
    return [[_weight(cell) for cell in row] for row in rows]


def _weight(cell: object) -> int:
    if isinstance(cell, int) and not isinstance(cell, bool):
        return cell
    if isinstance(cell, str) and cell.isascii() and cell.isdigit() and len(cell) <= 4000:
        return int(cell)
    raise FileError(f"weights must be whole numbers, got {show(cell)}")


def _rays_from_dict(
    data: object,
    spaces: tuple[Space, Space, Neighbours],
    total: object,
    *,
    name: str,
    notes: Mapping[str, Any] | None,
) -> RayMechanism:
    """Read back what `_rays_to_dict` wrote, for given answers, outputs and neighbours."""
    match data:
        case {"spare_output": int(spare), "ladders": list(ladders), "blocks": list(blocks)}:
            pass
        case _:
            raise FileError("rays must be an object with spare_output, ladders and blocks")
    if not str(total).isdecimal() or len(str(total)) > 30:
        raise FileError(f"the total must be a whole number, got {show(total)}")
    columns = list(zip(*(_numbers(block, len(FIELDS)) for block in blocks), strict=True))
    arrays = dict(zip(FIELDS, columns or [()] * len(FIELDS), strict=True))
    width = len(ladders[0]) if ladders and isinstance(ladders[0], list) else 1
    rungs = [_numbers(ladder, width) for ladder in ladders]
    return RayMechanism.of(
        *spaces,
        rungs,
        RayBlocks.of(**arrays),
        spare_output=spare,
        total=int(str(total)),
        name=name,
        notes=notes,
    )


def _numbers(given: object, wanted: int) -> list[int]:
    """Whole numbers, written as such or as decimal strings."""
    if not isinstance(given, list) or len(given) != wanted:
        raise FileError(f"rays must be lists of {wanted} numbers, got {show(given)}")
    texts = [number if isinstance(number, str) else str(number) for number in given]
    if not all(text.isascii() and text.isdecimal() and len(text) <= 19 for text in texts):
        raise FileError(f"rays must be lists of whole numbers, got {show(given)}")
    return [int(text) for text in texts]


def save_mechanism(mechanism: Mechanism, path: str | os.PathLike[str]) -> Path:
    """Write a mechanism; a crash leaves the old file or the new one, never half of it.

    Args:
        mechanism: Any mechanism; the file says nothing about privacy.
        path: The file; one that is there is replaced.

    Returns:
        The path that was written.

    Raises:
        FileError: The file cannot be written.
    """
    target = _path(path)
    if not target.name:
        raise FileError(f"cannot write {show(str(path))}: it is a folder; name a file in it")
    try:
        _replace(target, _readable(mechanism_to_dict(mechanism)).encode())
    except OSError as problem:
        raise FileError(f"cannot write {show(str(path))}: {problem.strerror}") from None
    except (TypeError, ValueError) as problem:
        raise FileError(f"cannot write {show(str(path))}: {show(str(problem))}") from None
    return target


def _readable(content: dict[str, Any]) -> str:
    """JSON with a line for each fact and for each row of weights."""
    facts = []
    for key, value in content.items():
        parts = value if key == "weights" else [value]
        texts = [json.dumps(part, ensure_ascii=False, default=str) for part in parts]
        text = "[\n  " + ",\n  ".join(texts) + "\n ]" if key == "weights" else texts[0]
        facts.append(f' "{key}": {text}')
    return "{\n" + ",\n".join(facts) + "\n}\n"


def _replace(target: Path, content: bytes) -> None:
    beside = target.with_name(f".{target.name}.{secrets.token_hex(6)}")
    try:
        with beside.open("xb") as handle:
            handle.write(content)
            handle.flush()
            os.fsync(handle.fileno())
        beside.replace(target)
    finally:
        beside.unlink(missing_ok=True)


def load_mechanism(path: str | os.PathLike[str]) -> Mechanism:
    """Read a mechanism file; FileError says in one line what is wrong with it.

    Args:
        path: The file.

    Returns:
        The mechanism, checked, with its digest compared; not yet certified.

    Raises:
        FileError: The file cannot be read, or holds no mechanism.
    """
    source = _path(path)
    try:
        with source.open("rb") as handle:
            content = handle.read(MOST_BYTES + 1)
        if len(content) > MOST_BYTES:
            raise FileError(f"{show(str(path))} is larger than {MOST_BYTES >> 20} MB")
        data = json.loads(content.decode("utf-8-sig"))
    except OSError as problem:
        raise FileError(f"cannot read {show(str(path))}: {problem.strerror}") from None
    except FileError:
        raise
    except (ValueError, RecursionError):
        raise FileError(f"{show(str(path))} is not a JSON file") from None
    try:
        return mechanism_from_dict(data)
    except InvalidInput as problem:
        raise FileError(f"{show(str(path))}: {problem}") from None


def _path(path: object) -> Path:
    if not isinstance(path, str | os.PathLike):
        raise FileError(f"a file is given by its path, got {show(path)}")
    return Path(path)
