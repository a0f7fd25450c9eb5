"""`discreet plan`: how a question would be answered, like EXPLAIN; free of charge."""

from discreet.cli.parsing import options
from discreet.cli.program import app


@app.command(
    epilog=options.examples(
        "discreet plan survey.toml 'SELECT MEDIAN(mood)' --epsilon 0.5",
        "discreet plan survey.toml \"SELECT AVG(age) WHERE clinic = 'A'\" --within 0.5",
    )
)
def plan(
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
    json: options.Json = False,
) -> None:
    """Show every way to answer a question, its error, and which one is chosen."""
    from discreet.cli.parsing.files import order_of
    from discreet.cli.rendering import plan as planning
    from discreet.cli.rendering.terminal import console, progress_line, say, say_json
    from discreet.curator import Curator

    with Curator(file) as curator:
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
        with progress_line("planning") as report:
            made = curator.plan(order, report)
        if json:
            say_json(planning.document(made, curator.dataset))
            return
        screen = console()
        say(screen, *planning.lines(made, curator.dataset, screen.width))
