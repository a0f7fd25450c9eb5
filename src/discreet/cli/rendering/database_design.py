"""`discreet design … --by database`: the mechanism may use all that a small table says."""

from dataclasses import dataclass
from typing import Any

from discreet.cli.parsing import design_words as asking
from discreet.cli.parsing import spaces as reading
from discreet.cli.rendering import description as describe
from discreet.cli.rendering.design import SMALL, progress_line
from discreet.cli.rendering.matrix import matrix
from discreet.cli.rendering.pictures import save_heat_map
from discreet.cli.rendering.terminal import console, say, say_json
from discreet.databases import (
    CountAbove,
    DatabaseDesign,
    DatabaseGoal,
    Mean,
    Mode,
    Range,
    Statistic,
    Total,
    design_by_database,
    maximum,
    median,
    minimum,
    quantile,
)
from discreet.databases.goal import PRIORS
from discreet.errors import InvalidInput, SpaceError
from discreet.exact import Epsilon, rational, show
from discreet.model import ONE_RECORD, Relation, Space
from discreet.plots import suffix_of

PLAIN: dict[str, Any] = {
    "min": minimum, "max": maximum, "median": median, "mode": Mode, "range": Range,
    "mean": Mean, "sum": Total,
}  # fmt: skip
STATISTICS = (*PLAIN, "quantile", "count-above")


@dataclass(frozen=True)
class Question:
    """What is asked of a design by database."""

    statistic: Statistic
    records: int
    values: Space
    relation: Relation
    outputs: str
    epsilon: Epsilon
    goal: DatabaseGoal


def question_of(
    statistic: str,
    *,
    n: str | None,
    between: tuple[str, str] | None,
    step: str | None,
    share: str | None,
    threshold: str | None,
    numbers: str | None,
    labels: str | None,
    neighbours: str | None,
    outputs: str,
    epsilon: str | None,
    loss: str,
    prior: str,
    worst_case: bool,
    require: str,
    delta: str,
) -> Question:
    """Read the words of the command line."""
    if require.strip().lower() != "none" or delta.strip() != "0":
        raise InvalidInput("--require and --delta belong to designs by answer; leave them out")
    asked = statistic_of(statistic, share, threshold)
    words = prior.strip().lower()
    held = "answers" if words == "uniform" else words
    return Question(
        asked,
        asking.records_of(n, f"{asked.name} by database"),
        reading.answers_of(between, step, numbers, labels),
        Relation.of(neighbours or Relation.CHANGE, ONE_RECORD),
        outputs,
        reading.epsilon_of(epsilon),
        DatabaseGoal.of(
            asking.loss_of(loss),
            held if held in PRIORS else reading.prior_of(prior),
            worst_case=worst_case,
        ),
    )


def statistic_of(name: str, share: str | None, threshold: str | None) -> Statistic:
    """A statistic by its name."""
    word = name.strip().lower()
    if share is not None and word != "quantile":
        raise InvalidInput("--share belongs to quantile")
    if threshold is not None and word != "count-above":
        raise InvalidInput("--threshold belongs to count-above")
    if word == "quantile":
        if share is None:
            raise SpaceError("a quantile needs --share, such as --share 0.9")
        return quantile(share)
    if word == "count-above":
        if threshold is None:
            raise SpaceError("a count-above needs --threshold, such as --threshold 3")
        return CountAbove(rational(threshold, "the threshold", SpaceError))
    if word not in PLAIN:
        raise InvalidInput(f"by database there are {', '.join(STATISTICS)}; got {show(name)}")
    built: Statistic = PLAIN[word]()
    return built


def design_and_say(
    question: Question, save: str | None, plot: str | None, *, as_json: bool
) -> None:
    """Design with progress, then save, picture and print."""
    if plot is not None:
        suffix_of(plot)
    with progress_line(f"designing {question.statistic.name} by database") as report:
        found = design_by_database(
            question.statistic,
            question.records,
            question.values,
            question.epsilon,
            question.goal,
            relation=question.relation,
            outputs=lambda answers: reading.outputs_of(question.outputs, answers),
            progress=report,
        )
    title = f"best {question.statistic.name} by database, {found.certified.guarantee}"
    saved = None if save is None else reading.save(found.mechanism, save)
    drawn = None if plot is None else save_heat_map(found.mechanism, plot, title)
    if as_json:
        say_json(document(question, found) | {"saved": saved, "plot": drawn})
        return
    rows = _rows(question, found)
    rows += [(kind, path) for kind, path in (("saved", saved), ("picture", drawn)) if path]
    screen = console()
    say(screen, describe.facts_table(rows))
    if len(found.databases) <= SMALL:
        say(screen, "", *matrix(found.mechanism, screen))


def document(question: Question, found: DatabaseDesign) -> dict[str, Any]:
    """The design as one JSON document."""
    small = found.mechanism.weights.size <= SMALL
    return {
        "by": "database",
        "epsilon": str(question.epsilon),
        "delta": "0",
        "loss": question.goal.loss.name,
        "prior": question.goal.prior if isinstance(question.goal.prior, str) else "given",
        "worst_case": question.goal.worst_case,
        **found.to_dict(),
        "certified": True,
        "matrix": found.mechanism.probabilities().tolist() if small else None,
    }


def _rows(question: Question, found: DatabaseDesign) -> list[tuple[str, str]]:
    goal = found.task.goal
    prior = goal.prior if isinstance(goal.prior, str) else "given"
    aim = "worst database" if goal.worst_case else f"prior: {prior}"
    return [
        ("question", f"{question.statistic.name}, by database"),
        ("databases", f"{len(found.databases):,} histograms of {found.databases.size_words} "
                      f"records over {len(question.values)} values"),
        ("neighbours", f"{found.databases.relation.words} record"),
        ("outputs", describe.space_line(found.mechanism.outputs)),
        ("goal", f"{goal.loss.name} loss, {aim}"),
        ("value", f"{found.value:.9g}"),
        ("nobody can beat", f"{found.lower_bound:.9g} (gap {found.gap:.1e})"),
        ("solved", "; ".join(found.reductions)),
        ("method", f"{found.design.method} ({found.seconds:.3f} s)"),
        ("certified", f"✓ {found.certified.guarantee}"),
        ("certificate", found.certified.certificate.digest),
    ]  # fmt: skip
