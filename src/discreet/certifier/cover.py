"""R.2: the categories are finite and disjoint, and together hold every true answer."""

from fractions import Fraction

from discreet.model import Labels, Listed, Mechanism, Numbers, edges


def uncovered_answer(mechanism: Mechanism) -> int | None:
    """The first answer that no output's category holds; None when all are covered.

    Categories are disjoint and finite by construction (they meet half way between outputs), so
    only coverage can fail: it is a fact about the range, not about privacy.
    """
    outputs, answers = mechanism.outputs, mechanism.answers
    if isinstance(outputs, Labels) or isinstance(answers, Labels):
        known = set(outputs.values())
        return next((j for j, name in enumerate(answers.values()) if name not in known), None)
    low, high = _outer_edges(outputs)
    if low <= answers.value(0) and answers.value(len(answers) - 1) <= high:
        return None
    return next((j for j, f in enumerate(answers.values()) if not low <= f <= high), None)


def _outer_edges(outputs: Numbers) -> tuple[Fraction, Fraction]:
    """The ends of the outermost categories, without writing out the ones between."""
    last = len(outputs) - 1
    if last == 0:
        low, high = edges(outputs)
        return low, high
    first_two = Listed((outputs.value(0), outputs.value(1)))
    last_two = Listed((outputs.value(last - 1), outputs.value(last)))
    return edges(first_two)[0], edges(last_two)[-1]
