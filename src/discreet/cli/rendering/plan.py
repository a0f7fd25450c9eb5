"""A plan for people: the candidates side by side, the chosen one starred, the cost below."""

from typing import TYPE_CHECKING, Any

from discreet.cli.rendering.terminal import Beside, Column, Row, heading
from discreet.model import LossName
from discreet.planning import (
    Candidate,
    Figures,
    Part,
    Plan,
    Wishes,
    note_text,
    promise_text,
    reason_text,
    sense_text,
)
from discreet.questions import item_text, shown_text
from discreet.tables import Dataset
from discreet.text import AS_DRAWN, Amount, brief, percent, span_text

if TYPE_CHECKING:
    from rich.console import RenderableType

_EVENLY = "ask with --prior databases"
_MOST_REASONS = 3
_SHAPES = (
    " typical error: 10–90 % of the tables of public shapes; worst shape: the average on the one "
    "that fares worst; data of another shape may fare worse"
)
_SIMULATED = " ± marks errors from simulated tables, with one standard error"
WIDE = 120
_ROOMY = (Column("seconds", right=True), Column("properties", style="dim", wraps=True))


def document(made: Plan, dataset: Dataset) -> dict[str, Any]:
    """The plan as one JSON document."""
    return {
        "dataset": dataset.name,
        "asked": shown_text(made.question, dataset),
        "epsilon": str(Amount(made.cost.total)),
        **made.to_dict(),
    }


def lines(made: Plan, dataset: Dataset, width: int = WIDE) -> "list[RenderableType]":
    """The plan, part by part; properties are shown where there is room."""
    from rich.text import Text

    blocks: list[RenderableType] = [heading(shown_text(made.question, dataset))]
    if made.stored is not None:
        blocks += [made.stored, Text("how it would be drawn afresh:", style="dim")]
    for part in made.parts:
        if len(made.parts) > 1:
            blocks.append(Text(item_text(part.subject.item, dataset), style="bold"))
        blocks += [
            _candidates(part, made.wishes, wide=width >= WIDE),
            *_left_out(part),
        ]
    if made.wishes.safe:
        blocks.append(Text(_SHAPES, "dim"))
    blocks += [Text(f" ★ {remark}", "dim") for remark in _senses(made, dataset)]
    if not made.wishes.safe and any(
        candidate.figures.simulated for part in made.parts for candidate in _shown(part)
    ):
        blocks.append(Text(_SIMULATED, "dim"))
    blocks += [Text(f" {remark}", "dim") for remark in _surely(made, dataset)]
    if any(map(made.mends, made.parts)):
        blocks.append(Text(f" {AS_DRAWN}", "dim"))
    blocks += [Text(f"! {note}", style="yellow") for note in warnings(made)]
    return [*blocks, _cost_line(made)]


def warnings(made: Plan) -> list[str]:
    """What the plan warns of, with the options of the command line."""
    return [note_text(note, _EVENLY) for note in made.notes]


def _senses(made: Plan, dataset: Dataset) -> list[str]:
    """In which sense each choice is best; where all agree, once."""
    senses = [
        (part, sense_text(part.choice.sense))
        for part in made.parts
        if part.choice.sense is not None
    ]
    if len({sense for _, sense in senses}) <= 1:
        return [sense for _, sense in senses[:1]]
    return [f"{names}: {sense}" for names, sense in _by_sentence(senses, dataset)]


def _surely(made: Plan, dataset: Dataset) -> list[str]:
    """What holds of the chosen candidates whatever the rows are, where the figures do not."""
    sure = f"{percent(made.wishes.confidence)} %"
    promises = [
        (part, promise)
        for part in made.parts
        if (promise := promise_text(part.subject, made.wishes, part.chosen))
    ]
    several = len(made.parts) > 1
    assured = [
        f"★ {f'{names}, ' * several}{sure}: {promise}"
        for names, promise in _by_sentence(promises, dataset)
    ]
    return [*assured, *(one for one in made.remarks if one != made.stored)]


def _by_sentence(said: "list[tuple[Part, str]]", dataset: Dataset) -> list[tuple[str, str]]:
    """Every sentence once, with the names of all statistics that it is said of."""
    names: dict[str, list[str]] = {}
    for part, sentence in said:
        names.setdefault(sentence, []).append(item_text(part.subject.item, dataset))
    return [(", ".join(some), sentence) for sentence, some in names.items()]


def fresh_line(made: Plan, dataset: Dataset) -> str:
    """What a new draw of an answer that is stored would cost, and how exact it would be."""
    sure = f"{percent(made.wishes.confidence)} %"
    each = []
    for part in made.parts:
        promise = promise_text(part.subject, made.wishes, part.chosen)
        bounds = ", ".join(filter(None, (f"within {_within(part.chosen.figures)}", promise)))
        each.append(f"{item_text(part.subject.item, dataset)} {bounds}")
    cost = Amount(made.cost_of_draw.total)
    return f" --fresh pays ε = {cost} for a new draw, {sure}: {'; '.join(each)}"


def _shown(part: Part) -> tuple[Candidate, ...]:
    return (*part.choice.candidates, part.choice.baseline)


def _cost_line(made: Plan) -> str:
    shared = f" for all {len(made.groups)} groups" if len(made.groups) > 1 else ""
    titles = [
        f"{part.chosen.title} at ε = {part.chosen.epsilon}"
        for part in made.parts
        if part.chosen.epsilon is not None and part.joined is None
    ]
    titles += [f"{one.candidates[0].title} at ε = {one.epsilon}" for one in made.joined]
    each = ", ".join(titles)
    each += "".join(f", a count of rows at ε = {count.epsilon}" for count in made.row_counts)
    if made.origin is not None:
        fresh = f"--fresh pays ε = {Amount(made.cost_of_draw.total)} for a draw by ★"
        return f"costs nothing: read from an earlier answer; {fresh}"
    if not each:
        return "costs nothing: no row is looked at"
    return f"costs ε = {Amount(made.cost.total)}{shared}: {each}"


def _criterion(part: Part, wishes: Wishes) -> str | None:
    """What candidates are judged by, where no other column shows it."""
    if wishes.loss is None or wishes.loss == LossName.ABSOLUTE or part.subject.labels is not None:
        return None
    return f"{wishes.loss} loss{' at worst' if wishes.worst_case else ''}"


def _candidates(part: Part, wishes: Wishes, *, wide: bool) -> Beside:
    criterion = _criterion(part, wishes)
    within = f"{percent(wishes.confidence)} % within"
    errors = ("typical error", "worst shape") if wishes.safe else ("expected error",)
    numbers = (criterion, *errors, within, "worst case")
    columns = [
        Column(""),
        Column("candidate", wraps=wide),
        *(Column(name, right=True) for name in numbers if name is not None),
        *(_ROOMY if wide else ()),
    ]
    rows = [
        _row(candidate, _numbers(candidate.figures, wishes, criterion), chosen=chosen, wide=wide)
        for candidate, chosen in _marked(part)
    ]
    if part.choice.baseline is not part.chosen:
        free = part.choice.baseline
        cells = _numbers(free.figures, wishes, criterion)
        rows.append(_row(free, cells, chosen=False, wide=wide, style="dim"))
    return Beside(tuple(columns), tuple(rows), 2)


def _marked(part: Part) -> list[tuple[Candidate, bool]]:
    return [(candidate, candidate is part.chosen) for candidate in part.choice.candidates]


def _numbers(figures: Figures, wishes: Wishes, criterion: str | None) -> list[str]:
    """The figures in the order of the columns."""
    judged = [] if criterion is None else [brief(figures.loss)]
    return [*judged, *_errors(figures, wishes), _within(figures), brief(figures.worst)]


def _errors(figures: Figures, wishes: Wishes) -> list[str]:
    """On the public shapes or, where one was stated, under the prior."""
    if wishes.safe:
        return [span_text(figures.typical), brief(figures.worst_shape)]
    error = brief(figures.expected)
    if figures.standard_error is not None:
        error += f" ± {figures.standard_error:.1g}"
    return [error]


def _within(figures: Figures) -> str:
    """The error at the confidence, and what it rests on."""
    return f"{brief(figures.within)} {figures.rests_on}".rstrip()


def _row(
    candidate: Candidate, numbers: list[str], *, chosen: bool, wide: bool, style: str = ""
) -> Row:
    cells = (
        "★" if chosen else "",
        candidate.title if wide else candidate.name,
        *numbers,
        *([f"{candidate.seconds:.3f}", ", ".join(candidate.properties)] if wide else []),
    )
    return Row(cells, "bold" if chosen else style)


def _left_out(part: Part) -> "list[RenderableType]":
    from rich.text import Text

    reasons = [
        f"{name} ({reason_text(why)})" for name, why in part.choice.left_out if not why.expected
    ]
    if not reasons:
        return []
    more = f" and {len(reasons) - _MOST_REASONS} more" if len(reasons) > _MOST_REASONS else ""
    return [Text(" left out: " + "; ".join(reasons[:_MOST_REASONS]) + more, style="dim")]
