"""What the room offers, for type checkers: the names are in `__init__.py`."""

from discreet.budget.acknowledging import Beginning, RecordedLoss, acknowledge
from discreet.budget.advanced import delta_after, epsilon_after
from discreet.budget.charging import (
    Balance,
    Charge,
    Claim,
    ToldMeanwhile,
    Unless,
    analyst_name,
    id_taken,
)
from discreet.budget.composition import (
    Cost,
    Disjoint,
    Sequential,
    Single,
    cost_from_dict,
    cost_to_dict,
)
from discreet.budget.entries import ANCHOR, KEY, Change, Entry, EntryKind, Premises
from discreet.budget.ledger import Ledger, first_budgets
from discreet.budget.postgresql.health import Health, health
from discreet.budget.postgresql.moving import move
from discreet.budget.postgresql.preparing import prepare, schema_sql
from discreet.budget.postgresql.store import SharedBook
from discreet.budget.read_only import copied, is_read_only
from discreet.budget.second_anchor import AnchorCommand, AnchorFile, AnchorUrl, SecondAnchor
from discreet.budget.several import Asked
from discreet.budget.verify import Audit, audit

__all__ = [
    "ANCHOR",
    "KEY",
    "AnchorCommand",
    "AnchorFile",
    "AnchorUrl",
    "Asked",
    "Audit",
    "Balance",
    "Beginning",
    "Change",
    "Charge",
    "Claim",
    "Cost",
    "Disjoint",
    "Entry",
    "EntryKind",
    "Health",
    "Ledger",
    "Premises",
    "RecordedLoss",
    "SecondAnchor",
    "Sequential",
    "SharedBook",
    "Single",
    "ToldMeanwhile",
    "Unless",
    "acknowledge",
    "analyst_name",
    "audit",
    "copied",
    "cost_from_dict",
    "cost_to_dict",
    "delta_after",
    "epsilon_after",
    "first_budgets",
    "health",
    "id_taken",
    "is_read_only",
    "move",
    "prepare",
    "schema_sql",
]
