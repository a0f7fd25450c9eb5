"""What the comments of a question file say: options of a question, or remarks for people.

An option that is not read would leave a question at its share of the whole total. So a comment at
the end of a question's line either says options and nothing else, or mentions none; remarks may say
anything on lines of their own.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from discreet.errors import QuestionError, standing
from discreet.exact import show
from discreet.text import perhaps

OPTIONS = ("within", "epsilon", "importance")
"""What may be said of one question."""
_EXAMPLE = "-- within 5"
_REMARKS = "remarks go on lines of their own"
_COMMENT = re.compile(r"'[^'\n]*'|\"[^\"\n]*\"|(--[^\n]*|/\*.*?(?:\*/|\Z))", re.S)
"""A comment, or what stands in quotes and is none."""
_MARKS = re.compile(r"--+|/\*+|\*+/")
_VALUE = r"(?:[-+]?\.?\d[^\s,;%]*(?:\s*%)?|log\s*\(?\s*[\d./]+\s*\)?)"
_PAIR = re.compile(rf"([^\W\d]\w*)(?:\s*[=:]\s*|\s+)({_VALUE})(?=[\s,;]|$)", re.I)
_ONLY_PAIRS = re.compile(rf"[\s,;]*(?:{_PAIR.pattern}[\s,;]*)+", re.I)
_WORD = re.compile(r"[^\W\d]\w*")


@dataclass(frozen=True)
class _Comment:
    text: str
    line: int
    is_alone: bool
    """Whether nothing stands before it on its line."""


def without_comments(text: str) -> str:
    """The text with a blank for each comment; what stands in quotes is kept.

    >>> without_comments("SELECT COUNT(a = '--') -- within 5")
    "SELECT COUNT(a = '--')  "
    """
    return _COMMENT.sub(lambda one: " " if one[1] else one[0], text)


def said_of(text: str, name: str, line: int) -> dict[str, str]:
    """The options that the comments of a question say, as texts.

    Args:
        text: The question with its comments, and those up to the next question.
        name: What the file is called in messages.
        line: The line that the text begins on.

    Raises:
        QuestionError: A comment seems to say an option, and does not say one properly.

    >>> said_of("SELECT AVG(age) -- within 5%, importance: 2", "q.sql", 1)
    {'within': '5%', 'importance': '2'}
    >>> said_of("SELECT AVG(age) -- the main one", "q.sql", 1)
    {}
    """
    said: dict[str, str] = {}
    for comment in _comments(text, line):
        with standing(f"{show(name)}, line {comment.line}"):
            for option, value in _options(comment):
                if option in said:
                    raise QuestionError(f"{option} is said twice of one question; say it once")
                said[option] = value
    return said


def _comments(text: str, line: int) -> Iterator[_Comment]:
    """Each comment, and each part of one that begins with marks of its own."""
    for one in _COMMENT.finditer(text):
        if one[1]:
            begins = text.rfind("\n", 0, one.start()) + 1
            alone = not text[begins : one.start()].strip()
            for part in filter(str.strip, _MARKS.split(one[1])):
                yield _Comment(part.strip(), line + text.count("\n", 0, one.start()), alone)


def _options(comment: _Comment) -> Iterator[tuple[str, str]]:
    text, quoted = comment.text, show(comment.text)
    pairs = [(one[1].lower(), one[2]) for one in _PAIR.finditer(text)]
    unknown = [word for word, _ in pairs if word not in OPTIONS]
    alone = _ONLY_PAIRS.fullmatch(text) is not None
    if comment.is_alone:
        if alone and any(word in OPTIONS or perhaps(word, OPTIONS) for word, _ in pairs):
            raise QuestionError(
                f"{quoted} stands on a line of its own, where comments are remarks; write it at "
                "the end of a line of its question"
            )
    elif alone and unknown:
        raise QuestionError(
            f"unknown option {show(unknown[0])}{perhaps(unknown[0], OPTIONS)}; options are "
            f"{', '.join(OPTIONS)}; {_REMARKS}"
        )
    elif alone:
        yield from pairs
    elif (word := _mentioned(text, unknown)) is not None:
        meant = "" if word.lower() in OPTIONS else perhaps(word, OPTIONS)
        raise QuestionError(
            f"{quoted} cannot be read as an option{meant}; write options alone and with a number, "
            f"such as {_EXAMPLE}; {_REMARKS}"
        )


def _mentioned(text: str, before_numbers: list[str]) -> str | None:
    """A word that is an option, or that stands where one would and is like one; None if none is."""
    words = _WORD.findall(text)
    near = [word for word in [*words[:1], *before_numbers] if perhaps(word, OPTIONS)]
    return next((word for word in [*words, *near] if word.lower() in OPTIONS or word in near), None)
