"""`discreet certify FILE --epsilon E`: is this matrix private?"""

import typer

from discreet.cli.failures import NOT_PRIVATE
from discreet.cli.parsing import options
from discreet.cli.program import app


@app.command(
    epilog=options.examples(
        "discreet certify count.json --epsilon 0.5",
        "discreet certify coins.json --epsilon 'log 3'",
        "discreet certify other.json --epsilon 1 --delta 1e-6 --json",
    )
)
def certify(
    file: options.File,
    epsilon: options.Epsilon = None,
    delta: options.Delta = "0",
    json: options.Json = False,
) -> int:
    """Prove in exact integers that a saved mechanism is private, or name the worst witness.

    Exit code 0 when it is, 1 when it is not.
    """
    from discreet.certifier import certify as prove
    from discreet.cli.rendering import description as describe
    from discreet.cli.rendering.terminal import console, say, say_json
    from discreet.errors import NotCertified
    from discreet.model import Guarantee, load_mechanism
    from discreet.requests import read_delta, read_epsilon
    from discreet.text import one_line

    promise = Guarantee(read_epsilon(epsilon), read_delta(delta))
    mechanism = load_mechanism(file)
    certified, reason = None, None
    try:
        certified = prove(mechanism, promise.epsilon, promise.delta)
    except NotCertified as refusal:
        reason = one_line(str(refusal))
    tight = describe.tight_of(mechanism)
    if json:
        say_json(
            {
                "private": certified is not None,
                "reason": reason,
                "promise": {"epsilon": str(promise.epsilon), "delta": str(promise.delta)},
                "mechanism": describe.mechanism_facts(mechanism),
                "certificate": certified and describe.certificate_facts(certified),
                "tight_epsilon": describe.tight_facts(mechanism, tight),
            }
        )
    else:
        rows = describe.mechanism_rows(mechanism)
        if certified is not None:
            rows += describe.promise_rows(certified)
        else:
            rows.append(("certified", f"✗ not private at {promise}"))
            if tight is not None:
                rows.append(("because", describe.witness_line(mechanism, tight)))
                rows.append(("tight ε", describe.tight_line(tight)))
        say(console(), describe.facts_table(rows))
    if reason is not None:
        typer.echo(f"error: {reason}", err=True)
        return NOT_PRIVATE
    return 0
