"""`discreet plan`: how a question would be answered, like EXPLAIN; free of charge."""

from discreet.cli.parsing import options
from discreet.cli.parsing import question_options as wishing
from discreet.cli.program import app


@app.command(
    epilog=options.examples(
        "discreet plan survey.toml 'SELECT MEDIAN(mood)' --epsilon 0.5",
        "discreet plan survey.toml \"SELECT AVG(age) WHERE clinic = 'A'\" --within 0.5",
    )
)
def plan(
    file: wishing.File,
    question: wishing.Sql,
    *,
    epsilon: options.Epsilon = None,
    within: wishing.Within = None,
    confidence: wishing.Confidence = "95%",
    loss: wishing.Loss = None,
    prior: wishing.Prior = "uniform",
    worst_case: wishing.WorstCase = False,
    require: wishing.Require = None,
    unbiased: wishing.Unbiased = False,
    remap: wishing.Remap = None,
    consistent: wishing.Consistent = False,
    json: options.Json = False,
) -> None:
    """Every way to answer a question, how far off each would be, and which is taken."""
    from discreet.cli.rendering import plan as planning
    from discreet.cli.rendering.progress import progress_line
    from discreet.cli.rendering.terminal import console, say, say_json
    from discreet.curator import Curator

    with Curator(file) as curator:
        order = wishing.order_of(
            curator.dataset, question, epsilon=epsilon, within=within, confidence=confidence,
            loss=loss, prior=prior, worst_case=worst_case, require=require, unbiased=unbiased,
            remap=remap, consistent=consistent,
        )  # fmt: skip
        with progress_line("planning") as report:
            made = curator.plan(order, report)
        if json:
            say_json(planning.document(made, curator.dataset))
            return
        screen = console()
        say(screen, *planning.lines(made, curator.dataset, screen.width))
