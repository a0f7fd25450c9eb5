"""Questions in cells of a notebook: `%load_ext discreet`, then `%%discreet survey --epsilon 0.5`.

A cell holds one question in SQL; after EXPLAIN it is planned, which is free.
Nothing of IPython is imported: its shell hands over what a cell says, and where its names are.
"""

import argparse
import shlex
import sys
from collections.abc import Callable
from typing import Any, NoReturn, Protocol

from discreet.curator.fluent import OpenDataset
from discreet.errors import DiscreetError, InvalidInput
from discreet.exact import show

_USAGE = "%%discreet survey --epsilon 0.5, and a SELECT in the lines below"


class Shell(Protocol):
    """What is used of IPython's shell."""

    user_ns: dict[str, Any]

    def register_magic_function(
        self, function: Callable[[str, str], Any], magic_kind: str, magic_name: str
    ) -> None:
        """Give cells another first word."""


class _Words(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise InvalidInput(f"{message}; write {_USAGE}")


def _words() -> _Words:
    words = _Words(prog="%%discreet", add_help=False, allow_abbrev=False)
    words.add_argument("dataset")
    for name in ("--epsilon", "--within", "--confidence", "--id", "--to"):
        words.add_argument(name)
    return words


def add_to(shell: Shell) -> None:
    """Give a notebook cells that begin with %%discreet."""

    def asked(line: str, cell: str) -> Any:
        try:
            return answered(line, cell, shell.user_ns)
        except DiscreetError as problem:
            print(f"error: {problem}", file=sys.stderr)
            return None

    shell.register_magic_function(asked, "cell", "discreet")


def answered(line: str, cell: str, names: dict[str, Any]) -> Any:
    """The answer of a cell, or its plan after EXPLAIN.

    Args:
        line: What stands behind %%discreet: what the dataset is called in the notebook, and
            `--epsilon`, `--within`, `--confidence`, `--id`, or `--to` for what keeps the answer.
        cell: The question.
        names: What the names of the notebook mean.

    Returns:
        The answer or the plan; both show themselves as a table.

    Raises:
        InvalidInput: There is no such dataset, or the line cannot be read.
        DiscreetError: As `ask` and `plan`; nothing was charged.
    """
    try:
        given = _words().parse_args(shlex.split(line))
    except ValueError:
        raise InvalidInput(f"a quotation mark is not closed; write {_USAGE}") from None
    dataset = names.get(given.dataset)
    if not isinstance(dataset, OpenDataset):
        raise InvalidInput(
            f"{show(given.dataset)} is not an open dataset in this notebook; first run "
            f'{given.dataset} = discreet.open_dataset("survey.toml")'
        )
    chosen = {"epsilon": given.epsilon, "within": given.within, "confidence": given.confidence}
    wishes = {name: value for name, value in chosen.items() if value is not None}
    answer = dataset.sql(cell).ask(**wishes, id=given.id)
    if given.to is not None:
        names[given.to] = answer
    return answer
