"""`discreet demo`: a made-up clinic survey, three questions, one budget; nothing is left behind."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from discreet.cli.parsing import options
from discreet.cli.program import app

if TYPE_CHECKING:
    from pathlib import Path

    from rich.console import RenderableType

    from discreet.curator import Answer, Curator
    from discreet.planning import Plan


@dataclass(frozen=True)
class DemoQuestion:
    """One question of the demo, and why somebody would ask it."""

    sql: str
    about: str
    words: dict[str, Any]


QUESTIONS = (
    DemoQuestion(
        "SELECT MEDIAN(satisfaction) WHERE clinic = 'North'",
        "How satisfied is the middle patient of North, from 1 to 5? In some tables one patient "
        "can move the median from any reply to any other; in most it takes many patients at "
        "once, and a mechanism that uses this errs far less at the same ε.",
        {"epsilon": "0.5"},
    ),
    DemoQuestion(
        "SELECT COUNT(*) GROUP BY clinic",
        "How many came to each clinic? A changed form leaves one clinic and enters another: noise "
        "that is drawn for all clinics together pays for that once. Groups come from the dataset "
        "file, never from the rows, and the total is public: the counts are made to add up to it.",
        {"epsilon": "0.5", "consistent": True},
    ),
    DemoQuestion(
        "SELECT SHARE(satisfaction >= 4)",
        "What share is satisfied? This time the analyst names an accuracy, within 0.02 at 95 % "
        "confidence, and the planner finds the smallest ε that achieves it.",
        {"within": "0.02"},
    ),
)
BUNDLED = ("clinic.csv", "clinic.toml")
_WIDTH = 96


@app.command(
    epilog=options.examples("discreet demo", "discreet demo --json", "discreet demo --save example")
)
def demo(
    save: Annotated[
        str | None,
        typer.Option(
            metavar="FOLDER",
            help="Only put the survey (clinic.csv, clinic.toml) into a folder.",
        ),
    ] = None,
    json: options.Json = False,
) -> None:
    """Ask a made-up clinic survey three questions: plans, answers, and what is left to spend."""
    import tempfile
    from pathlib import Path

    from discreet.curator import Curator

    if save is not None:
        _saved(Path(save), json)
        return
    with tempfile.TemporaryDirectory(prefix="discreet-demo-") as folder:
        file = copied_survey(Path(folder))
        with Curator(file, "demo") as curator:
            if json:
                _told_json(curator)
            else:
                _told(curator)


def copied_survey(folder: "Path") -> "Path":
    """The bundled survey and its dataset file, in a folder of their own."""
    from importlib.resources import files

    bundled = files("discreet") / "examples"
    for name in BUNDLED:
        (folder / name).write_text((bundled / name).read_text(encoding="utf-8"), encoding="utf-8")
    return folder / "clinic.toml"


def _saved(folder: "Path", json: bool) -> None:
    from discreet.cli.rendering.terminal import console, say, say_json
    from discreet.errors import FileError

    written = [str(folder / name) for name in BUNDLED]
    if any((folder / name).exists() for name in BUNDLED):
        raise FileError(f"{written[0]} or {written[1]} exists already; choose another folder")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        copied_survey(folder)
    except OSError as problem:
        raise FileError(f"cannot write into {folder}: {problem.strerror}") from None
    if json:
        say_json({"saved": written})
    else:
        say(console(), f"wrote {written[0]} and {written[1]}")


def _asked(curator: "Curator", asked: DemoQuestion, name: str) -> "tuple[Plan, Answer]":
    from discreet.cli.rendering.terminal import progress_line
    from discreet.curator import Order

    order = Order.of(curator.question(asked.sql), **asked.words)
    with progress_line("planning") as report:
        made = curator.plan(order, report)
    return made, curator.ask(order, question_id=name)


def _told_json(curator: "Curator") -> None:
    from discreet.budget import audit
    from discreet.cli.rendering import ledger as booking
    from discreet.cli.rendering import plan as planning
    from discreet.cli.rendering.terminal import say_json

    answers = []
    for number, asked in enumerate(QUESTIONS, start=1):
        made, answer = _asked(curator, asked, f"demo-{number}")
        answers.append(
            {
                "plan": planning.document(made, curator.dataset),
                "answer": answer.to_dict(),
            }
        )
    _, again = _asked(curator, QUESTIONS[0], "demo-1")
    say_json(
        {
            "dataset": curator.dataset.name,
            "questions": answers,
            "again": again.to_dict(),
            "account": booking.account(curator.ledger.balance()),
            "verified": audit(curator.ledger.entries()).clean,
        }
    )


def _told(curator: "Curator") -> None:
    from rich.text import Text

    from discreet.budget import audit
    from discreet.cli.rendering import answer as answering
    from discreet.cli.rendering import plan as planning
    from discreet.cli.rendering.terminal import console, heading, say

    screen = console()
    say(screen, *_opening(curator, screen.width))
    for number, asked in enumerate(QUESTIONS, start=1):
        made, answer = _asked(curator, asked, f"demo-{number}")
        plan = planning.lines(made, curator.dataset, screen.width)
        drawn = answering.lines(answer, curator, screen.width)
        say(screen, "", plan[0], _paragraph(asked.about, screen.width), *plan[1:], "", *drawn[1:])
    _, again = _asked(curator, QUESTIONS[0], "demo-1")
    audited = audit(curator.ledger.entries())
    say(
        screen,
        "",
        heading("The same question again, under the same id"),
        Text(
            f"  {again.results[0].text}, free of charge: the stored answer is repeated, so that "
            "asking twice reveals nothing more"
        ),
        "",
        heading("The ledger"),
        answering.account_line("total", curator.ledger.balance()),
        Text(
            f"  {'✓' if audited.clean else '✗'} {audited.entries} entries; every hash, cost and "
            "balance recomputed from them alone",
            style="dim",
        ),
        Text("  try it on a table of yours: discreet init TABLE.csv", style="dim"),
    )


def _opening(curator: "Curator", width: int) -> "list[RenderableType]":
    from discreet.cli.rendering.answer import account_line
    from discreet.cli.rendering.terminal import heading

    facts = curator.dataset
    columns = ", ".join(column.name for column in facts.columns)
    return [
        heading(f"A made-up {facts.name}: {facts.most_rows} patients, one form each"),
        _paragraph(
            f"columns: {columns}. No one may learn what one patient replied. A budget limits "
            "what all questions cost together, and a ledger records it.",
            width,
        ),
        account_line("total", curator.ledger.balance()),
    ]


def _paragraph(text: str, width: int) -> "RenderableType":
    from textwrap import fill

    from rich.text import Text

    return Text(fill(text, min(width, _WIDTH)), style="dim")
