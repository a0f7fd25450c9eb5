"""The file of `--batch`, and what is not said beside it."""

from discreet.cli.parsing.files import text_of
from discreet.errors import FileError, QuestionError, named
from discreet.exact import show
from discreet.requests import QuestionFile


def batch_file(path: str) -> QuestionFile:
    """The file of questions at a path."""
    if not path.strip():
        raise FileError(f"{named('batch')} needs the name of a file, got an empty one")
    text = text_of(path, "questions", holds="questions", encoding="utf-8-sig")
    return QuestionFile(path, text)


def check_batch(question: str | None, epsilon: str | None) -> None:
    """Refuse what is for one question alone."""
    if question is not None:
        raise QuestionError(
            f"give a question or {named('batch')} FILE, not both: put {show(question)} in the file"
        )
    if epsilon is not None:
        raise QuestionError(
            f"{named('epsilon')} is for one question; with {named('batch')} give {named('total')}"
        )
