"""Pictures of an answer: one for each statistic that has something to look at."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from itertools import groupby

from discreet.curator import Answer, Result
from discreet.curator.result import Number, bound_clause, places_of
from discreet.figures import (
    Bar,
    GroupSpread,
    Picture,
    answer_span,
    fitted_line,
    group_bars,
    quantile_spreads,
)
from discreet.figures.axis import day_of
from discreet.planning import About
from discreet.planning.grouping import ALL
from discreet.planning.percentiles import ANYWHERE
from discreet.questions import Item, Question
from discreet.questions.words import called, column_words, counts_years, group_periods
from discreet.reports.along import Along, along_of, line_of, panels_of, values_of
from discreet.reports.naming import items_of, maybe_empty, statistic_names
from discreet.statistics import Correlation, Intercept, Rank, Slope
from discreet.tables import Dataset, NumberColumn
from discreet.text import IF_PRIOR, IF_SAMPLE, Resolution, brief, capital, percent, plural

_MOST_BARS = 60
_MANY_BARS = 24
"""Of more than so many, those that may be empty are not drawn."""
_LOOSE = "may lie anywhere"


def answer_pictures(answer: Answer, question: Question | None, dataset: Dataset) -> list[Picture]:
    """A picture for each statistic that has one, or for several that belong together.

    Args:
        answer: What was answered.
        question: What was asked; None where that cannot be read any more.
        dataset: The declared facts.

    Returns:
        Groups as bars, or along time where they are days; quantiles of one column together; a
        single number in its interval. Totals are told in tables alone.
    """
    items = items_of(question, answer)
    names = statistic_names(question, answer, dataset)
    labels = list(dict.fromkeys(result.label for result in answer.results))
    shown = [one for one in answer.results if not (_has_totals(question) and _is_total(one))]
    pictures = [_fitted(shown, items, dataset)]
    for ranks, several in groupby(labels, key=lambda label: _ranked(items.get(label))):
        together = list(several)
        if ranks is not None and len(together) > 1:
            pictures.append(_quantiles(shown, together, items, ranks, dataset))
            continue
        for label in together:
            results = [one for one in shown if one.label == label]
            name = names.get(label, label)
            pictures.append(
                _picture(answer, results, name, items.get(label), several=len(labels) > 1)
                or _grouped(answer, results, name, items.get(label), _Sides.of(question, dataset))
            )
    return [picture for picture in pictures if picture is not None]


def _has_totals(question: Question | None) -> bool:
    return question is not None and bool(question.totals)


def _is_total(result: Result) -> bool:
    return ALL in result.group_cells


def _ranked(item: Item | None) -> str | None:
    """The column, of an order statistic."""
    return item.column if item is not None and isinstance(item.statistic, Rank) else None


def _picture(
    answer: Answer, results: Sequence[Result], name: str, item: Item | None, *, several: bool
) -> Picture | None:
    confidence = percent(answer.confidence)
    if (
        len(results) == 1
        and results[0].interval is not None
        and isinstance(value := results[0].value, int | Fraction)
    ):
        low, high = map(_float, results[0].interval)
        named = f"{capital(name)}. " if several else ""
        places = places_of(results)
        line = bound_clause(results[0], places)
        message = f"{named}Dot: the answer. Line: {line}, {confidence} % confidence."
        bounds = (-1.0, 1.0) if item and isinstance(item.statistic, Correlation) else None
        shown = float(value) if places is None else round(float(value), places)
        return answer_span(shown, low, high, message, possible=bounds)
    return None


@dataclass(frozen=True)
class _Sides:
    """For each column that rows are grouped by, whether its groups have an order."""

    along: tuple[Along | None, ...]
    periods: tuple[Resolution | None, ...]

    @classmethod
    def of(cls, question: Question | None, dataset: Dataset) -> "_Sides":
        many = 1 if question is None else max(1, len(question.group_by))
        along = tuple(along_of(question, place, dataset) for place in range(many))
        return cls(along, group_periods(question, dataset))


def _grouped(
    answer: Answer, results: Sequence[Result], name: str, item: Item | None, sides: _Sides
) -> Picture | None:
    """A line, a panel of lines or bars: one mark for each group."""
    if not results or (len(results) == 1 and not isinstance(results[0].value, tuple)):
        return None
    if any(isinstance(one.value, date) for one in results):
        return _dates(results, name)
    words = {
        "clause": f"{percent(answer.confidence)} % intervals{_condition(results)}",
        "silent": _silent(results) + _faint(results, item),
    }
    line = line_of(results, name, sides.along[0], **words) if len(sides.along) == 1 else None
    return (
        line
        or panels_of(results, name, sides.along, **words)
        or _bars(results, name, item, sides.periods, **words)
    )


def _faint(results: Sequence[Result], item: Item | None) -> str:
    many = sum(maybe_empty(one, item) for one in results)
    return f"; {plural(many, 'group', 'groups')} may be empty" if many else ""


def _bars(
    results: Sequence[Result],
    name: str,
    item: Item | None,
    periods: Sequence[Resolution | None],
    *,
    clause: str,
    silent: str,
) -> Picture | None:
    bars = [bar for result in results for bar in _bars_of(result, item, periods)]
    if not any(bar.value is not None for bar in bars):
        return None
    sure = [bar for bar in bars if not bar.faint]
    if len(bars) > _MANY_BARS and sure and len(sure) < len(bars):
        bars, silent = sure, f"{silent}, and are not drawn"
    message = capital(name) + _largest(bars)
    if any(bar.low is not None for bar in bars):
        message += f"; whiskers show {clause}"
    message += silent
    if len(bars) > _MOST_BARS:
        message += f"; the first {_MOST_BARS} of {len(bars):,} groups are drawn"
    return group_bars(bars[:_MOST_BARS], message + ".", name=name)


def _largest(bars: Sequence[Bar]) -> str:
    """Which group is the largest, as far as the intervals tell; never one that may be empty."""
    drawn = [(bar.value, bar) for bar in bars if bar.value is not None and not bar.faint]
    if not drawn:
        return ""
    most, highest = max(drawn, key=lambda pair: pair[0])
    called = ", ".join(filter(None, (highest.under, highest.name)))
    others = [one.high for one in bars if one is not highest and one.value is not None]
    low = highest.low
    sure = low is not None and all(high is not None and high < low for high in others)
    if sure or highest.low is None:
        return f": the largest is {called} with {brief(most)}"
    return f": the largest shown is {called} with {brief(most)}, others may be as large"


def _silent(results: Sequence[Result]) -> str:
    few = sum(result.too_few_rows for result in results)
    return f"; {plural(few, 'group has', 'groups have')} too few rows for a value" if few else ""


def _dates(results: Sequence[Result], name: str) -> Picture | None:
    """Answers that are dates, group by group."""
    spreads = [_spread([one]) for one in results[:_MOST_BARS]]
    message = f"{capital(name)}: a dot for each group{_silent(results)}."
    return quantile_spreads(spreads, [name], message, name=name)


def _quantiles(
    results: Sequence[Result],
    labels: Sequence[str],
    items: Mapping[str, Item],
    of: str,
    dataset: Dataset,
) -> Picture | None:
    """Several quantiles of a column, group by group, on one axis."""
    column, years = column_words(of, dataset), counts_years(dataset.column(of))
    ordered = sorted(labels, key=lambda label: items[label].statistic.parameter or 0)
    by_group: dict[str | None, dict[str, Result]] = {}
    for one in results:
        if one.label in labels:
            by_group.setdefault(one.group, {})[one.label] = one
    groups = [[group[label] for label in ordered if label in group] for group in by_group.values()]
    spreads = [_spread(group) for group in groups][:_MOST_BARS]
    if not any(spread.values for spread in spreads):
        return None
    heads = [items[label].statistic.phrase(column).partition(" of ")[0] for label in ordered]
    what = f"bars reach from {heads[0]} to {heads[-1]}"
    if len(heads) % 2 and len(heads) > 1:
        middle = len(heads) // 2
        what = f"boxes reach from {heads[middle - 1]} to {heads[middle + 1]}, the line in them is "
        what += heads[middle]
        if len(heads) > 3:
            what += f", whiskers reach from {heads[0]} to {heads[-1]}"
    silent = _silent([group[0] for group in groups])
    if any(spread.faint for spread in spreads):
        silent += "; what is dashed may lie anywhere: too few rows for this ε"
    message = f"{column}: {what}{silent}."
    return quantile_spreads(spreads, heads, message, name=column, years=years)


def _spread(group: Sequence[Result]) -> GroupSpread:
    """The values of a group; none where one of them is missing."""
    values = [one.value if isinstance(one.value, date) else _number(one.value) for one in group]
    there = tuple(one for one in values if one is not None)
    few = next((one.text for one in group if one.too_few_rows), "")
    silent = any(one.percentiles == ANYWHERE for one in group)
    return GroupSpread(
        name=group[0].group or "",
        values=there if len(there) == len(group) else (),
        few=few,
        faint=_LOOSE if silent and not few else "",
    )


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | Fraction) else None


def _fitted(
    results: Sequence[Result], items: Mapping[str, Item], dataset: Dataset
) -> Picture | None:
    """The line of least squares, where its slope and its intercept are both told of all rows."""
    lines: dict[tuple[str, ...], dict[type, float]] = {}
    for one in results:
        item, value = items.get(one.label), _number(one.value)
        if item is not None and value is not None and one.group is None:
            lines.setdefault(item.columns, {})[type(item.statistic)] = value
    for columns, line in lines.items():
        if {Slope, Intercept} <= set(line):
            against = dataset.column(columns[1])
            assert isinstance(against, NumberColumn)
            ends = float(against.grid.start), float(against.grid.last)
            if ends[0] == ends[1]:
                return None
            names = column_words(columns[1], dataset), column_words(columns[0], dataset)
            slope, intercept = line[Slope], line[Intercept]
            sign = "+" if slope >= 0 else "−"
            message = (
                f"The line of least squares: {columns[0]} ≈ {brief(intercept)} {sign} "
                f"{brief(abs(slope))} × {columns[1]}."
            )
            return fitted_line(slope, intercept, ends, message, names=names)
    return None


def _condition(results: Sequence[Result]) -> str:
    """What the intervals of a picture rest on, where they do not hold for any data."""
    if any(result.supposed for result in results):
        return f" {IF_PRIOR}"
    return f", {IF_SAMPLE}" if results[0].about == About.POPULATION else ""


def _bars_of(result: Result, item: Item | None, periods: Sequence[Resolution | None]) -> list[Bar]:
    """What is drawn of a result: words in the place of a bar where there are too few rows."""
    *under, name = called(result.group_cells, periods) or (result.label,)
    above = ", ".join(under)
    match result.value:
        case str() | date():
            return []
        case tuple():
            return [
                Bar(word, float(many), None, None, under=result.group or "")
                for word, many in result.value
            ]
    few = result.text if result.too_few_rows else ""
    faint = "may be none" if maybe_empty(result, item) else ""
    return [Bar(name, *values_of(result), under=above, few=few, faint=faint)]


def _float(end: Number) -> float:
    return day_of(end) if isinstance(end, date) else float(end)
