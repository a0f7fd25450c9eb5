"""The curator: the one place where question, plan, charge, draw and answer are joined."""

from discreet.on_demand import face

__all__, __getattr__, __dir__ = face(
    __name__,
    {
        "answer": "Answer",
        "batches": "PlannedBatch",
        "curator": "Curator Order",
        "dataset_ledger": "BudgetDifference acknowledge_loss default_analyst differing_budgets "
        "has_ledger ledger_path notices open_key open_ledger reopen_ledger",
        "first_types": "check_first_types",
        "fluent": "OpenDataset open_dataset",
        "inquiry": "Inquiry",
        "result": "Result",
    },
)
