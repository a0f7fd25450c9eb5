"""The releases of a ledger that later questions are served from: post-processing, so nothing is
charged.

The newest release that tells all of a question serves; it cost no less than what is offered now, or
promises the accuracy that is wished (docs/proofs/stored-releases.md). Which ones are looked at
depends on public questions, their cost and the facts they rest on: never on a drawn value, and
never on what others asked.
"""

import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from discreet.budget import Entry, Ledger
from discreet.curator.drawn import Drawn
from discreet.curator.result import Result
from discreet.curator.stored.matching import Counted, Portion, portions, reading_of
from discreet.curator.stored.quantiles import KnownTotals, read_quantile, read_running
from discreet.curator.stored.sums import NoiseOfSums, SumReading, added_up
from discreet.errors import DatasetError, QuestionError
from discreet.exact import Epsilon
from discreet.planning import About, IntervalRule, Wishes
from discreet.planning.grouping import grouping_of
from discreet.planning.origin import Origin
from discreet.planning.releases.release import EMPTY_TOLD
from discreet.planning.settling import imputed_by, is_public, settled
from discreet.questions import Item, Question, question_text
from discreet.questions.written import question_from_dict
from discreet.requests import Order
from discreet.statistics import Count, Mean, Rank, ReadAs
from discreet.tables import Dataset, NumberColumn
from discreet.text import is_remark_of

_MOST_KEPT = 512
"""How many releases of one analyst are looked at, the newest; older ones are paid for again."""
_SURE_OF_ROWS = 1 - 4 * EMPTY_TOLD
"""From this confidence on, values of no rows are told seldom enough by the number of rows that
running totals tell (docs/proofs/stored-releases.md, Claim 8)."""
_AT_ONCE = 64
"""More than this are not read, or compared, while somebody waits."""


@dataclass(frozen=True, kw_only=True)
class StoredRelease:
    """What was answered and charged for, by the public part of its entry."""

    receipt: str
    at: str
    billionths: int
    """What it cost."""
    question: Question
    """What it answers, settled."""
    request: dict[str, Any]
    """The ε or the accuracy, and the wishes, that it was asked with."""
    together: tuple[dict[str, Any], ...]
    """The certificates of what was drawn together."""

    @property
    def origin(self) -> Origin:
        """Where parts of it come from."""
        return Origin(self.receipt, self.at)

    @classmethod
    def of(cls, entry: Entry, dataset: Dataset) -> "StoredRelease | None":
        """What a charge released; None where this version cannot tell."""
        facts = entry.facts()
        try:
            question = question_from_dict(facts["question"])
            if question_text(question, dataset) != facts["asked"]:
                return None  # values have other places by now
            return cls(
                receipt=entry.question,
                at=entry.at,
                billionths=entry.billionths,
                question=settled(question, dataset),
                request=dict(facts["request"]),
                together=tuple(facts.get("together", ())),
            )
        except (KeyError, IndexError, TypeError, ValueError, QuestionError, DatasetError):
            return None


@dataclass
class _Shelf:
    """What is remembered of one analyst."""

    since: int
    """The entry of the facts that all of them rest on."""
    seen: int
    """The newest entry that was looked at."""
    releases: list[StoredRelease]
    """The newest first."""


class StoredReleases:
    """The releases to each analyst under the facts of today, read once as the ledger grows."""

    def __init__(self, dataset: Dataset) -> None:
        self._dataset = dataset
        self._shelves: dict[str, _Shelf] = {}
        self._lock = threading.Lock()

    def to(self, analyst: str, ledger: Ledger) -> list[StoredRelease]:
        """What was released to an analyst, the newest first; nothing where facts have changed."""
        since = ledger.resting_since()
        if since is None:
            return []
        with self._lock:
            shelf = self._shelves.get(analyst)
            if shelf is None or shelf.since != since:
                shelf = self._shelves[analyst] = _Shelf(since, since, [])
            newest = ledger.entries_count()
            entries = ledger.charges_after(shelf.seen, analyst, _MOST_KEPT)
            fresh = [StoredRelease.of(entry, self._dataset) for entry in entries]
            shelf.seen = max([newest, *(entry.seq for entry in entries)])
            if fresh:
                kept = [*(one for one in fresh if one is not None), *shelf.releases]
                shelf.releases = kept[:_MOST_KEPT]
            return shelf.releases

    def at_hand(self, analyst: str, ledger: Ledger) -> bool:
        """Whether `to` would return at once."""
        shelf = self._shelves.get(analyst)
        if shelf is None or len(shelf.releases) > _AT_ONCE:
            return False
        return ledger.entries_count() - shelf.seen <= _AT_ONCE


@dataclass(frozen=True, kw_only=True)
class StoredPart:
    """How a question is told by a release that was paid for: no draw decides over that."""

    release: StoredRelease
    question: Question
    """What is asked, settled."""
    portions: tuple[Portion | Counted, ...]
    """For each group, for each statistic, what tells it."""
    stored: Drawn
    """What the release told."""

    @property
    def origin(self) -> Origin:
        """Where it comes from."""
        return self.release.origin

    @property
    def digest(self) -> str:
        """SHA-256 of what will be done."""
        return self.origin.digest(self.question)

    def told(self, labels: Sequence[str], dataset: Dataset) -> Drawn:
        """The answer, from what the release told."""
        grouping = grouping_of(self.question, dataset)
        results = [
            replace(
                self._result(portion, item, dataset),
                label=label,
                group=name if grouping.axes else None,
                groups=values,
            )
            for portion, (name, values, label, item) in zip(
                self.portions,
                (
                    (name, values, label, item)
                    for name, values in zip(grouping.names, grouping.values, strict=True)
                    for label, item in zip(labels, self.question.items, strict=True)
                ),
                strict=True,
            )
        ]
        imputed = imputed_by(self.question, dataset)
        return Drawn(
            results=tuple(results),
            confidence=self.stored.confidence,
            plan=self.digest,
            imputed=imputed,
            uncounted=self._uncounted,
            origin=self.origin,
        )

    @property
    def _uncounted(self) -> tuple[str, ...]:
        """What the release said of rows that nobody counted, but for statistics not told here."""
        asked = {portion.statistic for portion in self.portions}
        first = enumerate(self.stored.results[: len(self.release.question.items)])
        others = [one.label for place, one in first if place not in asked]
        lines = self.stored.uncounted
        return tuple(one for one in lines if not any(is_remark_of(one, label) for label in others))

    def _result(self, portion: Portion | Counted, item: Item, dataset: Dataset) -> Result:
        stored, noise = self.stored, NoiseOfSums.of(self.release.together, portion.statistic)
        if isinstance(portion, Counted):
            return self._quantile(portion, item, noise, dataset)
        results = self._told(portion.statistic, portion.groups)
        if portion.follows:
            released = self.release.question.items[portion.statistic]
            return _following(results[0], item, reading_of(item, released, dataset))
        if len(results) == 1:
            return results[0]
        assert noise is not None
        wishes = self.release.request["wishes"]
        most = None if wishes.get("unbiased") else dataset.most_rows
        reading = SumReading(most, consistent=bool(wishes.get("consistent")))
        return added_up(results, noise, stored.confidence, reading)

    def _told(self, statistic: int, groups: Iterable[int]) -> list[Result]:
        many = len(self.release.question.items)
        return [self.stored.results[group * many + statistic] for group in groups]

    def _quantile(
        self, portion: Counted, item: Item, noise: NoiseOfSums | None, dataset: Dataset
    ) -> Result:
        rows, column = portion.rows, dataset.column(portion.column.column)
        assert isinstance(item.statistic, Rank)
        assert isinstance(column, NumberColumn)
        results = [self._told(portion.statistic, groups) for groups in portion.groups]
        if portion.column.running:
            return read_running(item.statistic, column, [one for (one,) in results], rows)
        assert noise is not None
        assert rows is not None
        totals = KnownTotals.of_counts(results, noise, rows, self.stored.confidence)
        like = self.stored.results[portion.statistic]
        return read_quantile(item.statistic, column, portion.column, totals, like=like, rows=rows)


def _following(released: Result, item: Item, reading: ReadAs | None) -> Result:
    """What follows from a told result, or was told besides."""
    if reading is not None:
        return _read(released, reading)
    read = replace(released, mean=None, expected_error=None, whole_range=False)
    read = replace(read, mechanism=f"{released.mechanism}, read from an earlier answer")
    if isinstance(item.statistic, Count):
        assert released.rows_about is not None
        low, high = released.rows_within or (released.rows_about,) * 2
        ends = (
            Fraction(max(0, min(low, released.rows_about))),
            Fraction(max(high, released.rows_about)),
        )
        return replace(
            read, value=released.rows_about, interval=ends, rows_about=None, rows_within=None
        )
    if released.mean is None:  # too few rows
        return read
    value, least, most = released.mean
    return replace(read, value=value, interval=(least, most))


def _is_kept(portion: Portion | Counted, item: Item, drawn: Drawn, many: int) -> bool:
    """Whether what was told besides is there: older answers have not kept it."""
    if isinstance(portion, Counted):
        last = drawn.results[portion.groups[-1][0] * many + portion.statistic]
        told_rows = portion.rows is not None or last.surer is not None
        return not portion.column.running or told_rows
    if not portion.follows:
        return True
    released = drawn.results[portion.groups[0] * many + portion.statistic]
    if isinstance(item.statistic, Count):
        return released.rows_within is not None
    return (
        not isinstance(item.statistic, Mean) or released.mean is not None or released.value is None
    )


def _read(released: Result, reading: ReadAs) -> Result:
    """As the statistic rises with what was told, so do value and interval."""
    value, interval = released.value, released.interval
    if isinstance(value, int | Fraction):
        value = reading(Fraction(value), False)
    if interval is not None:
        low, high = (end for end in interval if isinstance(end, int | Fraction))
        interval = reading(Fraction(low), False), reading(Fraction(high), True)
    mechanism = f"{released.mechanism}, read from an earlier answer"
    return replace(
        released, value=value, interval=interval, expected_error=None, mechanism=mechanism
    )


def find_part(
    order: Order,
    releases: Sequence[StoredRelease],
    dataset: Dataset,
    answer: Callable[[str], dict[str, Any] | None],
    shown: str | None = None,
) -> StoredPart | None:
    """The newest release that serves an order, if there is one: public facts alone decide.

    What was shown stays what is told, though a newer one may tell it by now.

    Args:
        order: The question, with its ε and options.
        releases: Those to the analyst who asks, the newest first.
        dataset: The public facts.
        answer: The stored answer under a receipt.
        shown: The digest of the plan that was shown; any, if left out.
    """
    if not releases:
        return None
    try:
        question = settled(order.question, dataset)
        grouping_of(question, dataset)
    except QuestionError:  # whoever plans is told
        return None
    if is_public(question, dataset):
        return None
    for release in releases:
        if shown is not None and release.origin.digest(question) != shown:
            continue
        contained = _portions(order, question, release, dataset)
        stored = None if contained is None else answer(release.receipt)
        if contained is None or stored is None:
            continue
        drawn = Drawn.from_dict(stored)
        many = len(release.question.items)
        items = question.items * (len(contained) // len(question.items))
        pairs = zip(contained, items, strict=True)
        kept = all(_is_kept(one, item, drawn, many) for one, item in pairs)
        if kept and _has_groups_of(drawn, release, dataset):
            return StoredPart(release=release, question=question, portions=contained, stored=drawn)
    return None


def tells(entry: Entry, order: Order, dataset: Dataset) -> bool:
    """Whether what a charge paid for tells the answer of an order; its stored answer aside."""
    release = StoredRelease.of(entry, dataset)
    if release is None:
        return False
    return _portions(order, settled(order.question, dataset), release, dataset) is not None


def _portions(
    order: Order, question: Question, release: StoredRelease, dataset: Dataset
) -> tuple[Portion | Counted, ...] | None:
    if not _as_wished(order, release):
        return None
    contained = portions(question, release.question, dataset)
    if contained is None or not all(_can_be_told(one, order, release) for one in contained):
        return None
    return contained


def _has_groups_of(drawn: Drawn, release: StoredRelease, dataset: Dataset) -> bool:
    """Whether its groups are in the order of today: values may be declared in another one."""
    names = grouping_of(release.question, dataset).names
    each = (name or None for name in names for _ in release.question.items)
    return [result.group for result in drawn.results] == list(each)


def _as_wished(order: Order, release: StoredRelease) -> bool:
    """Whether it was asked with the same wishes, is as sure, and for no less than is offered.

    A plan may leave a billionth of what it was offered, where groups cannot share it.
    """
    if order.epsilon is not None and order.epsilon.billionths > _offered(release):
        return False
    wished, stored = order.wishes.to_dict(), release.request["wishes"]
    sure = Fraction(stored["confidence"]) >= order.wishes.confidence
    return sure and _without_shares(wished) == _without_shares(stored)


def _offered(release: StoredRelease) -> int:
    given = release.request.get("epsilon")
    return max(release.billionths, 0 if given is None else Epsilon.of(given).billionths)


def _without_shares(wishes: dict[str, Any]) -> dict[str, Any]:
    """How ε was shared between the statistics is no part of what an answer is; bounds may be surer
    than wished."""
    return {name: wish for name, wish in wishes.items() if name not in ("importance", "confidence")}


def _can_be_told(portion: Portion | Counted, order: Order, release: StoredRelease) -> bool:
    """Whether the result, and how far off it is, follow from what is stored."""
    if isinstance(portion, Counted):
        law = NoiseOfSums.of(release.together, portion.statistic) is not None
        if portion.column.running:
            sure = portion.rows is not None or order.wishes.confidence >= _SURE_OF_ROWS
            law = sure and not order.wishes.unbiased
        return law and order.within is None and _is_plain(order.wishes)
    many = len(portion.groups)
    if order.within is not None and order.wishes.consistent:
        return False  # what was made to fit may be farther off than what was drawn
    if portion.follows:
        as_told = not (order.wishes.unbiased or order.wishes.consistent)
        return order.within is None and order.wishes.about is About.TABLE and as_told
    if many == 1:
        return order.within is None or _promised(order.within, release)
    noise = NoiseOfSums.of(release.together, portion.statistic)
    if noise is None or order.wishes.about is not About.TABLE:
        return False
    return order.within is None or noise.reach(many, order.wishes.confidence) <= order.within


def _is_plain(wishes: Wishes) -> bool:
    """Whether percentiles of these rows are all that is wished to be known of a quantile."""
    return wishes.about is About.TABLE and wishes.interval is IntervalRule.USUAL


def _promised(within: Fraction, release: StoredRelease) -> bool:
    promised = release.request.get("within")
    return promised is not None and Fraction(promised) <= within
