"""Drafts of dataset files: what the rows look like, and what a custodian might declare of them."""

from discreet.tables.drafts.draft import (
    DatasetDraft,
    Doubtful,
    draft_dataset,
    draft_source,
    kind_of_source,
)

__all__ = ["DatasetDraft", "Doubtful", "draft_dataset", "draft_source", "kind_of_source"]
