"""The options that several commands share, each defined once."""

from typing import Annotated

import typer

SPACE_PANEL = "The space of answers"
GOAL_PANEL = "What best means"
ANSWER_PANEL = "What a good answer is"

# The space of answers

Range = Annotated[
    tuple[str, str] | None,
    typer.Option(
        "--range",
        metavar="LOW HIGH",
        help="The answers are LOW, LOW + step, …, HIGH.",
        rich_help_panel=SPACE_PANEL,
    ),
]
Step = Annotated[
    str | None,
    typer.Option(
        metavar="NUMBER",
        help="The distance between the answers of a range (default: 1).",
        rich_help_panel=SPACE_PANEL,
    ),
]
Numbers = Annotated[
    str | None,
    typer.Option(
        metavar="0,1,2.5",
        help="The answers are these numbers, in increasing order.",
        rich_help_panel=SPACE_PANEL,
    ),
]
Labels = Annotated[
    str | None,
    typer.Option(metavar="A,B,C", help="The answers are these names.", rich_help_panel=SPACE_PANEL),
]
Neighbours = Annotated[
    str,
    typer.Option(
        metavar="all|STEPS",
        help="How far one record can move the true answer: to any other (all, the safe choice), "
        "or by this many steps (1 for a count).",
        rich_help_panel=SPACE_PANEL,
    ),
]
DesignNeighbours = Annotated[
    str | None,
    typer.Option(
        "--neighbours",
        metavar="all|STEPS|change|add-or-remove",
        help="For custom: how far one record can move the true answer (default: all). By "
        "database: whether one record may change (the default), or be added or removed.",
        rich_help_panel=SPACE_PANEL,
    ),
]
Outputs = Annotated[
    str,
    typer.Option(
        metavar="same|scaled:K|extended:PERCENT",
        help="The possible outputs: the answers themselves, categories K steps wide, or a range "
        "of PERCENT of the answers' width.",
        rich_help_panel=SPACE_PANEL,
    ),
]
Records = Annotated[
    str | None,
    typer.Option(
        "--n",
        metavar="N",
        help="The number of records: for count, sum and mean, and by database.",
        rich_help_panel=SPACE_PANEL,
    ),
]
Share = Annotated[
    str | None,
    typer.Option(
        "--share",
        metavar="P",
        help="Which quantile: 0.9 is the value that nine in ten do not exceed.",
        rich_help_panel=SPACE_PANEL,
    ),
]

# The promise

Epsilon = Annotated[
    str | None,
    typer.Option(metavar="E", help="The privacy parameter ε: 0.5, 1/3 or 'log 3'."),
]
Delta = Annotated[
    str,
    typer.Option(metavar="D", help="The δ of (ε, δ)-privacy; 0 is pure ε. Up to 1,000 answers."),
]

# What best means

Prior = Annotated[
    str,
    typer.Option(
        metavar="uniform|FILE|0.2,0.8",
        help="How likely each true answer is assumed to be. It weighs losses, never privacy.",
    ),
]
DesignPrior = Annotated[
    str,
    typer.Option(
        "--prior",
        metavar="uniform|FILE|0.2,0.8",
        help="How likely each true answer is assumed to be. It weighs losses, never privacy. By "
        "database: answers (the default), databases, histograms, or a number for each.",
        rich_help_panel=GOAL_PANEL,
    ),
]
Mechanism = Annotated[
    str | None,
    typer.Option(
        "--mechanism",
        metavar="NAME",
        help="Use this mechanism, as `plan` names it, instead of the one it would choose.",
        rich_help_panel=ANSWER_PANEL,
    ),
]
QuestionPrior = Annotated[
    str | None,
    typer.Option(
        "--prior",
        metavar="uniform|databases|FILE|0.2,0.8",
        help="How likely each answer (or, with databases, each table) is assumed to be; without "
        "one, mechanisms are judged on many public shapes of tables.",
        rich_help_panel=ANSWER_PANEL,
    ),
]
DesignLoss = Annotated[
    str,
    typer.Option(
        "--loss",
        metavar="absolute|squared|zero-one|FILE",
        help="What an error costs; a file holds a table with a row for each output.",
        rich_help_panel=GOAL_PANEL,
    ),
]
QuestionLoss = Annotated[
    str | None,
    typer.Option(
        "--loss",
        metavar="NAME",
        help="What an error costs: absolute, squared or zero-one.",
        rich_help_panel=ANSWER_PANEL,
    ),
]
DesignWorstCase = Annotated[
    bool,
    typer.Option(
        "--worst-case",
        help="Minimise the loss of the worst true answer, whatever the prior.",
        rich_help_panel=GOAL_PANEL,
    ),
]
Situations = Annotated[
    str | None,
    typer.Option(
        "--situations",
        metavar="all|NAMES",
        help="Be good in each of several situations: answers (each as likely as any other), or "
        "records that are even, low, high or at both ends of the range. Needs --n.",
        rich_help_panel=GOAL_PANEL,
    ),
]
Minimax = Annotated[
    str | None,
    typer.Option(
        "--minimax",
        metavar="ratio|regret",
        help="With --situations, what counts where it is worst: the ratio to the best simple "
        "mechanism [default by answer], or the regret, the loss above the least possible [default "
        "by database].",
        rich_help_panel=GOAL_PANEL,
    ),
]
QuestionWorstCase = Annotated[
    bool,
    typer.Option(
        "--worst-case",
        help="Judge candidates by their worst true answer.",
        rich_help_panel=ANSWER_PANEL,
    ),
]
DesignRequire = Annotated[
    str,
    typer.Option(
        "--require",
        metavar="NAMES",
        help="column-monotone, row-monotone, symmetric, fair, every-output, or all (003's "
        "Variant 2); separated by commas.",
        rich_help_panel=GOAL_PANEL,
    ),
]
QuestionRequire = Annotated[
    str | None,
    typer.Option(
        "--require",
        metavar="NAMES",
        help="fair, symmetric, column-monotone, row-monotone, every-output, or all.",
        rich_help_panel=ANSWER_PANEL,
    ),
]

# Questions

DatasetFile = Annotated[
    str, typer.Argument(metavar="FILE", help="A dataset file, such as survey.toml.")
]
Sql = Annotated[
    str,
    typer.Argument(metavar="QUESTION", help="One SELECT, such as 'SELECT MEDIAN(satisfaction)'."),
]
SqlUnlessBatch = Annotated[
    str | None,
    typer.Argument(
        metavar="[QUESTION]", help="One SELECT; with --batch, none.", show_default=False
    ),
]
Batch = Annotated[
    str | None,
    typer.Option(
        "--batch",
        metavar="FILE",
        help="A file of questions, each starting on a new line with SELECT. At the end of a line, "
        "'-- within 2%' states its accuracy, '-- epsilon 0.3' its ε, '-- importance 4' how much it "
        "matters; remarks go on lines of their own.",
    ),
]
Total = Annotated[
    str | None,
    typer.Option(
        "--total",
        metavar="EPS",
        help="With --batch: ε for all questions together (default: the least that their stated "
        "accuracies need).",
    ),
]
Within = Annotated[
    str | None,
    typer.Option(
        metavar="T", help="Instead of --epsilon: how far off the answer may be, such as 2 or 5%."
    ),
]
Confidence = Annotated[
    str, typer.Option(metavar="P", help="The confidence of intervals and of --within.")
]
Unbiased = Annotated[
    bool,
    typer.Option(
        "--unbiased",
        help="Right on average; answers may leave the range.",
        rich_help_panel=ANSWER_PANEL,
    ),
]
Remap = Annotated[
    str | None,
    typer.Option(
        metavar="PRIOR",
        help="Bayes remap: report what is best for a reader with this prior.",
        rich_help_panel=ANSWER_PANEL,
    ),
]
Consistent = Annotated[
    bool,
    typer.Option(
        "--consistent",
        help="Make counts by group add up to the public size.",
        rich_help_panel=ANSWER_PANEL,
    ),
]
Interval = Annotated[
    str,
    typer.Option(
        "--interval",
        metavar="usual|every-table",
        help="every-table: an interval of values that holds for any data. For MIN, MEDIAN, MAX and "
        "QUANTILE it costs half of ε; others have it anyway.",
        rich_help_panel=ANSWER_PANEL,
    ),
]
About = Annotated[
    str,
    typer.Option(
        "--about",
        metavar="table|population",
        help="What intervals are about: these rows, or the population that they are a random "
        "sample of.",
        rich_help_panel=ANSWER_PANEL,
    ),
]
Clamp = Annotated[
    bool,
    typer.Option(
        "--clamp",
        help="For AVG of a column whose bounds are loose: rows above a private threshold count as "
        "the threshold. A tenth of ε finds it; the interval says what that may lose.",
        rich_help_panel=ANSWER_PANEL,
    ),
]
Importance = Annotated[
    str | None,
    typer.Option(
        "--importance",
        metavar="NUMBERS",
        help="How much the error of each statistic matters, for example 4,1,1; ε is shared "
        "accordingly.",
        rich_help_panel=ANSWER_PANEL,
    ),
]
Fresh = Annotated[
    bool,
    typer.Option(
        "--fresh",
        help="Pay for a new answer, even if one of your earlier answers gives it for free.",
        rich_help_panel=ANSWER_PANEL,
    ),
]
DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Show what to expect; spend and release nothing.")
]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask for confirmation.")]

# Settings and output

Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="NAME=VALUE",
        help="A parameter of the family; `discreet mechanisms` lists them. May be repeated.",
    ),
]
Times = Annotated[str, typer.Option(metavar="N", help="How many independent draws.")]
Patience = Annotated[
    str | None,
    typer.Option(
        metavar="SECONDS",
        help="Stop searching after this time, as Ctrl-C does, with the best so far and its gap "
        "[default: 900].",
    ),
]
Save = Annotated[
    str | None, typer.Option("--save", metavar="FILE", help="Save the mechanism as JSON.")
]
Plot = Annotated[
    str | None, typer.Option(metavar="FILE", help="Save a picture as .png, .svg or .pdf.")
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document instead.")]
File = Annotated[str, typer.Argument(metavar="FILE", help="A mechanism file, as --save writes it.")]
AccountsFile = Annotated[
    str | None,
    typer.Option(
        "--accounts",
        metavar="FILE",
        envvar="DISCREET_ACCOUNTS",
        help="The accounts file (default: discreet.accounts beside the first dataset).",
    ),
]


def examples(*lines: str) -> str:
    """The end of a help page: lines to copy, each on its own."""
    return "\n\n".join(["[bold]Examples[/bold]", *(f"$ {line}" for line in lines)])


Id = Annotated[
    str | None,
    typer.Option(
        "--id",
        metavar="ID",
        help="An id for what is asked, of 1 to 200 printable characters; asking it again is free.",
    ),
]
Asker = Annotated[
    str | None,
    typer.Option(
        "--analyst", metavar="NAME", help="Who asks (default: DISCREET_ANALYST, or the login)."
    ),
]
