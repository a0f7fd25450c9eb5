"""A report in plain words: what was promised to whom, and how anybody can check it."""

import math
from fractions import Fraction

from discreet.exact import exp_upper
from discreet.model import Relation
from discreet.reports.release import ReleaseReport
from discreet.text import Amount, plural

OTHERS = "Also released, with reports of their own"
_CERTAIN = Fraction(999, 1000)


def at_most_sure(epsilon: Fraction) -> Fraction:
    """How sure somebody who was undecided can become of one person, at most.

    Odds of one to one grow by a factor of at most e^ε. Rounded up, by a bound that is proved.

    >>> at_most_sure(Fraction(1, 2))
    Fraction(623, 1000)
    """
    ratio = exp_upper(epsilon)
    return Fraction(math.ceil(1000 * ratio / (1 + ratio)), 1000)


def sure_words(epsilon: Fraction) -> str:
    """The same in words, which do not pretend where nothing is left to tell.

    >>> sure_words(Fraction(1, 2)), sure_words(Fraction(11))
    ('at most 62.3 %', 'more than 99.9 %')
    """
    sure = at_most_sure(epsilon)
    return "more than 99.9 %" if sure > _CERTAIN else f"at most {float(100 * sure):g} %"


def board(report: ReleaseReport) -> list[tuple[str, str]]:
    """What an ethics board asks, with answers: a heading and a paragraph each."""
    return [
        ("What was released", _released(report)),
        ("Who is protected", _protected(report)),
        ("How strong the protection is", _strength(report)),
        ("What it does not do", _limits()),
        ("What it rests on", _premises()),
    ]


def _released(report: ReleaseReport) -> str:
    many = plural(len(report.answers), "answer")
    return (
        f"This report holds {many} to statistical questions about the table "
        f"“{report.dataset.name}”. Each answer was drawn at random close to the true one, once, "
        "and written into a ledger before anyone saw it. No row of the table was released, and "
        "none was needed to make this report."
    )


def _protected(report: ReleaseReport) -> str:
    unit = report.dataset.unit
    who = "one row of the table"
    if unit.id_column is not None:
        many = f"all of their rows, up to {unit.most_rows}" if unit.most_rows > 1 else "their row"
        who = f"one person ({many})"
    what = "contained anything else instead"
    if report.dataset.relation != Relation.CHANGE:
        what = "is left out, or is added"
    return (
        f"What is protected is {who}: if it {what}, every possible set of answers stays nearly as "
        "likely as before. This holds against readers who know everything else about the table."
    )


def _strength(report: ReleaseReport) -> str:
    spent = Amount(report.total.spent)
    sure = sure_words(spent.value)
    limit = ""
    if report.total.allowed is not None:
        limit = f" The custodian allows ε = {Amount(report.total.allowed)} in all."
    asked = f"All {report.charges:,} questions asked of this table so far have spent ε = {spent}"
    if report.charges == 1:
        asked = f"The one question asked of this table so far has spent ε = {spent}"
    return (
        f"{asked}; the answers reported here cost ε = {report.epsilon} of it."
        f"{limit} In plain terms: a reader who was undecided (50 %) about something that one "
        f"person's data alone would settle can be {sure} sure of it after all answers together."
    )


def _limits() -> str:
    return (
        "Answers may still teach something about people in general, and so about everyone: that "
        "smokers fall ill more often is learnt whether or not a given person takes part. What "
        "readers know from elsewhere stays with them. Further questions spend more; other "
        "tables about the same people that are released elsewhere add to it."
    )


def _premises() -> str:
    return (
        "Bounds, words and sizes of the columns were declared without looking at the rows, as "
        "the section on declared facts lists them. Every mechanism was certified in whole "
        "numbers, or is an exact sampler with a written proof. The ledger is a chain: no entry "
        "can be changed or removed unnoticed."
    )


def commands(dataset_file: str, data_file: str) -> list[tuple[str, str]]:
    """What to type to check the report, and what each line does."""
    return [
        (
            f"discreet ledger verify {dataset_file}",
            "recomputes every hash, cost and balance of the ledger",
        ),
        (
            f"discreet report {dataset_file} --verify {data_file}",
            "compares every answer of this report with the ledger, value by value",
        ),
    ]
