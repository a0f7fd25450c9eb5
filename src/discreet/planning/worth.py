"""What a budget buys, in sentences: for the command line and for the set-up pages."""

from discreet.errors import DiscreetError
from discreet.planning.pricing import Accuracy, Worth, typical_questions, worth_of
from discreet.questions import parse_sql
from discreet.tables import Dataset
from discreet.text import Amount, plural

USUAL_ACCURACY = "5%"
"""How far off answers may be, unless it is said."""


def typical_worth(dataset: Dataset) -> Worth | None:
    """What the declared budget buys of questions that come to mind; None where none does.

    Args:
        dataset: The declared facts; no row is looked at.
    """
    try:
        questions = [parse_sql(sql, dataset) for sql in typical_questions(dataset)]
        return worth_of(questions, dataset, [Accuracy.of(USUAL_ACCURACY)] * len(questions))
    except DiscreetError:  # odd columns: a draft without this line is a draft all the same
        return None


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
        f"The budget of {total} buys all of this {often}: about "
        f"{plural(worth.questions or 0, 'question')} like these."
    ]
