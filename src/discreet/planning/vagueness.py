"""Whether an interval may well be all that was declared: said before anything is spent."""

from dataclasses import replace

from discreet.planning.judging import judging_of
from discreet.planning.parts import Part
from discreet.planning.reasons import Caution, Note
from discreet.planning.releases.curves import CurveRelease
from discreet.planning.wishes import Wishes

_OFTEN = 1 / 4
"""So many intervals that are all that was declared are worth a warning."""
_TABLES, _FIRST = 24, 8
"""About so many tables of the public shapes are enough, and so many where the interval is all that
was declared on none of these: an interval takes some milliseconds."""


def warned(part: Part, wishes: Wishes) -> Part:
    """The part, with a note where its interval would often be all that was declared.

    Where a constant does as well, that is said already.
    """
    release = part.chosen.release
    if part.note is not None or not isinstance(release, CurveRelease):
        return part
    judging = judging_of(part.subject)
    each = len(judging.tables) // len(judging.weights)

    def share_of(about: int) -> float:
        some = slice(None, None, max(each, -(-len(judging.tables) // about)))
        weights = judging.table_weights[some]
        all_told = release.tells_all(judging.tables[some], wishes.confidence)
        return float(weights[all_told].sum() / weights.sum())

    share = share_of(_FIRST) and share_of(_TABLES)
    if share < _OFTEN:
        return part
    note = Note(
        kind=Caution.VAGUE,
        statistic=part.subject.item.label,
        epsilon=part.chosen.epsilon,
        share=share,
    )
    return replace(part, vague=note)
