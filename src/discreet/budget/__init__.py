"""Privacy budgets: what answers cost together, and the ledger that never forgets a charge."""

from discreet.on_demand import face

__all__, __getattr__, __dir__ = face(
    __name__,
    {
        "acknowledging": "Beginning RecordedLoss acknowledge",
        "advanced": "delta_after epsilon_after",
        "charging": "Balance Charge Claim ToldMeanwhile Unless analyst_name id_taken",
        "composition": "Cost Disjoint Sequential Single cost_from_dict cost_to_dict",
        "entries": "ANCHOR Change Entry EntryKind KEY Premises",
        "ledger": "Ledger first_budgets",
        "postgresql.health": "Health health",
        "postgresql.moving": "move",
        "postgresql.preparing": "prepare schema_sql",
        "postgresql.store": "SharedBook",
        "read_only": "copied is_read_only",
        "second_anchor": "AnchorCommand AnchorFile AnchorUrl SecondAnchor",
        "several": "Asked",
        "verify": "Audit audit",
    },
)
