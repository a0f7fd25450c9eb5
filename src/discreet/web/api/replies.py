"""The replies as models, for the OpenAPI document; what is sent is built as plain JSON."""

from typing import Any

from pydantic import BaseModel, ConfigDict, Field


class Reply(BaseModel):
    """A reply; the document says exactly what is in it."""

    model_config = ConfigDict(extra="forbid")


class Problem(Reply):
    """RFC 9457."""

    type: str
    title: str
    status: int
    detail: str
    field: str | None = None
    """The field of the request to change, if it is about one."""
    cost: str | None = None
    """What a question over budget would cost, in ε."""
    left: str | None = None
    """What the exhausted budget has left, in ε."""


class AmountsReply(Reply):
    """ε as decimals; null without a limit."""

    allowed: str | None
    spent: str
    left: str | None


class BudgetReply(Reply):
    """The caller's budget; `total` and `accounts` for custodians only."""

    own: AmountsReply
    left: str
    sentence: str
    total: AmountsReply | None
    accounts: dict[str, AmountsReply] | None


class UnitReply(Reply):
    """The privacy unit."""

    person: bool
    most_rows: int
    one_row_per: str | None


class ColumnReply(Reply):
    """A declared column."""

    name: str
    kind: str
    low: str | None
    high: str | None
    step: str | None
    resolution: str | None = Field(description="for dates and times, the unit of a step")
    values: list[str] | None
    closed: bool = Field(
        description="whether these words are the only ones; others count as missing"
    )
    unit: str = Field(description="what numbers are counted in")
    description: str
    expression: str | None = Field(description="what it is derived from; null: not derived")
    gaps: bool = Field(description="whether cells may be empty")
    missing: str | None = Field(description="what an empty cell counts as; null: it is skipped")


class DatasetReply(Reply):
    """Declared facts, never rows."""

    name: str
    title: str
    rows: int
    size_is_public: bool
    unit: UnitReply
    neighbours: str
    columns: list[ColumnReply]
    budget: BudgetReply


class DatasetsReply(Reply):
    """The datasets that the caller may ask."""

    datasets: list[DatasetReply]


class OriginReply(Reply):
    """A stored answer that another one is told from."""

    receipt: str
    at: str


class PlanReply(Reply):
    """How a question would be answered."""

    asked: str
    epsilon: str
    enough: bool
    left: str
    question: dict[str, Any]
    wishes: dict[str, Any]
    groups: list[str]
    parts: list[dict[str, Any]]
    together: list[dict[str, Any]] = Field(description="which parts share a draw and a charge")
    cost: dict[str, Any]
    billionths: int
    notes: list[str]
    remarks: list[str]
    row_counts: list[dict[str, Any]]
    told_from: int | None = Field(
        description="values are released for about this many rows or more"
    )
    origin: OriginReply | None = Field(
        alias="from", description="the stored answer that it is a part of: then it costs nothing"
    )
    digest: str


class GivenReply(Reply):
    """What a question of a batch is to be asked with: exactly one of both."""

    epsilon: str | None
    within: str | None


class BatchReply(Reply):
    """How several questions would be answered."""

    total: str = Field(description="what all of them cost together")
    enough: bool
    left: str
    repeats: list[int | None] = Field(
        description="for each question, the number of an earlier one that it repeats: paid once"
    )
    orders: list[GivenReply] = Field(description="for each question, what to ask it with")
    plans: list[PlanReply]


class ResultReply(Reply):
    """One statistic of one group."""

    statistic: str
    group: str | None
    groups: dict[str, str] = Field(description="what the group has in each column grouped by")
    value: Any
    exact: str | None
    interval: list[float | str] | None
    exact_interval: list[str] | None
    interval_if_prior_holds: list[float | str] | None
    exact_interval_if_prior_holds: list[str] | None
    expected_error: float | None
    mechanism: str
    certificate: str | None
    supposed: bool
    rows_off: int | None
    too_few_rows: bool = Field(description="no value is released: there may be no rows")
    rows_about: int | None = Field(description="a noisy count of the rows, where one was drawn")
    rows_within: list[int] | None = Field(
        description="between which numbers the number of rows lies, at the confidence"
    )
    percentiles: list[float] | None = Field(
        description="for an order statistic: between which percentiles it lies, for any data"
    )
    rows_behind: int | None = Field(
        description="for a mode: at most how many rows it is behind the most frequent, for any "
        "data; for a top list: at most how many rows a word left out is ahead of one that is listed"
    )
    run: list[float | str] | None = Field(
        description="the first and last of the values it stands for"
    )
    about: str = Field(description="what intervals and percentiles are about: table, population")
    whole_range: bool = Field(description="whether the interval is all that was declared")
    bound: str = Field(description="what is known of the truth, in words, and what it rests on")
    clamped_at: str | None = Field(description="rows above this value count as this value")


class AnswerReply(Reply):
    """Everything that is released for one question."""

    receipt: str
    asked: str
    results: list[ResultReply]
    confidence: float
    epsilon: str
    spent: str
    left: str
    free: bool
    plan: str
    imputed: dict[str, str] = Field(description="what gaps count as, by column, where they count")
    uncounted: list[str] = Field(
        description="values that were released although there may be no rows; which COUNT to ask"
    )
    origin: OriginReply | None = Field(
        alias="from", description="the stored answer that it is a part of: nothing was charged"
    )
    sentence: str


class AnswerLineReply(Reply):
    """An answered question, in one line."""

    receipt: str
    at: str
    analyst: str
    asked: str
    epsilon: str


class AnswersReply(Reply):
    """Answered questions, the newest first."""

    answers: list[AnswerLineReply]


class BasketReply(Reply):
    """The answers to questions that were asked together, in their order."""

    answers: list[AnswerReply]


class LedgerLineReply(Reply):
    """One line of the statement."""

    seq: int
    at: str
    kind: str
    analyst: str
    receipt: str | None
    asked: str | None
    epsilon: str
    spent: str
    answered: bool | None


class LedgerReply(Reply):
    """The statement."""

    lines: list[LedgerLineReply]
    budget: BudgetReply


class VerifiedReply(Reply):
    """The result of an audit; details for custodians only."""

    clean: bool
    entries: int | None
    losses: int | None
    problems: list[str] | None


class EntryReply(Reply):
    """An entry as an auditor needs it."""

    seq: int
    at: str
    kind: str
    analyst: str
    question: str
    billionths: int
    body: dict[str, Any]
    previous: str
    hash: str


class ExportReply(Reply):
    """Every entry, oldest first."""

    entries: list[EntryReply]


class ReportLedgerReply(Reply):
    """Where the ledger stood when a report was made."""

    entries: int
    head: str
    facts: str | None


class ReportReply(Reply):
    """The data of a release report: what was released, and what it cost."""

    format: str
    dataset: str
    made: str
    version: str
    epsilon: str
    spent_in_all: str
    questions_in_all: int
    ledger: ReportLedgerReply
    answers: list[dict[str, Any]]
    others: list[dict[str, str]] = Field(description="releases with reports of their own")


class JobReply(Reply):
    """A plan or design under way; `result` holds it once `state` is done."""

    id: str
    kind: str
    state: str = Field(description="running, done, failed or cancelled")
    message: str
    progress: float | None
    result: dict[str, Any] | None
    url: str


class DesignReply(Reply):
    """A certified design."""

    wanted: dict[str, Any]
    epsilon: str
    delta: str
    answers: dict[str, Any]
    outputs: dict[str, Any]
    neighbours: dict[str, Any]
    shape: list[int]
    method: str
    value: float
    lower_bound: float
    gap: float
    expected_absolute_error: float | None
    seconds: float
    from_cache: bool
    tried: list[dict[str, Any]]
    certificate: dict[str, Any]
    properties: dict[str, bool] | None
    matrix: list[list[float]] | None
    digest: str


class AccountReply(Reply):
    """An account, without its secret."""

    name: str
    role: str
    datasets: list[str]
    created: str
    expires: str | None
    revoked: str | None
    state: str


class AccountsReply(Reply):
    """Every account."""

    accounts: list[AccountReply]


class NewTokenReply(Reply):
    """A new account with its token, which is shown once."""

    token: str
    account: AccountReply


class MeReply(Reply):
    """The caller."""

    name: str
    role: str
    local: bool
    datasets: list[str]
    expires: str | None


class HealthReply(Reply):
    """The state of the server."""

    status: str
