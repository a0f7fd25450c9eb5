"""`discreet ask`: charge, draw, store, release."""

import sys
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any

import typer

from discreet.cli.parsing import options
from discreet.cli.program import app

if TYPE_CHECKING:
    from discreet.cli.rendering.prospect import Prospect
    from discreet.curator import Curator
    from discreet.planning import Plan
    from discreet.questions import Question
    from discreet.requests import Order


@app.command(
    epilog=options.examples(
        "discreet ask survey.toml 'SELECT MEDIAN(satisfaction)' --epsilon 0.5",
        "discreet ask survey.toml 'SELECT COUNT(*) GROUP BY clinic' --epsilon 1 --yes --csv",
        "discreet ask survey.toml 'SELECT AVG(age) GROUP BY clinic' --epsilon 1 --out ages.xlsx",
        "discreet ask survey.toml 'SELECT COUNT(*) GROUP BY ROLLUP(clinic, smokes)' --epsilon 1",
        "discreet ask survey.toml 'SELECT MEDIAN(satisfaction)' --epsilon 0.5 --fresh",
        "discreet ask survey.toml --batch questions.sql --total 1",
    )
)
def ask(
    file: options.DatasetFile,
    question: options.SqlUnlessBatch = None,
    *,
    batch: options.Batch = None,
    total: options.Total = None,
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
    importance: options.Importance = None,
    fresh: options.Fresh = False,
    name: options.Id = None,
    analyst: options.Asker = None,
    dry_run: options.DryRun = False,
    yes: options.Yes = False,
    csv: Annotated[bool, typer.Option("--csv", help="Print the results as CSV.")] = False,
    out: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Write the results too: .csv, .xlsx, .md, .tex, .html, .json or .parquet.",
        ),
    ] = None,
    json: options.Json = False,
) -> None:
    """Answer a question privately, and spend what it costs.

    If one of your earlier answers already gives it, it is free of charge. EXPLAIN SELECT …
    shows the plan, as --dry-run does.
    """
    from discreet.cli.parsing.files import question_prior
    from discreet.cli.rendering import prospect as rehearsal
    from discreet.cli.rendering.answer import lines
    from discreet.cli.rendering.terminal import console, or_else, progress_line, say, say_json
    from discreet.curator import Curator
    from discreet.curator.writing import check_file, is_kept, write
    from discreet.errors import InvalidInput, named
    from discreet.requests import read_order

    wishes = {
        "confidence": confidence,
        "loss": loss,
        "prior": None if prior is None else question_prior(prior),
        "worst_case": worst_case,
        "require": require,
        "unbiased": unbiased,
        "remap": None if remap is None else question_prior(remap),
        "consistent": consistent,
        "mechanism": mechanism,
        "interval": interval,
        "about": about,
        "clamp": clamp,
        "importance": importance,
    }
    if batch is not None:
        _check_batch(
            question, epsilon, {"csv": csv, "out": out, "dry-run": dry_run, "fresh": fresh}
        )
        with Curator(file, analyst) as curator:
            asked = {"total": total, "within": within, **wishes}
            _ask_batch(curator, batch, asked, name, yes=yes, as_json=json)
        return
    if csv and json:
        raise InvalidInput(f"give {named('csv')} or {named('json')}, not both")
    if out is not None:
        check_file(out)
    with Curator(file, analyst) as curator:
        if out is not None and is_kept(out, curator):
            raise InvalidInput(f"{named('out')} names a file of this dataset; give another name")
        order = read_order(
            question,
            curator.dataset,
            total=total,
            epsilon=epsilon,
            within=within,
            fresh=fresh,
            **wishes,
        )
        made: Plan | str | None = None
        prospect = (
            rehearsal.prospect_of(curator, order, name) if dry_run or order.explains else None
        )
        stored = prospect is None and _is_stored(curator, name, order.question)
        _warn(*curator.notices())
        part = None if stored or prospect is not None else curator.stored_part(order)
        if part is not None:
            made = part.digest
        elif not stored:
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
            if out is not None:
                write(answer, out)
            if csv:
                print(answer.to_csv(), end="")
            elif json:
                say_json(answer.to_dict())
            else:
                screen = console()
                anew = [] if part is None else _fresh(curator, order)
                say(screen, *lines(answer, curator, screen.width), *anew)


def _fresh(curator: "Curator", order: "Order") -> list[str]:
    """Beside what is stored, how exact a new draw would be; nothing where there is none."""
    from discreet.cli.rendering.plan import fresh_line
    from discreet.cli.rendering.terminal import progress_line
    from discreet.errors import DiscreetError

    try:
        with progress_line("planning") as report:
            return [fresh_line(curator.plan(order, report), curator.dataset)]
    except DiscreetError:
        return []


def _check_batch(question: str | None, epsilon: str | None, single: dict[str, Any]) -> None:
    """Refuse what is for one question alone."""
    from discreet.cli.parsing.batches import check_batch
    from discreet.errors import InvalidInput

    check_batch(question, epsilon)
    for option, given in single.items():
        if given:
            raise InvalidInput(
                f"--{option} is for one question; with --batch there is --json, and `discreet plan "
                "--batch` shows the plans"
            )


def _ask_batch(
    curator: "Curator",
    batch: str,
    asked: dict[str, Any],
    name: str | None,
    *,
    yes: bool,
    as_json: bool,
) -> None:
    """Ask all questions of a file, each by its plan; what they cost is confirmed once."""
    from discreet.cli.parsing.batches import batch_file
    from discreet.cli.rendering.answer import lines
    from discreet.cli.rendering.batch import table
    from discreet.cli.rendering.terminal import (
        confirm,
        console,
        or_else,
        progress_line,
        say,
        say_json,
        somebody_is_there,
    )
    from discreet.requests import read_batch
    from discreet.text import Amount, plural

    wanted = read_batch(batch_file(batch), curator.dataset, **asked)
    curator.check_ready(*(one.question for one in wanted.wanted))
    _warn(*curator.notices())
    with progress_line("planning"):
        made = curator.plan_batch(wanted)
    made.check(id=name)
    if not yes and somebody_is_there():
        from rich.console import Console

        screen = Console(stderr=True, highlight=False, markup=False)
        say(screen, *table(made.plans, curator.dataset))
    several = plural(len(made.plans), "question")
    confirm(
        f"This spends ε = {made.cost} of the {Amount(curator.left())} left on {several}. Continue?",
        yes=yes,
        otherwise="nothing was spent",
    )
    answers = made.ask(id=name)
    with or_else(
        f"the answers are stored: `discreet ledger show {quote(str(curator.path))}` lists them"
    ):
        if as_json:
            say_json({"total": str(made.cost), "answers": [one.to_dict() for one in answers]})
            return
        screen = console()
        for answer in answers:
            say(screen, *lines(answer, curator, screen.width))


def _is_stored(curator: "Curator", name: str | None, question: "Question") -> bool:
    curator.check_ready(question)
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
    price = prospect.line(made.cost.total)
    say(screen, *planning.lines(made, curator.dataset, screen.width), price)


def _warn(*notes: str) -> None:
    from discreet.text import one_line

    for note in notes:
        print(f"warning: {one_line(note)}", file=sys.stderr)


def _confirm(curator: "Curator", made: "Plan", *, yes: bool) -> None:
    """Show the plan on standard error and ask; where nobody can be asked, --yes is needed."""
    from discreet.cli.rendering.plan import lines, warnings
    from discreet.cli.rendering.terminal import confirm, say, somebody_is_there
    from discreet.text import Amount

    if not yes and somebody_is_there():
        from rich.console import Console

        screen = Console(stderr=True, highlight=False, markup=False)
        say(screen, *lines(made, curator.dataset, screen.width))
    elif made.notes:
        _warn(*warnings(made))
    cost, left = Amount(made.cost.total), Amount(curator.left())
    confirm(
        f"This spends ε = {cost} of the {left} left. Continue?",
        yes=yes,
        otherwise="nothing was spent",
    )
