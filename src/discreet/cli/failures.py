"""What a person sees when something goes wrong: one line, and an exit code.

0 done · 1 a check failed: not private, or not what the ledger says · 2 what was given cannot be
used · 3 over budget · 4 the ledger cannot be trusted or written · 70 a bug of ours · 74 the output
could not be written · 130 interrupted · 141 the reader of our output went away.
"""

import contextlib
import json
import sys

from discreet.errors import (
    DatasetError,
    DiscreetError,
    InvalidInput,
    LedgerError,
    NotCertified,
    OverBudget,
    Remedy,
)
from discreet.text import one_line

NOT_PRIVATE = DISAGREES = NotCertified.exit_code
UNUSABLE = DiscreetError.exit_code
OVER_BUDGET, NO_LEDGER = OverBudget.exit_code, LedgerError.exit_code
BUG, UNWRITTEN, INTERRUPTED, UNREAD = 70, 74, 130, 141

_COMMANDS = {
    Remedy.ACKNOWLEDGE_LOSS: "discreet ledger acknowledge",
    Remedy.ACKNOWLEDGE_FACTS: "discreet ledger acknowledge FILE --facts",
    Remedy.VERIFY: "discreet ledger verify",
    Remedy.PREPARE: "discreet ledger prepare",
    Remedy.MOVE: "discreet ledger move",
}
_FIELDS = {
    "sql": "QUESTION",
    "statistic": "STATISTIC",
    "range": "--range LOW HIGH",
    "low": "LOW",
    "high": "HIGH",
}
"""Fields of a request that are no option of the same name."""


def as_option(field: str, example: str | None = None) -> str:
    """A field as people type it, with an example value or without.

    >>> as_option("worst_case"), as_option("n", "10"), as_option("range")
    ('--worst-case', '--n 10', '--range LOW HIGH')
    """
    word = _FIELDS.get(field) or "--" + field.replace("_", "-")
    return word if example is None else f"{word} {example}"


def report(kind: str, message: str, *, as_json: bool, field: str | None = None) -> None:
    """Say what is wrong on standard error, and on standard output too when that is JSON."""
    line = one_line(message)
    if sys.stderr is not None:  # what is written to None goes to standard output
        with contextlib.suppress(OSError):
            print(f"error: {line}", file=sys.stderr, flush=True)
    if as_json:
        print(json.dumps({"error": line, "kind": kind, "field": field}, indent=2))


def message_of(error: DiscreetError) -> str:
    """What an error says, with the command that helps where there is one."""
    remedy = error.remedy if isinstance(error, LedgerError) else None
    if remedy is not None:
        return f"{error} ({_COMMANDS[remedy]})"
    message = error.spelled(as_option) if isinstance(error, InvalidInput) else str(error)
    several = isinstance(error, DatasetError) and len(error.problems) > 1
    return f"{message}; discreet check lists them all" if several else message
