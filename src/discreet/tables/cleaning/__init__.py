"""Total functions from whatever a row holds to the index of a declared value, as SQL.

They never raise and look at one row alone, so no row can make an answer fail or change what another
row means. What they are is data (`grammar`) and a few expressions; what engines say in their own
way is in `leaves`. A cell keeps its type on the way in where that says what the column wants to
know, and is text otherwise.
"""

from discreet.tables.cleaning.cells import cells_of, clean, is_blank, is_gap, is_other, is_outside
from discreet.tables.cleaning.forms import ColumnForm, takes
from discreet.tables.cleaning.grammar import BLANKS, CLEANING, GAPS, NONE
from discreet.tables.cleaning.leaves import DUCKDB, Leaves, quoted

__all__ = [
    "BLANKS",
    "CLEANING",
    "DUCKDB",
    "GAPS",
    "NONE",
    "ColumnForm",
    "Leaves",
    "cells_of",
    "clean",
    "is_blank",
    "is_gap",
    "is_other",
    "is_outside",
    "quoted",
    "takes",
]
