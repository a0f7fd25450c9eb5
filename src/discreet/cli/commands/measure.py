"""`discreet measure FILE`: how good is this matrix?"""

from discreet.cli.parsing import options
from discreet.cli.program import app


@app.command(
    epilog=options.examples(
        "discreet measure count.json",
        "discreet measure coins.json --prior 0.7,0.3",
        "discreet measure count.json --prior prior.json --json",
    )
)
def measure(
    file: options.File, prior: options.Prior = "uniform", json: options.Json = False
) -> None:
    """Losses, likely errors, properties and leakage of a saved mechanism."""
    from discreet.cli.parsing.files import prior_of
    from discreet.cli.rendering import description as describe
    from discreet.cli.rendering.scores import (
        information_rows,
        losses_table,
        properties_table,
        quantile_rows,
        testing_facts,
    )
    from discreet.cli.rendering.terminal import console, say, say_json
    from discreet.measures import measure as measured
    from discreet.model import load_mechanism
    from discreet.requests import read_prior

    held = read_prior(prior_of(prior))
    mechanism = load_mechanism(file)
    measures = measured(mechanism, held)
    if json:
        say_json(
            {
                "mechanism": describe.mechanism_facts(mechanism),
                "prior": describe.prior_fact(held),
                "measures": measures.to_dict(),
                "testing_bounds": testing_facts(measures),
            }
        )
        return
    rows = describe.mechanism_rows(mechanism)
    rows.append(("prior", describe.prior_line(held)))
    say(
        console(),
        describe.facts_table(rows),
        "",
        losses_table(measures),
        "",
        properties_table(measures.properties),
        "",
        describe.facts_table(quantile_rows(measures) + information_rows(measures)),
    )
