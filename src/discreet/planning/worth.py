"""What a budget buys, in sentences: for the command line and for the set-up pages."""

from dataclasses import replace

from discreet.errors import DiscreetError
from discreet.planning.accuracy import Accuracy
from discreet.planning.pricing import Worth, typical_questions, worth_of
from discreet.questions import parse_sql
from discreet.tables import Dataset
from discreet.text import Amount, plural

USUAL_ACCURACY = "5%"
"""How far off answers may be, unless it is said."""
_COARSER = ("10%", "20%")
"""Of few rows a twentieth is a row or two: what is told of them is told at one of these."""


def typical_worth(dataset: Dataset) -> tuple[Worth, str] | None:
    """What the declared budget buys of questions that come to mind; None where none does.

    With the accuracy that this is at: the usual one, or the first at which the budget buys all of
    them once. What costs more than the whole budget even so is left out.

    Args:
        dataset: The declared facts; no row is looked at.
    """
    last = None
    for accuracy in (USUAL_ACCURACY, *_COARSER):
        try:
            questions = [parse_sql(sql, dataset) for sql in typical_questions(dataset)]
            worth = worth_of(questions, dataset, [Accuracy.of(accuracy)] * len(questions))
        except DiscreetError:  # odd columns: a draft without this line is a draft all the same
            continue
        last = worth, accuracy
        if worth.times != 0:
            return last
    if last is None:
        return None
    worth, accuracy = last
    affordable = tuple(one for one in worth.prices if one.cost <= worth.total)
    return replace(worth, prices=affordable), accuracy


def buys(worth: Worth, *, by_hand: bool = True) -> list[str]:
    """What the budget is enough for, in a sentence.

    Args:
        worth: What questions cost.
        by_hand: Whether who reads it writes the dataset file by hand.
    """
    total, needed = Amount(worth.total), Amount(worth.needed)
    if worth.times is None:
        return ["These answers follow from public facts: they cost nothing."]
    if worth.times == 0:
        raised = f'set total = "{needed}" in [budget]' if by_hand else f"raise it to ε = {needed}"
        return [
            f"The budget of {total} is too small: {raised}, ask fewer questions, or allow larger "
            "errors."
        ]
    often = {1: "once", 2: "twice"}.get(worth.times, f"{worth.times:,} times")
    return [
        f"The budget of {total} buys all of this {often}, or about "
        f"{plural(worth.questions or 0, 'question')} like these."
    ]
