"""`discreet show FILE`: what a saved matrix looks like."""

from discreet.cli.parsing import options
from discreet.cli.program import app


@app.command(
    epilog=options.examples(
        "discreet show count.json",
        "discreet show count.json --plot count.svg",
    )
)
def show(file: options.File, plot: options.Plot = None, json: options.Json = False) -> None:
    """Print a saved mechanism as a table, with a heat map where the terminal has colours."""
    from discreet.cli.rendering import description as describe
    from discreet.cli.rendering.description import save_heat_map
    from discreet.cli.rendering.matrix import matrix
    from discreet.cli.rendering.terminal import console, say, say_json
    from discreet.model import load_mechanism

    mechanism = load_mechanism(file)
    small = describe.can_be_written_out(mechanism)
    saved = None if plot is None else save_heat_map(mechanism, plot)
    if json:
        say_json(
            {
                "mechanism": describe.mechanism_facts(mechanism),
                "probabilities": mechanism.probabilities().tolist() if small else None,
                "plot": saved,
            }
        )
        return
    screen = console()
    rows = describe.mechanism_rows(mechanism)
    if saved is not None:
        rows.append(("picture", saved))
    if not small:
        rows.append(("matrix", "stored as rays, too large to print"))
    say(screen, describe.facts_table(rows), *(["", *matrix(mechanism, screen)] if small else []))
