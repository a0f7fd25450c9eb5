"""What a caller may read of a dataset's books: their own, or everybody's for a custodian."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from discreet import __version__
from discreet.curator import Answer
from discreet.reports import ReleaseReport, report_of
from discreet.text import Amount
from discreet.web.identity import Caller
from discreet.web.served import Amounts, BudgetView, ServedDataset
from discreet.web.statements import AnswerLine, LedgerLine, Verified, answer_lines, ledger_lines


def budget(served: ServedDataset, caller: Caller) -> BudgetView:
    """What a caller may still spend; custodians see the total and every account."""
    ledger = served.curator.ledger
    own = Amounts.of(ledger.balance(caller.name))
    left = str(Amount(served.curator.left(caller.name)))
    sentence = _sentence(own, left)
    if not caller.is_custodian:
        return BudgetView(own=own, left=left, sentence=sentence)
    every = {name: Amounts.of(balance) for name, balance in ledger.balances().items()}
    return BudgetView(
        own=own, left=left, sentence=sentence, total=every.pop("", None), accounts=every
    )


def answers(served: ServedDataset, caller: Caller) -> list[AnswerLine]:
    """The caller's answers, newest first; a custodian's list has everybody's."""
    return answer_lines(served.curator.ledger.entries(caller.reads))


def answer(served: ServedDataset, receipt: str, caller: Caller) -> Answer:
    """A stored answer of the caller's, or of anybody for a custodian."""
    return caller.view_of(served.curator.stored(receipt, caller.reads))


def statement(served: ServedDataset, caller: Caller) -> list[LedgerLine]:
    """The ledger like a bank statement: own lines, or all for a custodian."""
    return ledger_lines(served.curator.ledger.entries(caller.reads))


def verify(served: ServedDataset, caller: Caller) -> Verified:
    """Recompute every hash, cost and balance; an analyst learns only whether all is well."""
    audit = served.curator.ledger.audit()
    if not caller.is_custodian:
        return Verified(audit.clean, None, None, None)
    return Verified(audit.clean, audit.entries, audit.losses, audit.problems)


def export(served: ServedDataset, caller: Caller) -> list[dict[str, Any]]:
    """Every entry, for a custodian."""
    caller.require_custodian()
    return [entry.to_dict() for entry in served.curator.ledger.entries()]


def report(served: ServedDataset, caller: Caller, receipts: Sequence[str] = ()) -> ReleaseReport:
    """A report of all answers or of chosen ones, for a custodian."""
    caller.require_custodian()
    return report_of(
        served.dataset,
        served.curator.ledger,
        made=datetime.now(UTC).isoformat(timespec="seconds"),
        version=__version__,
        receipts=receipts,
    )


def _sentence(own: Amounts, left: str) -> str:
    if own.allowed is None:
        return f"You have spent ε = {own.spent}; ε = {left} is left in the shared budget."
    of = f"You have spent ε = {own.spent} of {own.allowed};"
    if own.left != left:
        return f"{of} all analysts together have ε = {left} left."
    return f"{of} ε = {left} is left."
