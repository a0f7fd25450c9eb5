"""`discreet plan`: how a question would be answered, like EXPLAIN; free of charge."""

from typing import Any

from discreet.cli.parsing import options
from discreet.cli.program import app


@app.command(
    epilog=options.examples(
        "discreet plan survey.toml 'SELECT MEDIAN(satisfaction)' --epsilon 0.5",
        "discreet plan survey.toml 'SELECT AVG(age)' --within 2",
        "discreet plan survey.toml --batch questions.sql --total 1",
        "discreet plan survey.toml --batch questions.sql --within 5%",
    )
)
def plan(
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
    json: options.Json = False,
) -> None:
    """Show every way to answer a question, its error, and which one is chosen."""
    from discreet.cli.parsing.batches import check_batch
    from discreet.cli.parsing.files import question_prior
    from discreet.cli.rendering import plan as planning
    from discreet.cli.rendering.terminal import console, progress_line, say, say_json
    from discreet.curator import Curator
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
        check_batch(question, epsilon)
        _plan_batch(file, batch, total, within, wishes, json=json)
        return
    with Curator(file) as curator:
        order = read_order(
            question,
            curator.dataset,
            total=total,
            epsilon=epsilon,
            within=within,
            fresh=fresh,
            **wishes,
        )
        with progress_line("planning") as report:
            made = curator.plan(order, report)
        if json:
            say_json(planning.document(made, curator.dataset))
            return
        screen = console()
        say(screen, *planning.lines(made, curator.dataset, screen.width))


def _plan_batch(
    file: str,
    batch: str,
    total: str | None,
    within: str | None,
    wishes: dict[str, Any],
    *,
    json: bool,
) -> None:
    """Plan all questions of a file together."""
    from discreet.cli.parsing.batches import batch_file
    from discreet.cli.rendering import batch as rendering
    from discreet.cli.rendering.terminal import console, progress_line, say, say_json
    from discreet.requests import read_batch
    from discreet.tables import read_dataset

    dataset = read_dataset(file)
    asked = read_batch(batch_file(batch), dataset, total=total, within=within, **wishes)
    with progress_line("planning"):
        made = asked.plan(dataset)
    if json:
        say_json(rendering.document(made, dataset))
        return
    say(console(), *rendering.lines(made, dataset))
