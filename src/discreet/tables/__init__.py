"""Tables: their public facts, their dataset files, and the rows behind them."""

from discreet.on_demand import face

__all__, __getattr__, __dir__ = face(
    __name__,
    {
        "cleaning": "CLEANING",
        "columns": "CategoryColumn Column ColumnType DateColumn GAP NumberColumn imputes "
        "number_sql skips_gaps",
        "dataset_file": "examine_dataset read_dataset read_facts",
        "drafts": "DatasetDraft Doubtful draft_dataset kind_of_source",
        "engines": "Cells Columns Snapshot TABLE Table open_table rendered",
        "expressions": "Derived ExpressionReader name_text shown sql_text",
        "facts": "Budget Dataset Facts PrivacyUnit",
        "key": "Key",
        "looseness": "Looseness loose_columns",
        "problems": "FileProblem",
        "readers.frames": "FRAMES_WANTED handed_over",
        "readers.typed_cells": "means",
        "source": "Source",
        "stock": "Stock odd_lines pinning take_stock",
        "type_names": "same_type",
    },
)
