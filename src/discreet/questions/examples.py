"""What can be asked: examples from the declared columns, each of which can be read."""

from collections.abc import Iterator

from discreet.errors import DiscreetError
from discreet.questions.sql import parse_sql
from discreet.tables import CategoryColumn, Column, Dataset, DateColumn, NumberColumn, name_text

_FEW = 12
_MOST = 3
"""Examples of one kind."""


def example_questions(dataset: Dataset) -> dict[str, tuple[str, ...]]:
    """SQL by what it is good for; nothing in it comes from rows.

    Args:
        dataset: The declared facts.
    """
    kinds = {
        "How many": _counts(dataset),
        "Typical values": _values(dataset),
        "Groups side by side": _groups(dataset),
        "Over time": _times(dataset),
        "Spread and relations": _spread(dataset),
    }
    read = {kind: tuple(_readable(questions, dataset)) for kind, questions in kinds.items()}
    return {kind: questions for kind, questions in read.items() if questions}


def _readable(proposed: Iterator[str], dataset: Dataset) -> list[str]:
    readable: list[str] = []
    for sql in proposed:
        try:
            parse_sql(sql, dataset)
        except DiscreetError:
            continue
        readable.append(sql)
        if len(readable) == _MOST:
            break
    return readable


def _named(columns: list[Column]) -> list[str]:
    return [name_text(column.name) for column in columns]


def _numbers(dataset: Dataset) -> list[Column]:
    return [
        column
        for column in dataset.every_column
        if isinstance(column, NumberColumn) and not isinstance(column, DateColumn)
    ]


def _words(dataset: Dataset) -> list[CategoryColumn]:
    return [
        column
        for column in dataset.every_column
        if isinstance(column, CategoryColumn) and not column.is_boolean and column.size <= _FEW
    ]


def _counts(dataset: Dataset) -> Iterator[str]:
    for column in dataset.every_column:
        if isinstance(column, CategoryColumn) and column.is_boolean:
            yield f"SELECT SHARE({name_text(column.name)})"
    for word in _words(dataset):
        first = word.labels.names[0].replace("'", "''")
        yield f"SELECT COUNT(*) WHERE {name_text(word.name)} = '{first}'"
    for number in _numbers(dataset):
        assert isinstance(number, NumberColumn)
        middle = number.sql(number.grid.value(number.size // 2))
        yield f"SELECT COUNT(*) WHERE {name_text(number.name)} >= {middle}"


def _values(dataset: Dataset) -> Iterator[str]:
    names = _named(_numbers(dataset))
    yield from (f"SELECT AVG({name})" for name in names[:1])
    yield from (f"SELECT MEDIAN({name})" for name in names[1:2] or names[:1])
    yield from (f"SELECT MODE({name_text(one.name)})" for one in _words(dataset))


def _groups(dataset: Dataset) -> Iterator[str]:
    words = [name_text(one.name) for one in _words(dataset)]
    yield from (f"SELECT COUNT(*) GROUP BY {word}" for word in words[:1])
    for name in _named(_numbers(dataset))[:1]:
        yield from (f"SELECT AVG({name}) GROUP BY {word}" for word in words[:1])
    if len(words) > 1:
        yield f"SELECT COUNT(*) GROUP BY {words[0]}, {words[1]}"


def _times(dataset: Dataset) -> Iterator[str]:
    for column in dataset.every_column:
        if isinstance(column, DateColumn):
            name = name_text(column.name)
            yield f"SELECT COUNT(*) GROUP BY DATE_TRUNC('month', {name})"
            yield f"SELECT COUNT(*) GROUP BY DATE_TRUNC('year', {name})"


def _spread(dataset: Dataset) -> Iterator[str]:
    names = _named(_numbers(dataset))
    yield from (f"SELECT QUARTILES({name})" for name in names[:1])
    yield from (f"SELECT STDDEV({name})" for name in names[1:2])
    if len(names) > 1:
        yield f"SELECT CORR({names[0]}, {names[1]})"
