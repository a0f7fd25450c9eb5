"""What was put in the place of gaps: every plan and every answer that rests on it says so."""

from discreet.planning.reasons import Imputed
from discreet.questions import Question, columns_used
from discreet.tables import Column, Facts, imputes
from discreet.text import number_text


def imputed_by(question: Question, facts: Facts) -> tuple[Imputed, ...]:
    """The columns of a question whose gaps count as a declared value, in the order of the file."""
    used = columns_used(question)
    return tuple(
        Imputed(one.name, _told(one)) for one in facts.columns if one.name in used and imputes(one)
    )


def _told(column: Column) -> str:
    missing = column.missing
    assert missing is not None
    return missing if isinstance(missing, str) else number_text(missing)
