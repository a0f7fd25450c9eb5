"""`discreet ask`: charge, draw, store, release."""

import sys
from shlex import quote
from typing import TYPE_CHECKING, Annotated

import typer

from discreet.cli.parsing import options
from discreet.cli.program import app

if TYPE_CHECKING:
    from discreet.cli.rendering.prospect import Prospect
    from discreet.curator import Curator
    from discreet.planning import Plan


@app.command(
    epilog=options.examples(
        "discreet ask survey.toml 'SELECT MEDIAN(mood)' --epsilon 0.5",
        "discreet ask survey.toml 'SELECT COUNT(*) GROUP BY clinic' --epsilon 1 --yes --csv",
    )
)
def ask(
    file: options.DatasetFile,
    question: options.Sql,
    *,
    epsilon: options.Epsilon = None,
    within: options.Within = None,
    confidence: options.Confidence = "95%",
    loss: options.QuestionLoss = None,
    prior: options.QuestionPrior = None,
    worst_case: options.QuestionWorstCase = False,
    require: options.QuestionRequire = None,
    unbiased: options.Unbiased = False,
    remap: options.Remap = None,
    consistent: options.Consistent = False,
    mechanism: options.Mechanism = None,
    interval: options.Interval = "usual",
    about: options.About = "table",
    clamp: options.Clamp = False,
    name: Annotated[
        str | None,
        typer.Option("--id", metavar="ID", help="An id for the question; asking it again is free."),
    ] = None,
    analyst: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Who asks (default: DISCREET_ANALYST, or the login)."),
    ] = None,
    dry_run: options.DryRun = False,
    yes: options.Yes = False,
    csv: Annotated[bool, typer.Option("--csv", help="Print the results as CSV.")] = False,
    json: options.Json = False,
) -> None:
    """Answer a question privately, and spend what it costs."""
    from discreet.cli.parsing.files import order_of
    from discreet.cli.rendering import prospect as rehearsal
    from discreet.cli.rendering.answer import lines
    from discreet.cli.rendering.terminal import console, or_else, progress_line, say, say_json
    from discreet.curator import Curator
    from discreet.errors import InvalidInput, named

    if csv and json:
        raise InvalidInput(f"give {named('csv')} or {named('json')}, not both")
    with Curator(file, analyst) as curator:
        order = order_of(
            curator.dataset,
            question,
            epsilon=epsilon,
            within=within,
            confidence=confidence,
            loss=loss,
            prior=prior,
            worst_case=worst_case,
            require=require,
            unbiased=unbiased,
            remap=remap,
            consistent=consistent,
            mechanism=mechanism,
            interval=interval,
            about=about,
            clamp=clamp,
        )
        _warn(*curator.notices())
        made: Plan | None = None
        prospect = rehearsal.prospect_of(curator, order, name) if dry_run else None
        if prospect is not None or not _is_stored(curator, name):
            with progress_line("planning") as report:
                made = curator.plan(order, report)
            if prospect is not None:
                _tell_plan(curator, made, prospect, as_json=json)
                return
            _confirm(curator, made, yes=yes)
        answer = curator.ask(order, plan=made, question_id=name)
        with or_else(
            "the answer is stored: ask again with --id "
            f"{quote(answer.receipt)} to see it, free of charge; "
            f"`discreet ledger show {quote(file)}` lists it"
        ):
            if csv:
                print(answer.to_csv(), end="")
            elif json:
                say_json(answer.to_dict())
            else:
                screen = console()
                say(screen, *lines(answer, curator, screen.width))


def _is_stored(curator: "Curator", name: str | None) -> bool:
    curator.check_ready()
    return name is not None and curator.is_stored(name)


def _tell_plan(curator: "Curator", made: "Plan", prospect: "Prospect", *, as_json: bool) -> None:
    from discreet.cli.rendering import plan as planning
    from discreet.cli.rendering.terminal import console, say, say_json

    if as_json:
        say_json(
            {
                **planning.document(made, curator.dataset),
                **prospect.document(made.cost.total),
            }
        )
        return
    screen = console()
    told = prospect.line(made.cost.total)
    say(screen, *planning.lines(made, curator.dataset, screen.width), told)


def _warn(*notes: str) -> None:
    from discreet.text import one_line

    for note in notes:
        print(f"warning: {one_line(note)}", file=sys.stderr)


def _confirm(curator: "Curator", made: "Plan", *, yes: bool) -> None:
    """Show the plan on standard error and ask; where nobody can be asked, --yes is needed."""
    from discreet.cli.rendering.ledger import confirm, somebody_is_there
    from discreet.cli.rendering.plan import lines, warnings
    from discreet.cli.rendering.terminal import say
    from discreet.text import Amount

    if not yes and somebody_is_there():
        from rich.console import Console

        screen = Console(stderr=True, highlight=False, markup=False)
        say(screen, *lines(made, curator.dataset, screen.width))
    else:
        _warn(*warnings(made))
    cost, left = Amount(made.cost.total), Amount(curator.left())
    confirm(
        f"This spends ε = {cost} of the {left} left. Continue?",
        yes=yes,
        otherwise="nothing was spent",
    )
