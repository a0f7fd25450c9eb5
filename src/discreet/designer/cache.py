"""Designs kept on disk, so that the second call takes milliseconds; and what a file holds.

An entry is a file named by a digest of everything that defines the design. It is believed in
nothing that matters for privacy: what it holds is certified again, and a file that is damaged,
or does not fit its name, is as good as absent.
"""

import hashlib
import io
import json
import math
import os
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from discreet.certifier import Certified, certify
from discreet.designer.request import Finding, Request
from discreet.errors import NotCertified
from discreet.model import Integers, Mechanism, Situation
from discreet.model.neighbours import neighbours_to_dict
from discreet.model.ray_mechanism import FIELDS, MOST_CELLS, RayBlocks, RayMechanism
from discreet.model.spaces import space_to_dict

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
        raise ValueError(f"{number} is not a figure of a design")
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


if TYPE_CHECKING:
    from discreet.designer.entry import Design

VERSION = 1
"""Raise this when the same request may find something better than before."""

MOST_BYTES = 512 * 2**20
VARIABLE = "DISCREET_CACHE"
_SUFFIX = ".design"
_UNFINISHED = ".part"
_HOUR = 3600


@dataclass(frozen=True)
class Cache:
    """A folder of designs, at most `most_bytes` large; the ones unused for longest go first."""

    folder: Path
    most_bytes: int = MOST_BYTES

    @classmethod
    def of(cls, where: "Cache | str | os.PathLike[str] | None") -> "Cache | None":
        """A cache in a folder; "default" is what DISCREET_CACHE says, or the user's cache folder.

        None and "off" mean no cache.
        """
        if where is None or isinstance(where, Cache):
            return where
        if where == "default":
            where = os.environ.get(VARIABLE, "").strip() or _platform_folder()
        return None if str(where).lower() == "off" else cls(Path(where))

    def path(self, request: Request, method: str | None = None) -> Path | None:
        """Where the design of a request is kept; None when it cannot be told from others."""
        digest = digest_of(request, method)
        return None if digest is None else self.folder / (digest + _SUFFIX)

    def load(self, request: Request, method: str | None = None) -> Known | None:
        """What is known of a request, or None; a damaged entry is removed."""
        path = self.path(request, method)
        if path is None:
            return None
        try:
            content = path.read_bytes()
        except OSError:
            return None
        known = unpacked(content, request, path.stem)
        with suppress(OSError):
            if known is None:
                path.unlink()
            else:
                os.utime(path)
        return known

    def certified(self, request: Request, method: str | None = None) -> Certified | None:
        """The mechanism of an entry, certified for the request; None when it is not.

        An entry that is not private is as good as absent: whoever designs anew replaces it.
        """
        known = self.load(request, method)
        if known is None:
            return None
        try:
            promise = request.guarantee
            return certify(known.finding.mechanism, promise.epsilon, promise.delta)
        except NotCertified:
            return None

    def store(self, request: Request, method: str | None, design: "Design") -> None:
        """Keep a design; a full or forbidden disk is no reason to fail."""
        path = self.path(request, method)
        if path is None:
            return
        content = packed(design, path.stem)
        if len(content) > self.most_bytes:
            return
        with suppress(OSError):
            self.folder.mkdir(parents=True, exist_ok=True)
            _write(path, content)
            self.prune()

    def prune(self) -> None:
        """Remove the entries unused for longest until the folder is small enough.

        What a killed process left half written goes too, after an hour.
        """
        for path in self.folder.glob(f".*{_UNFINISHED}"):
            with suppress(OSError):
                if time.time() - path.stat().st_mtime > _HOUR:
                    path.unlink()
        entries = []
        for path in self.folder.glob(f"*{_SUFFIX}"):
            with suppress(OSError):
                status = path.stat()
                entries.append((status.st_mtime_ns, status.st_size, path))
        excess = sum(size for _, size, _ in entries) - self.most_bytes
        for _, size, path in sorted(entries):
            if excess <= 0:
                return
            with suppress(OSError):
                path.unlink()
            excess -= size

    def clear(self) -> None:
        """Remove every entry."""
        for path in self.folder.glob(f"*{_SUFFIX}"):
            with suppress(OSError):
                path.unlink()


def digest_of(request: Request, method: str | None = None) -> str | None:
    """SHA-256 of everything that defines a design; None for a loss too large to write out."""
    loss = request.goal.loss
    loss_key: Any = loss.name
    if loss.function is not None or loss.table is not None:
        if request.shape[0] * request.shape[1] > MOST_CELLS:
            return None
        loss_key = hashlib.sha256(request.loss.tobytes()).hexdigest()
    prior = request.goal.prior.weights
    facts = {
        "version": VERSION,
        "answers": space_to_dict(request.answers),
        "outputs": space_to_dict(request.outputs),
        "neighbours": neighbours_to_dict(request.neighbours),
        "epsilon": str(request.epsilon),
        "delta": str(request.guarantee.delta),
        "loss": loss_key,
        "prior": None if prior is None else [float(share).hex() for share in prior],
        "worst_case": request.goal.worst_case,
        "requirements": list(request.requirements.names()),
        "method": method,
    }
    if (situations := request.goal.situations) is not None:
        facts["situations"] = [str(situations.yardstick), *map(_told, situations.each)]
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()


def _told(situation: Situation) -> list[Any]:
    weights, reference = situation.prior.weights, situation.reference
    shares = None if weights is None else [float(share).hex() for share in weights]
    return [situation.name, shares, None if reference is None else reference.hex()]


def _write(path: Path, content: bytes) -> None:
    """All of the content or none of it, whoever else writes the same entry at the same time."""
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=_UNFINISHED)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
        os.replace(temporary, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise


def _platform_folder() -> Path:
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local"
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "discreet"
