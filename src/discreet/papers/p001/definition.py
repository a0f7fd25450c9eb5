"""Examples 1 and 2 and Proposition 1: two coins, a random row, and post-processing."""

from fractions import Fraction

import numpy as np

from discreet.certifier import certify, smallest_delta, tight_epsilon
from discreet.errors import NotCertified
from discreet.exact import Epsilon
from discreet.measures import mutual_information
from discreet.mechanisms import geometric, randomized_response
from discreet.model import AllPairs, Grid, Integers, Labels, Mechanism, Within
from discreet.papers.checking import at_most, equal, statement
from discreet.papers.item import Check, Outcome, PaperItem, PrintedTable, Step

BIT = Labels.of(["0", "1"])


def coins() -> Mechanism:
    """Example 1 as it is told: heads, the truth; tails, a second coin."""
    truth = np.eye(2, dtype=np.int64)
    return Mechanism.of(BIT, BIT, AllPairs(), 2 * truth + np.ones((2, 2), dtype=np.int64))


def _example_1(step: Step) -> Outcome:
    theirs = coins()
    ours = randomized_response(BIT, AllPairs(), "log 3")
    chances = theirs.probabilities()
    tight = tight_epsilon(theirs)
    ratio = None if tight.witness is None else tight.witness.ratio
    below = Epsilon(Epsilon.of("log 3").billionths - 1)
    return Outcome(
        tables=(
            PrintedTable(
                "coins",
                ("answer given", "true 0", "true 1"),
                tuple((name, *row) for name, row in zip(BIT.names, chances.tolist(), strict=True)),
                "probability of each answer",
            ),
        ),
        checks=(
            equal("Pr[A(1) = 1] = 3/4", chances[1, 1], 0.75, within=0, printed="3/4"),
            equal("Pr[A(0) = 1] = 1/4", chances[1, 0], 0.25, within=0, printed="1/4"),
            statement("the ratio is 3", ratio == 3, f"{ratio}", printed="3"),
            statement(
                "the coins are log(3)-private",
                certify(theirs, "log 3").guarantee.epsilon.log_of == 3,
                "certified at exactly log 3",
                printed="log(3)",
            ),
            statement(
                "and for no smaller ε",
                not _private(theirs, below),
                f"refused at {below}, the last billionth below",
            ),
            statement(
                "our randomized response at log 3 is these coins",
                bool((ours.weights == theirs.weights).all()),
                f"weights {ours.weights.tolist()}",
            ),
        ),
    )


def random_row(rows: int) -> Mechanism:
    """Example 2: a bit database known by its number of ones; one row at random is released."""
    ones = range(rows + 1)
    weights = [[rows - count for count in ones], list(ones)]
    return Mechanism.of(Grid.between(0, rows), Grid.between(0, 1), Within(1), weights)


def _example_2(step: Step) -> Outcome:
    lines, checks = [], []
    for rows in (2, 3, 10, 100, 1000):
        release = random_row(rows)
        chances = release.probabilities()
        delta = smallest_delta(release, "0.000000001")
        lines.append((rows, chances[1, 0], chances[1, 1], "none", float(delta.high)))
        checks.append(
            equal(f"Pr[A(D₂) = 1] = 1/n for n = {rows}", chances[1, 1], 1 / rows, printed="1/n")
        )
        checks.append(_no_epsilon(release, rows))
    return Outcome(
        tables=(
            PrintedTable(
                "random-row",
                ("rows n", "Pr[A(D₁) = 1]", "Pr[A(D₂) = 1]", "smallest ε", "smallest δ at ε → 0"),
                tuple(lines),
                "one row released at random, D₁ all zeros, D₂ with a single one",
            ),
        ),
        checks=tuple(checks),
        notes=(
            "It is (ε, δ)-private with δ = 1/n in the sense of Definition 1: a small δ alone is no "
            "protection, for somebody's row is always published.",
        ),
    )


def _no_epsilon(release: Mechanism, rows: int) -> Check:
    tight = tight_epsilon(release)
    seen = tight.witness
    verdict = "private" if seen is None else f"output {seen.output} is impossible under one answer"
    holds = not tight.is_finite and not _private(release, Epsilon.of(100))
    return statement(f"no ε will do for n = {rows}", holds, verdict, printed="not private")


def _private(mechanism: Mechanism, epsilon: Epsilon) -> bool:
    try:
        certify(mechanism, epsilon)
    except NotCertified:
        return False
    return True


CHANNELS = 100


def processed(mechanism: Mechanism, channel: Integers) -> Mechanism:
    """M ∘ A: every output y replaced by z with probability ∝ channel[z, y]; columns alike."""
    weights = channel.astype(object) @ mechanism.weights.astype(object)
    outputs = Grid.between(0, len(channel) - 1)
    return Mechanism.of(mechanism.answers, outputs, mechanism.neighbours, weights)


def random_channel(random: np.random.Generator, outputs: int, inputs: int) -> Integers:
    """A random M: every input spreads the same number of marbles over the outputs."""
    sharp = random.dirichlet(np.full(outputs, random.uniform(0.05, 2)), size=inputs)
    return np.stack([random.multinomial(10**6, row) for row in sharp], axis=1)


def _proposition_1(step: Step) -> Outcome:
    random = np.random.default_rng()
    lines, checks = [], []
    for epsilon in ("0.1", "0.5", "1", "2"):
        base = geometric(Grid.between(0, 12), Within(1), epsilon)
        before, bits = tight_epsilon(base), mutual_information(base)
        worst, most_bits = Fraction(0), 0.0
        for _ in range(CHANNELS):
            after = processed(base, random_channel(random, int(random.integers(2, 14)), 13))
            tight = tight_epsilon(after)
            worst = max(worst, tight.high or Fraction(0))
            most_bits = max(most_bits, mutual_information(after))
        lines.append((float(epsilon), float(before), float(worst), bits, most_bits))
        checks.append(
            at_most(
                f"{CHANNELS} random M after a count's noise at ε = {epsilon}: none needs more ε",
                float(worst),
                float(before.high or 0),
                printed="ε",
            )
        )
        checks.append(
            at_most(
                f"nor does any reveal more bits, ε = {epsilon} (data processing)",
                most_bits,
                bits,
                printed="I(X; Y) ≥ I(X; Z)",
            )
        )
    return Outcome(
        tables=(
            PrintedTable(
                "post-processing",
                ("ε", "A needs", "M ∘ A needs at most", "bits revealed by A", "by M ∘ A at most"),
                tuple(lines),
                f"{CHANNELS} random channels M after geometric noise on counts from 0 to 12",
            ),
        ),
        checks=tuple(checks),
    )


ITEMS: tuple[PaperItem, ...] = (
    PaperItem(
        id="001/example-1",
        title="One boolean: two coins",
        paper="001",
        claim="Telling the truth on heads and tossing a second coin on tails is log(3)-private.",
        run=_example_1,
        seconds=0.1,
    ),
    PaperItem(
        id="001/example-2",
        title="A row at random",
        paper="001",
        claim="Releasing one row of a database at random is not differentially private.",
        run=_example_2,
        seconds=0.2,
    ),
    PaperItem(
        id="001/proposition-1",
        title="Closure under post-processing",
        paper="001",
        claim="Whatever is done to a private answer afterwards, it stays as private.",
        run=_proposition_1,
        seconds=2,
    ),
)
