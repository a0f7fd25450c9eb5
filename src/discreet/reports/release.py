"""A release report as a value: what was answered, under which facts, and what it cost.

Everything in it was released before or is public; making one reads the ledger and no row.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from discreet.budget import Balance, Charge, Entry, EntryKind, Ledger
from discreet.curator import Answer
from discreet.curator.drawn import holds_rows
from discreet.curator.prepared import released
from discreet.curator.shaping import shaped_as_stored
from discreet.errors import InvalidInput, UnknownReceipt
from discreet.questions import Question
from discreet.questions.words import asked_again, asked_words
from discreet.tables import Dataset
from discreet.text import Amount, show

FORMAT = "discreet release report 1"
_KEPT = ("receipt", "asked", "epsilon", "confidence", "plan", "imputed", "uncounted", "results")


@dataclass(frozen=True, kw_only=True)
class ReportedAnswer:
    """One answer of a report, with its question in words."""

    at: str
    """When it was charged, in UTC."""
    words: str
    """The question as people would say it; as it was asked, where that cannot be read any more."""
    question: Question | None
    billionths: int
    """What it cost."""
    answer: Answer

    def to_dict(self) -> dict[str, Any]:
        """It as plain JSON values: what was released, without anybody's balance."""
        answer = self.answer.to_dict()
        kept = {name: answer[name] for name in _KEPT}
        return {"at": self.at, "words": self.words, **kept}


@dataclass(frozen=True, kw_only=True)
class OtherRelease:
    """A release that has a report of its own, such as a synthetic table."""

    at: str
    receipt: str
    asked: str
    billionths: int

    @property
    def sentence(self) -> str:
        """It in one line."""
        return f"{self.asked}: ε = {Amount(self.billionths)}, receipt {self.receipt}"

    def to_dict(self) -> dict[str, Any]:
        """It as plain JSON values."""
        return {
            "at": self.at,
            "receipt": self.receipt,
            "asked": self.asked,
            "epsilon": str(Amount(self.billionths)),
        }


@dataclass(frozen=True, kw_only=True)
class ReleaseReport:
    """The answers of a dataset that are handed in together."""

    dataset: Dataset
    answers: tuple[ReportedAnswer, ...]
    others: tuple[OtherRelease, ...]
    """Releases that are not answers to a question."""
    total: Balance
    """What all questions of the dataset have spent, reported here or not."""
    charges: int
    """How many questions were charged in all."""
    entries: int
    head: str
    """The hash of the ledger's newest entry, which stands for all before it."""
    facts: str | None
    """The digest of the declared facts that the guarantee rests on."""
    made: str
    """When, in UTC."""
    version: str

    @property
    def epsilon(self) -> Amount:
        """What the reported answers cost together."""
        answers = sum(one.billionths for one in self.answers)
        return Amount(answers + sum(one.billionths for one in self.others))

    def to_dict(self) -> dict[str, Any]:
        """The data file of the report."""
        return {
            "format": FORMAT,
            "dataset": self.dataset.name,
            "made": self.made,
            "version": self.version,
            "epsilon": str(self.epsilon),
            "spent_in_all": str(Amount(self.total.spent)),
            "questions_in_all": self.charges,
            "ledger": {"entries": self.entries, "head": self.head, "facts": self.facts},
            "answers": [one.to_dict() for one in self.answers],
            "others": [one.to_dict() for one in self.others],
        }


def report_of(
    dataset: Dataset,
    ledger: Ledger,
    *,
    made: str,
    version: str,
    receipts: Sequence[str] = (),
    analyst: str | None = None,
    upto: int | None = None,
) -> ReleaseReport:
    """The report of a dataset's answers.

    Args:
        dataset: The declared facts.
        ledger: Where its answers are written down.
        made: When the report is made.
        version: Of the program.
        receipts: Which answers, in this order; all, oldest first, if left out.
        analyst: Whose answers; everybody's, if left out.
        upto: The number of the entry at which the ledger is looked at; the newest, if left out.

    Returns:
        The report.

    Raises:
        UnknownReceipt: Nothing was answered under a receipt.
        InvalidInput: There is no answer to report.
    """
    entries = [one for one in ledger.entries() if upto is None or one.seq <= upto]
    charges = [one for one in entries if one.kind == EntryKind.CHARGE]
    mine = {one.question: one for one in charges if analyst is None or one.analyst == analyst}
    stored = {
        one.question: one.facts()
        for one in entries
        if one.kind == EntryKind.ANSWER and one.question in mine
    }
    for receipt in receipts:
        if receipt not in stored:
            raise UnknownReceipt(
                f"there is no answer with the receipt {show(receipt)}; the ledger lists all "
                "receipts",
                receipt=receipt,
            )
    wanted = list(dict.fromkeys(receipts)) or [name for name in mine if name in stored]
    if not wanted:
        raise InvalidInput("there is nothing to report: no question has been answered yet")
    answers = [name for name in wanted if not holds_rows(stored[name])]
    total = ledger.balance("") if upto is None else _balance(entries)
    facts = [one for one in entries if one.kind == EntryKind.FACTS]
    return ReleaseReport(
        dataset=dataset,
        answers=tuple(_reported(dataset, mine[name], stored[name], total) for name in answers),
        others=tuple(_other(mine[name]) for name in wanted if name not in answers),
        total=total,
        charges=len(charges),
        entries=len(entries),
        head=entries[-1].hash,
        facts=facts[-1].question if facts else None,
        made=made,
        version=version,
    )


def _balance(entries: Sequence[Entry]) -> Balance:
    """What was allowed and spent in all, by these entries alone."""
    paid = (EntryKind.CHARGE, EntryKind.ACKNOWLEDGED)
    allowed = [
        one.billionths for one in entries if one.kind == EntryKind.BUDGET and not one.analyst
    ]
    return Balance(
        allowed=allowed[-1] if allowed else None,
        spent=sum(one.billionths for one in entries if one.kind in paid),
    )


def _other(charge: Entry) -> OtherRelease:
    return OtherRelease(
        at=charge.at,
        receipt=charge.question,
        asked=str(charge.facts().get("asked", "")),
        billionths=charge.billionths,
    )


def _reported(
    dataset: Dataset, charge: Entry, stored: dict[str, Any], total: Balance
) -> ReportedAnswer:
    facts = charge.facts()
    whole = released(
        Charge(
            question=charge.question,
            billionths=charge.billionths,
            answer=stored,
            new=False,
            total=total,
            own=total,
        ),
        str(facts.get("asked", "")),
    )
    answer = shaped_as_stored(whole, facts, dataset)
    return ReportedAnswer(
        at=charge.at,
        words=asked_words(answer.asked, dataset),
        question=asked_again(answer.asked, dataset),
        billionths=charge.billionths,
        answer=answer,
    )
