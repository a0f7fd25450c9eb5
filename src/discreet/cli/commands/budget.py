"""`discreet budget`: what questions cost at a wished accuracy, and what the budget buys."""

from typing import Annotated

import typer

from discreet.cli.parsing import options
from discreet.cli.program import app


@app.command(
    epilog=options.examples(
        "discreet budget survey.toml",
        "discreet budget survey.toml 'SELECT AVG(age)' 'SELECT MEDIAN(satisfaction)' --within 5%",
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
    batch: options.Batch = None,
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
    """Suggest an ε for every question, and say how many such questions the budget buys.

    Where something was spent, it says what the rest buys. A question that cannot be asked has no
    price: the others have theirs, and the command ends as an error.
    """
    from discreet.cli.parsing.batches import batch_file
    from discreet.cli.parsing.read_only_ledger import left_of
    from discreet.cli.rendering import worth as rendering
    from discreet.cli.rendering.terminal import console, progress_line, say, say_json
    from discreet.errors import QuestionError
    from discreet.requests import read_expected, worth_expected
    from discreet.tables import read_dataset
    from discreet.text import plural

    dataset = read_dataset(file)
    asked = read_expected(
        dataset, questions or [], within or [], None if batch is None else batch_file(batch)
    )
    with progress_line("planning"):
        worth = worth_expected(asked, dataset, confidence)
    left = left_of(file)
    if json:
        say_json(rendering.document(worth, dataset, left))
        raise typer.Exit(2 if worth.refused else 0)
    say(console(), *rendering.lines(worth, dataset, confidence, left))
    if worth.refused:
        many = plural(len(worth.refused), "question")
        said = f"{many} of {len(asked)} cannot be priced, for the reasons above"
        raise QuestionError(said if len(worth.refused) > 1 else worth.refused[0])
