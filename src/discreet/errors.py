"""Everything that discreet raises on purpose.

```
DiscreetError
├── InvalidInput (also a ValueError)   what was given cannot be used: the caller can correct it
│   ├── EpsilonError                   ε is not a positive, finite, sensible number
│   ├── SpaceError                     answers or outputs make no space
│   ├── NeighboursError                the neighbouring relation does not fit the space
│   ├── GoalError                      a loss, a prior or a requirement makes no sense
│   ├── MechanismError                 a matrix is not a mechanism: shape, sign, column sums
│   ├── FileError                      a file cannot be read as what it should be
│   ├── BudgetError                    a cost or a budget makes no sense
│   │   ├── IdTaken                    a question id was used for another question
│   │   └── OverBudget                 the charge would exceed a budget: nothing was charged
│   ├── DatasetError                   a dataset file or its source cannot be used
│   ├── QuestionError                  a question cannot be asked of this dataset
│   └── UnknownReceipt                 nothing was answered under this receipt
├── LedgerError                        the ledger cannot be trusted or written: nothing is answered
│   ├── NotPrepared                    its database, or the role, is not ready for it
│   └── FactsChanged                   its guarantee rests on other facts: nothing was charged
├── MissingExtra                       an optional part of discreet is not installed
├── ServiceError                       a server cannot be reached, or refuses
├── NotCertified                       a mechanism does not keep the promise asked of it
└── DesignError                        no mechanism can be designed for this request
```

A message is one line. It names what was given, what was wanted and what to do next, and it never
depends on private data. What a program may want to know is in attributes beside it. A class says
what the command line ends with, what the service replies with, and the word by which programs know
it. The fields of a request that a message mentions are marked (`named`), so that every front end
can spell them its own way: `n` in Python and over HTTP, `--n` on a command line.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from enum import Enum, auto
from fractions import Fraction
from typing import ClassVar

_FIELD = re.compile("\ue000([^\ue000\ue001=]*)(?:=([^\ue000\ue001]*))?\ue001")
"""A marked field; private-use characters cannot come from a quoted value, which escapes them."""

_RANGE = ("low", "high")


def named(field: str, example: object = None) -> str:
    """A field of a request as a message mentions it, with an example value or without.

    >>> str(InvalidInput(f"{named('n')} is required, for example {named('n', 10)}"))
    'n is required, for example n=10'
    """
    return f"\ue000{field}\ue001" if example is None else f"\ue000{field}={example}\ue001"


def in_python(field: str, example: str | None = None) -> str:
    """A field as Python and JSON spell it; a range is two of them."""
    word = " and ".join(_RANGE) if field == "range" else field
    return word if example is None else f"{word}={example}"


class DiscreetError(Exception):
    """The root: catch this to catch all that discreet raises on purpose.

    Attributes:
        exit_code: What a command that meets this error ends with.
        status: The HTTP status of a reply with this error.
        word: The short word for it in such a reply.
    """

    exit_code: ClassVar[int] = 2
    status: ClassVar[int] = 422
    word: ClassVar[str] = "discreet"

    def __init_subclass__(cls) -> None:
        """A class without a word of its own is known by its name.

        >>> OverBudget.word, QuestionError.word
        ('over-budget', 'question')
        """
        if "word" not in vars(cls):
            name = cls.__name__.removesuffix("Error")
            cls.word = "".join(f"-{c.lower()}" if c.isupper() else c for c in name).lstrip("-")


class InvalidInput(DiscreetError, ValueError):  # noqa: N818
    """What was given cannot be used.

    `field` is the field of the request to correct: unless said, the first that the
    message mentions; None when it is about no single one.
    """

    def __init__(self, message: str = "", *, field: str | None = None) -> None:
        self._marked = message
        first = _FIELD.search(message)
        about = field if field is not None or first is None else first[1]
        self.field = _RANGE[0] if about == "range" else about
        super().__init__(self.spelled(in_python))

    def spelled(self, spell: Callable[[str, str | None], str]) -> str:
        """The message with each field it mentions as a front end writes it.

        Args:
            spell: Writes a field, given its name and an example value or None.

        Returns:
            The message on one line.

        >>> InvalidInput(f"{named('n', 10)} is enough").spelled(lambda field, value: f"--{field}")
        '--n is enough'
        """
        return _FIELD.sub(lambda match: spell(match[1], match[2]), self._marked)


@contextmanager
def about(field: str) -> Iterator[None]:
    """Whatever cannot be used in here is about this field, unless it names one itself."""
    try:
        yield
    except InvalidInput as error:
        if error.field is None:
            error.field = field
        raise


class EpsilonError(InvalidInput):
    """ε is not a positive, finite, sensible number."""


class SpaceError(InvalidInput):
    """Answers or outputs are not a valid space."""


class NeighboursError(InvalidInput):
    """The neighbouring relation does not fit the space."""


class GoalError(InvalidInput):
    """A loss, a prior or a requirement makes no sense."""


class MechanismError(InvalidInput):
    """A matrix is not a mechanism."""


class FileError(InvalidInput):
    """A file cannot be read as what it should be."""


class BudgetError(InvalidInput):
    """A cost or a budget makes no sense."""


class IdTaken(BudgetError):  # noqa: N818
    """A question id was used for another question.

    Attributes:
        question: The id.
    """

    status = 409
    word = "key-taken"

    def __init__(self, message: str = "", *, question: str | None = None) -> None:
        super().__init__(message)
        self.question = question


class OverBudget(BudgetError):  # noqa: N818
    """The charge would exceed a budget: nothing was charged.

    Attributes:
        cost: What the question would have cost, in billionths of ε.
        left: What the exhausted account has left, in billionths of ε.
        analyst: Whose account it is; the whole budget is that of the empty name.
    """

    exit_code = 3
    status = 403

    def __init__(
        self,
        message: str,
        *,
        cost: int | None = None,
        left: int | None = None,
        analyst: str | None = None,
    ) -> None:
        super().__init__(message)
        self.cost, self.left, self.analyst = cost, left, analyst


class DatasetError(InvalidInput):
    """A dataset file or its source cannot be used.

    Attributes:
        problems: Everything to correct, each with its line; the message gives the first.
    """

    def __init__(
        self, message: str = "", *, field: str | None = None, problems: Sequence[str] = ()
    ) -> None:
        super().__init__(message, field=field)
        self.problems = tuple(problems)


class QuestionError(InvalidInput):
    """A question cannot be asked of this dataset.

    Attributes:
        nearest: What can be asked instead, as SQL; nothing where that is not known.
    """

    nearest = ""


class PlanChanged(QuestionError):  # noqa: N818
    """The plan of a question is not the one that was confirmed: nothing was charged.

    Attributes:
        shown: The digest of the plan that was confirmed.
        current: The digest of the plan of today, where there is one.
    """

    status = 409

    def __init__(
        self, message: str = "", *, shown: str | None = None, current: str | None = None
    ) -> None:
        super().__init__(message)
        self.shown, self.current = shown, current


class UnknownReceipt(InvalidInput):
    """Nothing was answered under this receipt.

    Attributes:
        receipt: The receipt that was looked for.
    """

    status = 404

    def __init__(
        self, message: str = "", *, field: str | None = None, receipt: str | None = None
    ) -> None:
        super().__init__(message, field=field)
        self.receipt = receipt


class Remedy(Enum):
    """What a custodian can do about a ledger that refuses."""

    ACKNOWLEDGE_LOSS = auto()
    ACKNOWLEDGE_FACTS = auto()
    VERIFY = auto()
    PREPARE = auto()
    """The database is not ready for this ledger, or for this role."""
    MOVE = auto()
    """There is a file too."""


class LedgerError(DiscreetError):
    """The ledger cannot be trusted or written: nothing is answered.

    Attributes:
        remedy: What the custodian can do, where there is something; the front end that shows the
            error names the command for it.
    """

    exit_code = 4
    status = 503

    def __init__(self, message: str, remedy: Remedy | None = None) -> None:
        super().__init__(message)
        self.remedy = remedy


class NotPrepared(LedgerError):  # noqa: N818
    """A database, or the role that connects, is not ready for a ledger: nothing was charged."""

    exit_code = 2

    def __init__(self, message: str, remedy: Remedy | None = Remedy.PREPARE) -> None:
        super().__init__(message, remedy)


class FactsChanged(LedgerError):  # noqa: N818
    """The facts that a ledger's guarantee rests on are not the declared ones: nothing was charged.

    Attributes:
        keys: Which facts differ, by the keys of the dataset file.
    """

    def __init__(self, message: str, keys: tuple[str, ...] = ()) -> None:
        super().__init__(message, Remedy.ACKNOWLEDGE_FACTS)
        self.keys = keys


class MissingExtra(DiscreetError):  # noqa: N818
    """An optional part of discreet is not installed.

    Attributes:
        what: The part.
        extra: The extra of the package that brings it.
    """

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(f"{what} is not installed: pip install 'discreet[{extra}]'")
        self.what, self.extra = what, extra

    def __reduce__(self) -> tuple[type["MissingExtra"], tuple[str, str]]:
        return type(self), (self.what, self.extra)


class ServiceError(DiscreetError):
    """A server cannot be reached, or refuses.

    Attributes:
        url: The server, where there was no reply.
    """

    def __init__(self, message: str = "", *, url: str | None = None) -> None:
        super().__init__(message)
        self.url = url


class NotCertified(DiscreetError):  # noqa: N818
    """A mechanism does not keep the promise asked of it; the message names the worst witness.

    Attributes:
        output: The output that is too much likelier under one answer than under another, where a
            single one is to blame.
        answers: Those two neighbouring answers, the likelier first.
        ratio: How many times as likely the output is; None for infinitely, or where δ is to blame.
    """

    exit_code = 1

    def __init__(
        self,
        message: str = "",
        *,
        output: "Fraction | str | None" = None,
        answers: "tuple[Fraction | str, Fraction | str] | None" = None,
        ratio: "Fraction | None" = None,
    ) -> None:
        super().__init__(message)
        self.output, self.answers, self.ratio = output, answers, ratio


class DesignError(DiscreetError):
    """No mechanism can be designed for this request.

    Attributes:
        tried: The methods that were tried, each with what became of it.
    """

    def __init__(self, message: str = "", *, tried: Sequence[tuple[str, str]] = ()) -> None:
        super().__init__(message)
        self.tried = tuple(tried)


@contextmanager
def standing(where: str) -> Iterator[None]:
    """Errors inside say where the question stands that they are about."""
    try:
        yield
    except DiscreetError as problem:
        if not where:
            raise
        raise QuestionError(f"{where}: {problem}") from None
