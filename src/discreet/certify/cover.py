"""R.2: the categories are finite and disjoint, and together hold every true answer."""

from discreet.model import Labels, Mechanism, edges


def uncovered_answer(mechanism: Mechanism) -> int | None:
    """The first answer that no output's category holds; None when all are covered.

    Categories are disjoint and finite by construction (they meet half way between outputs), so
    only coverage can fail: it is a fact about the range, not about privacy.
    """
    outputs, answers = mechanism.outputs, mechanism.answers
    if isinstance(outputs, Labels) or isinstance(answers, Labels):
        known = set(outputs.values())
        return next((j for j, name in enumerate(answers.values()) if name not in known), None)
    bounds = edges(outputs)
    low, high = bounds[0], bounds[-1]
    return next((j for j, f in enumerate(answers.values()) if not low <= f <= high), None)
