"""From the words of a command line to spaces, neighbours, outputs, priors and parameters."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from discreet.cli.rendering.description import MOST_CELLS
from discreet.errors import FileError, GoalError, InvalidInput, NeighboursError, SpaceError
from discreet.exact import Epsilon, show
from discreet.model import (
    AllPairs,
    Grid,
    Labels,
    Listed,
    Mechanism,
    Neighbours,
    Prior,
    Space,
    Within,
    extended,
    save_mechanism,
    scaled,
)

MOST_DRAWS = 1_000_000
_MOST_BYTES = 64 * 2**20


def epsilon_of(text: str | None) -> Epsilon:
    """ε, which nobody may leave out."""
    if text is None:
        raise InvalidInput("ε is never assumed: say it, for example --epsilon 1")
    return Epsilon.of(text)


def answers_of(
    between: tuple[str, str] | None, step: str | None, numbers: str | None, labels: str | None
) -> Space:
    """The one space that was described."""
    if sum(given is not None for given in (between, numbers, labels)) != 1:
        raise SpaceError(
            "say where the answers live, one way: --range LOW HIGH, --numbers 0,1,2.5 "
            "or --labels a,b,c"
        )
    if step is not None and between is None:
        raise SpaceError("--step belongs to --range; leave it out, or give a range")
    if between is not None:
        return Grid.between(between[0], between[1], "1" if step is None else step)
    if numbers is not None:
        return Listed.of(numbers.split(","))
    assert labels is not None
    names = [name.strip() for name in labels.split(",")]
    for name in names:
        if not name.isprintable():
            raise SpaceError(f"labels must be readable text, got {show(name)}")
    return Labels.of(names)


def neighbours_of(text: str, answers: Space) -> Neighbours:
    """All pairs, or answers within so many steps of one another."""
    word = text.strip().lower()
    if word == "all":
        return AllPairs()
    if not (word.isascii() and word.isdigit() and len(word) <= 9):
        raise NeighboursError(f"--neighbours must be all or a number of steps, got {show(text)}")
    if isinstance(answers, Labels):
        raise NeighboursError("labels have no order to step along; use --neighbours all")
    return Within(int(word))


def outputs_of(text: str, answers: Space) -> Space:
    """What may be answered, from same, scaled:2 or extended:300."""
    kind, _, number = text.strip().lower().partition(":")
    if kind == "same" and not number:
        return answers
    if kind not in ("scaled", "extended") or not number:
        raise SpaceError(
            f"--outputs must be same, scaled:2 (wider categories) or extended:300 (percent), "
            f"got {show(text)}"
        )
    if not isinstance(answers, Grid):
        raise SpaceError(f"--outputs {kind} needs evenly spaced answers; give them by --range")
    return scaled(answers, number) if kind == "scaled" else extended(answers, number)


def check_size(answers: Space, outputs: Space) -> None:
    """A matrix that could not be written out is refused before it is begun."""
    rows, columns = len(outputs), len(answers)
    if rows * columns > MOST_CELLS:
        raise SpaceError(
            f"{rows:,} outputs by {columns:,} answers is more than {MOST_CELLS:,} cells; "
            "use a larger --step"
        )


def settings_of(words: Sequence[str] | None) -> Mapping[str, str]:
    """NAME=VALUE pairs; what the names mean is for each family to say."""
    found: dict[str, str] = {}
    for word in words or ():
        name, equals, value = word.partition("=")
        if not equals or not name.strip() or not value.strip():
            raise InvalidInput(f"--set wants NAME=VALUE, for example gamma=0.3, got {show(word)}")
        key = name.strip().lower().replace("-", "_")
        if key in found:
            raise InvalidInput(f"--set names {show(name.strip())} twice; say it once")
        found[key] = value.strip()
    return found


def times_of(text: str) -> int:
    """How many draws: a whole number from one to a million."""
    word = text.strip()
    if word.isascii() and word.isdigit() and len(word) <= 9 and 1 <= int(word) <= MOST_DRAWS:
        return int(word)
    raise InvalidInput(f"--times must be a whole number from 1 to {MOST_DRAWS:,}, got {show(text)}")


def prior_of(text: str) -> Prior:
    """A prior from the word uniform, numbers on the command line, or a file of numbers."""
    if text.strip().lower() == "uniform":
        return Prior.of("uniform")
    if "," in text:
        return Prior.of(text.split(","))  # type: ignore[arg-type]
    return Prior.of(_numbers_in(text))


def _numbers_in(path: str) -> Sequence[Any]:
    try:
        source = Path(path)
        if source.stat().st_size > _MOST_BYTES:
            raise FileError(f"{show(path)} is larger than {_MOST_BYTES >> 20} MB")
        text = source.read_text(encoding="utf-8")
    except OSError as problem:
        raise FileError(
            f"cannot read the prior {show(path)}: {problem.strerror}; "
            "a prior is uniform, a file of numbers, or 0.2,0.8"
        ) from None
    except ValueError:
        raise FileError(f"{show(path)} is not a text file of numbers") from None
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return text.replace(",", " ").split()
    if not isinstance(data, list):
        raise GoalError(f"{show(path)} must hold a list of probabilities, got {show(data)}")
    return data


def save(mechanism: Mechanism, path: str) -> str:
    """Write a mechanism file where the user said; the path, for the reply."""
    if not path.strip():
        raise FileError("--save needs the name of a file, got an empty one")
    try:
        return str(save_mechanism(mechanism, path))
    except ValueError as problem:
        if isinstance(problem, InvalidInput):
            raise
        raise FileError(f"cannot write {show(path)}: {problem}") from None
