"""Publishing: who may make, see and publish a release, and what its readers are given.

Whoever asked may put their own answers together; only a custodian makes that public or takes it
back. What is public may be read by everybody, without an account; all else looks as if it were not
there. Nothing here reads a row or spends anything.
"""

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from discreet import __version__
from discreet.budget import Entry
from discreet.errors import InvalidInput
from discreet.reports import ReleaseReport, report_of
from discreet.web import reading
from discreet.web.identity import Caller
from discreet.web.mechanisms import FORMAT as MECHANISMS
from discreet.web.problems import NotFound
from discreet.web.releases import Publication, Releases
from discreet.web.served import ServedDataset

if TYPE_CHECKING:
    from discreet.web.service import Service

PROOF = "discreet release proof 1"
MOST_ANSWERS = 50
LONGEST_TITLE = 200
_KEPT = 64


class Publishing:
    """The releases of a server."""

    def __init__(self, service: "Service") -> None:
        self._service = service
        self._file = service.settings.releases_file
        self._opened: Releases | None = None
        self._reports: OrderedDict[Publication, ReleaseReport] = OrderedDict()

    def make(
        self, served: ServedDataset, receipts: Sequence[str], title: str, caller: Caller
    ) -> Publication:
        """Put answers together that the caller may read; nobody else sees that yet."""
        chosen = tuple(dict.fromkeys(receipts))
        if not chosen or len(chosen) > MOST_ANSWERS:
            raise InvalidInput(
                f"a release must have 1 to {MOST_ANSWERS} answers, got {len(chosen)}; choose which"
            )
        if served not in self._service.every_dataset():
            raise InvalidInput("a made-up table has no releases; use a real dataset")
        for receipt in chosen:
            reading.answer(served, receipt, caller)
        entries = _newest(served)
        _report(served, chosen, made="", upto=entries)  # all of them can be reported
        name = " ".join(title.split())[:LONGEST_TITLE] or served.dataset.name
        return self._releases.make(
            dataset=served.name,
            title=name,
            author=caller.name,
            receipts=chosen,
            entries=entries,
        )

    def listed(self, caller: Caller | None) -> list[Publication]:
        """What may be seen, the newest first."""
        if not self._file.is_file():
            return []
        return [one for one in self._releases.every() if self._sees(one, caller)]

    def find(self, id: str, caller: Caller | None) -> Publication:
        """One of them; NotFound for unknown ones and for those of others alike."""
        release = self._releases.find(id) if self._file.is_file() else None
        if release is None or not self._sees(release, caller):
            raise NotFound("there is no such release")
        return release

    def publish(
        self, id: str, caller: Caller, *, whole: bool, mechanisms: Mapping[str, Any]
    ) -> Publication:
        """Let everybody read a release, with the whole ledger or with its own entries alone."""
        release = self.publishable(id, caller)
        served = self.served(release)
        return self._releases.publish(
            release, entries=_newest(served), whole=whole, mechanisms=mechanisms
        )

    def publishable(self, id: str, caller: Caller) -> Publication:
        """A release that this caller may make public."""
        release = self.find(id, caller)
        caller.require_custodian()
        return release

    def withdraw(self, id: str, caller: Caller) -> Publication:
        """Take a release back."""
        return self._releases.withdraw(self.publishable(id, caller))

    def served(self, release: Publication) -> ServedDataset:
        """The dataset of a release."""
        for served in self._service.every_dataset():
            if served.name == release.dataset:
                return served
        raise NotFound("there is no such release")

    def tells_all(self, release: Publication, caller: Caller | None) -> bool:
        """Whether what everybody has spent may be told: to all once it is public."""
        return release.is_public or (caller is not None and caller.is_custodian)

    def report(self, release: Publication) -> ReleaseReport:
        """The report, by the ledger as it stood when the release was made, or made public."""
        known = self._reports.get(release)
        if known is None:
            made = release.published or release.made
            served = self.served(release)
            known = _report(served, release.receipts, made=made, upto=release.entries)
            self._reports[release] = known
            if len(self._reports) > _KEPT:
                self._reports.popitem(last=False)
        return known

    def proof(self, release: Publication) -> dict[str, Any]:
        """The entries that a reader can recompute: of this release, or the whole ledger."""
        ledger = self.served(release).curator.ledger
        entries = [one for one in ledger.entries() if one.seq <= release.entries]
        head = entries[-1]
        mine = [one for one in entries if one.question in release.receipts]
        return {
            "format": PROOF,
            "release": release.id,
            "whole_ledger": release.whole,
            "head": {"entries": head.seq, "hash": head.hash},
            "entries": [_told(one) for one in (entries if release.whole else mine)],
        }

    def mechanisms(self, release: Publication) -> dict[str, Any]:
        """What it was drawn from, as a browser can check it; large ones are left to the command."""
        kept = self._releases.mechanisms(release) if release.is_public else {}
        certificates = {
            part.certificate for one in self.report(release).answers for part in one.answer.results
        }
        return {
            "format": MECHANISMS,
            "release": release.id,
            "mechanisms": {digest: one for digest, one in kept.items() if digest in certificates},
        }

    def close(self) -> None:
        """Let go of the file."""
        if self._opened is not None:
            self._opened.close()

    @property
    def _releases(self) -> Releases:
        """The releases, whose file is made with the first of them."""
        if self._opened is None:
            self._opened = Releases(self._file)
        return self._opened

    def _sees(self, release: Publication, caller: Caller | None) -> bool:
        if not any(one.name == release.dataset for one in self._service.every_dataset()):
            return False
        if release.is_public:
            return True
        if caller is None or not caller.may_ask(release.dataset):
            return False
        return caller.is_custodian or caller.name == release.author


def _report(
    served: ServedDataset, receipts: Sequence[str], *, made: str, upto: int
) -> ReleaseReport:
    return report_of(
        served.dataset,
        served.curator.ledger,
        made=made,
        version=__version__,
        receipts=receipts,
        upto=upto,
    )


def _newest(served: ServedDataset) -> int:
    return served.curator.ledger.entries()[-1].seq


def _told(entry: Entry) -> dict[str, Any]:
    """An entry with its body as it was hashed; billionths as text, so that no digit is lost."""
    return {
        "seq": entry.seq,
        "at": entry.at,
        "kind": entry.kind,
        "analyst": entry.analyst,
        "question": entry.question,
        "billionths": str(entry.billionths),
        "body": entry.body,
        "previous": entry.previous,
        "hash": entry.hash,
    }
