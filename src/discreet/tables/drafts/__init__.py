"""Drafts of dataset files: what the rows look like, and what a custodian might declare of them."""

from discreet.on_demand import face

__all__, __getattr__, __dir__ = face(
    __name__,
    {
        "draft": "DatasetDraft Doubtful draft_dataset draft_source kind_of_source",
    },
)
