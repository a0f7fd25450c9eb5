"""An answer as a tidy table: a row for each result, for data frames, spreadsheets and documents.

Numbers are plain ones; `Answer` keeps them exactly. The libraries that hold data frames are asked
for when they are used, and are nobody's duty to install.
"""

import importlib
from collections.abc import Collection, Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from discreet.errors import InvalidInput
from discreet.planning.grouping import MISSING
from discreet.text import harmless, latex_table, markdown_table, moment_text, read_moment, show

if TYPE_CHECKING:
    from discreet.curator.answer import Answer
    from discreet.curator.result import Result

TOLD = ("statistic", "value", "low", "high", "bound", "rows", "epsilon", "receipt")
"""The columns after those that rows are grouped by; `rows` is a noisy count, where one was drawn.

`low` and `high` hold for every table at the answer's confidence; what rests on more than that is
told in `bound`."""
WORD = "word"
"""The column of a TOP's words, before `value`."""

Table = dict[str, list[Any]]


def tidy(answer: "Answer") -> Table:
    """An answer as columns of plain values, all of one length.

    Args:
        answer: What was answered.

    Returns:
        Lists by the name of their column: every column that rows are grouped by, then TOLD.
    """
    words = any(isinstance(one.value, tuple) for one in answer.results)
    rows = [row for result in answer.results for row in _rows(result, answer, words=words)]
    groups = named_apart(answer.grouped_by, (*TOLD, WORD))
    names = [*groups, *((WORD,) if words else ()), *TOLD]
    table = {name: [row[place] for row in rows] for place, name in enumerate(names)}
    return table | {name: _moments(table[name]) for name in groups}


def _moments(column: list[str]) -> list[Any]:
    """A column of groups that are all dates or times as such, a gap where it is missing.

    >>> _moments(["2023-05-01", "(missing)"]), _moments(["2023-05-01", "(all)"])
    ([datetime.date(2023, 5, 1), None], ['2023-05-01', '(all)'])
    """
    moments = [None if one == MISSING else read_moment(one) for one in column]
    kept = zip(column, moments, strict=True)
    every = all(one == (MISSING if at is None else moment_text(at)) for one, at in kept)
    return list(moments if every and any(moments) else column)


def named_apart(columns: Sequence[str], taken: Collection[str]) -> list[str]:
    """What columns of groups are called beside others: by their own names, if these are free.

    >>> named_apart(["clinic", "value"], TOLD)
    ['clinic', 'group value']
    """
    names = list[str]()
    for column in columns:
        name = column
        while name in taken or name in names:
            name = f"group {name}"
        names.append(name)
    return names


def _rows(result: "Result", answer: "Answer", *, words: bool) -> Iterator[list[Any]]:
    ends = None if result.supposed else result.interval
    low, high = (None, None) if ends is None else map(plain, ends)
    rest = [low, high, result.bound, result.rows_about, float(answer.epsilon), answer.receipt]
    several = result.value if isinstance(result.value, tuple) else ((None, result.value),)
    for word, value in several:
        named = [word] if words else []
        yield [*result.group_cells, *named, result.label, plain(value), *rest]


def plain(value: Any) -> Any:
    """A value as programs like it: a fraction is a whole number or a float.

    >>> plain(Fraction(4, 2)), plain(Fraction(1, 4)), plain("North"), plain(None)
    (2, 0.25, 'North', None)
    """
    if isinstance(value, Fraction):
        return int(value) if value.denominator == 1 else float(value)
    return value


def library(name: str) -> Any:
    """A library that is not installed with discreet; one line where it is missing.

    Args:
        name: The module.

    Returns:
        The module.

    Raises:
        InvalidInput: It is not installed.
    """
    try:
        return importlib.import_module(name)
    except ImportError:
        raise InvalidInput(f"{name} is not installed; pip install {name}") from None


def of_one_type(column: Sequence[Any]) -> list[Any]:
    """A column whose values are all words, all floats or all whole numbers, besides gaps.

    >>> of_one_type([1, None, 2.5]), of_one_type(["a", 2])
    ([1.0, None, 2.5], ['a', '2'])
    """
    kinds = {type(one) for one in column if one is not None}
    if len(kinds) < 2:
        return list(column)
    made = float if kinds == {int, float} else str
    return [None if one is None else made(one) for one in column]


def to_pandas(answer: "Answer") -> Any:
    """The answer as a pandas data frame."""
    return library("pandas").DataFrame(_uniform(answer))


def to_polars(answer: "Answer") -> Any:
    """The answer as a polars data frame."""
    return library("polars").DataFrame(_uniform(answer), strict=False)


def to_arrow(answer: "Answer") -> Any:
    """The answer as an Arrow table."""
    return library("pyarrow").table(_uniform(answer))


def _uniform(answer: "Answer") -> Table:
    return {name: of_one_type(column) for name, column in tidy(answer).items()}


def to_excel(answer: "Answer", path: "str | Path") -> Path:
    """Write the answer to a new Excel file; words are never formulas."""
    book = library("openpyxl").Workbook()
    sheet, table = book.active, tidy(answer)
    sheet.title = "answer"
    sheet.append([_cell(name) for name in table])
    for row in zip(*table.values(), strict=True):
        sheet.append([_cell(one) for one in row])
    place = Path(path)
    try:
        book.save(place)
    except OSError as problem:
        raise InvalidInput(f"cannot write {show(str(place))}: {problem.strerror}") from None
    return place


def _cell(value: Any) -> Any:
    return harmless(value) if isinstance(value, str) else value


def to_markdown(answer: "Answer") -> str:
    """The answer as a table of Markdown."""
    return markdown_table(*_shown(answer))


def to_latex(answer: "Answer") -> str:
    """The answer as a tabular of LaTeX (booktabs)."""
    head, rows = _shown(answer)
    return latex_table(head, rows, right=_NUMBERS)


_NUMBERS = ("value", "low", "high", "rows")
_SHORT = ("statistic", "value", "low", "high", "bound", "rows")


def _shown(answer: "Answer") -> tuple[list[str], list[list[str]]]:
    """What a document tells: no receipts, and no column that says nothing."""
    table = tidy(answer)
    skipped = {name for name in TOLD if name not in _SHORT}
    kept = {
        name: column
        for name, column in table.items()
        if name not in skipped and any(one is not None for one in column)
    }
    rows = zip(*kept.values(), strict=True)
    return list(kept), [[_text(one) for one in row] for row in rows]


def _text(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:.6g}" if isinstance(value, float) else str(value)
