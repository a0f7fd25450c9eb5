"""What the room offers, for type checkers: the names are in `__init__.py`."""

from discreet.tables.drafts.draft import (
    DatasetDraft,
    Doubtful,
    draft_dataset,
    draft_source,
    kind_of_source,
)

__all__ = ["DatasetDraft", "Doubtful", "draft_dataset", "draft_source", "kind_of_source"]
