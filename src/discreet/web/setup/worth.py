"""What the budget of a draft buys, for its pages: questions in words, what is allowed, the cost."""

from typing import Any

from discreet.questions import question_text
from discreet.questions.words import question_words
from discreet.tables import Dataset
from discreet.text import Amount, capital


def worth_facts(dataset: Dataset) -> dict[str, Any] | None:
    """What the budget buys, question by question; None where no question comes to mind."""
    from discreet.planning.worth import buys, typical_worth  # noqa: PLC0415  the planner, for a draft

    priced = typical_worth(dataset)
    if priced is None or not priced[0].prices:
        return None
    worth, accuracy = priced
    return {
        "told": buys(worth, by_hand=False),
        "accuracy": accuracy,
        "prices": [
            {
                "asked": question_text(one.question, dataset),
                "words": capital(question_words(one.question, dataset)),
                "epsilon": str(Amount(one.cost)),
                "within": ", ".join(allowed.text for allowed in one.allowed),
            }
            for one in worth.prices
        ],
    }
