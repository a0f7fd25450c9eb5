"""Rays in a mechanism file, in place of the weights (docs/reference/mechanism-file.md)."""

from collections.abc import Mapping
from typing import Any

from discreet.errors import FileError
from discreet.exact import show
from discreet.model.neighbours import Neighbours
from discreet.model.ray_mechanism import FIELDS, RayBlocks, RayMechanism
from discreet.model.spaces import Space


def rays_to_dict(mechanism: RayMechanism) -> dict[str, Any]:
    """The rays as plain JSON values; weights are decimal strings, for they may be long."""
    return {
        "spare_output": mechanism.spare_output,
        "ladders": [[str(rung) for rung in ladder] for ladder in mechanism.ladders.tolist()],
        "blocks": mechanism.blocks.to_lists(),
    }


def rays_from_dict(
    data: object,
    spaces: tuple[Space, Space, Neighbours],
    total: object,
    *,
    name: str,
    notes: Mapping[str, Any] | None,
) -> RayMechanism:
    """Read back what `rays_to_dict` wrote, for given answers, outputs and neighbours."""
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
