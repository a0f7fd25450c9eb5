"""What a file of the cache holds: a checksum, arrays of integers, and a few facts about them."""

import hashlib
import io
import json
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from discreet.designer.request import Finding, Request
from discreet.model import Integers, Mechanism
from discreet.model.ray_blocks import FIELDS, RayBlocks
from discreet.model.ray_mechanism import RayMechanism

if TYPE_CHECKING:
    from discreet.designer.entry import Design

Arrays = dict[str, npt.NDArray[Any]]

_CHECKSUM = 32


@dataclass(frozen=True)
class Known:
    """What an entry holds: a finding still to be certified, and how it was found."""

    finding: Finding
    method: str
    tried: tuple[tuple[str, str], ...]


def packed(design: "Design", name: str) -> bytes:
    """A design as bytes, for the entry of this name."""
    mechanism = design.mechanism
    facts = {
        "entry": name,
        "name": mechanism.name,
        "value": design.value,
        "lower_bound": design.lower_bound,
        "expected_absolute_error": design.expected_absolute_error,
        "method": design.method,
        "tried": [[one.method, one.outcome] for one in design.tried],
    }
    if isinstance(mechanism, RayMechanism):
        arrays = {"ladders": mechanism.ladders, **{f: getattr(mechanism.blocks, f) for f in FIELDS}}
        facts |= {"spare_output": mechanism.spare_output, "total": mechanism.total}
    else:
        arrays = {"weights": _words(mechanism.weights)}
    memory = io.BytesIO()
    np.savez(memory, facts=np.array(json.dumps(facts)), **arrays)
    content = memory.getvalue()
    return hashlib.sha256(content).digest() + content


def unpacked(content: bytes, request: Request, name: str) -> Known | None:
    """What `packed` made of a design for this request; None when the bytes are anything else.

    Whatever is wrong with them, from a torn file to a header that asks for more memory than there
    is, the entry is as good as absent.
    """
    if hashlib.sha256(content[_CHECKSUM:]).digest() != content[:_CHECKSUM]:
        return None
    try:
        with np.load(io.BytesIO(content[_CHECKSUM:]), allow_pickle=False) as arrays:
            held = dict(arrays.items())
        facts = json.loads(str(held.pop("facts")))
        return _known(request, held, facts) if facts.get("entry", name) == name else None
    except Exception:
        return None


def _known(request: Request, arrays: Arrays, facts: dict[str, Any]) -> Known:
    spaces = (request.answers, request.outputs, request.neighbours)
    value = error = None
    if "ladders" in arrays:
        mechanism: Mechanism = RayMechanism.of(
            *spaces,
            arrays["ladders"],
            RayBlocks.of(**{field: arrays[field] for field in FIELDS}),
            spare_output=int(facts["spare_output"]),
            total=int(facts["total"]),
            name=str(facts["name"]),
        )
        value, error = _finite(facts["value"]), facts["expected_absolute_error"]
    else:
        weights = _integers(arrays["weights"])
        mechanism = Mechanism.of(*spaces, weights, name=str(facts["name"]))
    return Known(
        Finding(
            mechanism,
            _finite(facts["lower_bound"]),
            value,
            None if error is None else _finite(error),
        ),
        str(facts["method"]),
        tuple((str(name), str(outcome)) for name, outcome in facts["tried"]),
    )


def _finite(number: object) -> float:
    value = float(str(number))
    if not math.isfinite(value):
        raise ValueError(f"{number} is no figure of a design")
    return value


def _words(weights: Integers) -> Integers:
    """Machine words as they are, longer integers as decimal strings."""
    if weights.dtype == np.int64:
        return weights
    return np.array([[str(cell) for cell in row] for row in weights])


def _integers(words: Integers) -> Integers:
    if words.dtype.kind != "U":
        return words
    return np.array([[int(cell) for cell in row] for row in words], dtype=object)
