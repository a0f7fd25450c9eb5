"""Questions to price: from the command line, from a file, or such as suit the columns."""

import re
from collections.abc import Sequence

from discreet.cli.parsing.files import text_of
from discreet.errors import InvalidInput, QuestionError, named
from discreet.exact import show
from discreet.planning import Accuracy, typical_questions
from discreet.tables import Dataset

DEFAULT = "5%"
"""How far off answers may be, unless it is said."""

_BEGINS = re.compile(r"^(?=\s*SELECT\b)", re.I | re.M)
_WITHIN = re.compile(r"--\s*within\s+(\S+)", re.I)
_COMMENT = re.compile(r"--.*")


def asked_for(
    dataset: Dataset, questions: Sequence[str], batch: str | None, within: Sequence[str]
) -> list[tuple[str, Accuracy]]:
    """Questions in SQL, each with how far off its answers may be."""
    if len(within) > 1 and len(within) != len(questions):
        raise InvalidInput(
            f"give {named('within')} once, or once for each question: there are "
            f"{len(questions)} questions and {len(within)} of them"
        )
    usual = Accuracy.of(within[-1] if len(within) == 1 else DEFAULT)
    told = [Accuracy.of(one) for one in within] if len(within) > 1 else [usual] * len(questions)
    found = list(zip(questions, told, strict=True))
    if batch is not None:
        found += [(sql, usual if own is None else own) for sql, own in _in_file(batch)]
    if not found and batch is None:
        found = [(sql, usual) for sql in typical_questions(dataset)]
    if not found:
        where = "" if batch is None else f" in {show(batch)}"
        raise QuestionError(f"there is no question{where}; each begins on a line with SELECT")
    return found


def _in_file(path: str) -> list[tuple[str, Accuracy | None]]:
    """The questions of a file, and what each says of its accuracy."""
    found = []
    for text in _BEGINS.split(text_of(path, "questions")):
        sql = _COMMENT.sub("", text).strip().rstrip(";").strip()
        said = _WITHIN.search(text)
        if sql:
            found.append((sql, None if said is None else Accuracy.of(said[1])))
    return found
