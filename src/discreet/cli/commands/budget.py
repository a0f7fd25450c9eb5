"""`discreet budget`: what questions cost at a wished accuracy, and what the budget buys."""

from typing import TYPE_CHECKING, Annotated

import typer

from discreet.cli.parsing import options
from discreet.cli.program import app

if TYPE_CHECKING:
    from discreet.planning import Accuracy


@app.command(
    epilog=options.examples(
        "discreet budget survey.toml",
        "discreet budget survey.toml 'SELECT AVG(age)' 'SELECT MEDIAN(mood)' --within 5%",
        "discreet budget survey.toml 'SELECT AVG(age)' 'SELECT COUNT(*)' --within 2 --within 10",
        "discreet budget survey.toml --batch questions.sql --within 3% --json",
    )
)
def budget(
    file: options.DatasetFile,
    questions: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="QUESTION…",
            help="The questions that are expected (default: a few that suit the columns).",
        ),
    ] = None,
    *,
    batch: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="More questions from a file: each begins on a line with SELECT, and may end with "
            "; and -- within 2%.",
        ),
    ] = None,
    within: Annotated[
        list[str] | None,
        typer.Option(
            metavar="T",
            help="How far off answers may be (default: 5%): a share of the rows for counts and "
            "medians, of the range for means; or a distance. Once, or once for each QUESTION.",
        ),
    ] = None,
    confidence: options.Confidence = "95%",
    json: options.Json = False,
) -> None:
    """Suggest an ε for every question, and say how many such questions the budget buys."""
    from discreet.cli.parsing.batches import asked_for
    from discreet.cli.rendering import worth as rendering
    from discreet.cli.rendering.terminal import console, progress_line, say, say_json
    from discreet.planning import Wishes, worth_of
    from discreet.questions import parse_sql
    from discreet.tables import read_dataset

    dataset = read_dataset(file)
    asked = asked_for(dataset, questions or [], batch, within or [])
    read = [parse_sql(sql, dataset) for sql, _ in asked]
    accuracies: list[Accuracy] = [accuracy for _, accuracy in asked]
    with progress_line("planning"):
        worth = worth_of(read, dataset, accuracies, wishes=Wishes.of(confidence=confidence))
    if json:
        say_json(rendering.document(worth, dataset))
        return
    say(console(), *rendering.lines(worth, dataset, confidence))
