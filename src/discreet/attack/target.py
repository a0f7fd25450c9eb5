"""What is attacked: draws for small tables, on the wire, against a charge."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from discreet.attack.law import NOTHING, Law, PrivacyLoss, law_of, loss
from discreet.attack.powers import power_of_e
from discreet.attack.tables import Rows, Small
from discreet.attack.wire import ScriptedWire

OPEN = Fraction(1, 10**6)
"""A loss that is more by this share of the charge may be due to bits that are not looked at."""
_OF_A_RUN = 4
"""An outcome that is drawn takes as long as so many that are compared."""


class AttackTarget(ABC):
    """What is attacked: draws for small tables, on the wire, against a charge."""

    def __init__(self, small: Small, charge: Fraction, wire: ScriptedWire) -> None:
        self.small, self.charge, self._wire = small, charge, wire
        self.stated: set[str] = set()
        """The kinds of noise of which the law is taken as stated."""
        self.work = 0
        """How many runs, outcomes and pairs were looked at so far."""
        self._laws: dict[Any, tuple[int, Law]] = {}
        self._losses: dict[tuple[int, int], PrivacyLoss] = {}
        self._known: dict[Rows, list[tuple[int, Law]]] = {}

    @abstractmethod
    def draws(self, table: Rows) -> list[tuple[Any, Callable[[], Callable[[], Any]]]]:
        """What is drawn of a table, each independent of the others.

        With a key that tables share of which the same is drawn, and with what makes it ready.
        """

    @property
    @abstractmethod
    def titles(self) -> list[str]:
        """How it is drawn, in words."""

    @property
    def many(self) -> int:
        """How many tables were looked at."""
        return len(self._known)

    def laws(self, table: Rows) -> list[tuple[int, Law]]:
        """The law of every draw, with a number that equal ones share."""
        if table not in self._known:
            self._known[table] = [self._law(*one) for one in self.draws(table)]
        return self._known[table]

    def _law(self, key: Any, ready: Callable[[], Callable[[], Any]]) -> tuple[int, Law]:
        if key not in self._laws:
            law = law_of(self._wire, ready())
            self.work += _OF_A_RUN * len(law)
            self._laws[key] = len(self._laws), law
            noises = (noise for leaf in law.values() for noise in leaf.noises)
            self.stated |= {noise.kind for noise in noises if noise.stated}
        return self._laws[key]

    def loss(self, one: Rows, other: Rows) -> PrivacyLoss:
        """What the worst outcome of one table tells against the other, over all blocks."""
        total = NOTHING
        self.work += 1
        rows = self.small.dataset.unit.most_rows
        for (first, law), (second, against) in zip(self.laws(one), self.laws(other), strict=True):
            if first == second:
                continue
            if (first, second) not in self._losses:
                self._losses[first, second] = loss(law, against, rows)
                self.work += len(law)
            more = self._losses[first, second]
            if more.ratio is None or total.ratio is None:
                return PrivacyLoss.infinite(more.shape)
            total = PrivacyLoss(
                total.ratio * more.ratio, total.cost + more.cost, total.nats + more.nats, more.shape
            )
        return total

    def breaks(self, lost: PrivacyLoss) -> bool:
        """Whether a loss is more than what is charged, in exact fractions."""
        if lost.ratio is None:
            return True
        allowed = self.charge * (1 + OPEN)
        if lost.nats < float(self.charge) * (1 - float(OPEN)):
            return False
        if lost.cost > allowed:
            return True
        low, _ = power_of_e(allowed - lost.cost)
        return lost.ratio > low

    def shares(self, table: Rows) -> bool:
        """Whether answers that are taken for independent share what they are drawn from."""
        return False

    def tells_apart(self, one: Rows, other: Rows) -> bool:
        """Whether what is told of the same outcome differs between two tables."""
        return False
