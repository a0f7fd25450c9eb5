"""How numbers, amounts of ε, names and shared sentences are written for people: one home each."""

from discreet.text.csv_cells import csv_text
from discreet.text.labels import Word, blanked, label, one_line, printable, shortened, ticks
from discreet.text.numbers import (
    BILLION,
    Amount,
    brief,
    decimal_text,
    number_text,
    percent,
    plural,
    span_text,
    value_text,
)
from discreet.text.quoting import show
from discreet.text.sentences import (
    AS_DRAWN,
    IF_PRIOR,
    IF_SAMPLE,
    behind_text,
    capital,
    imputed_text,
    percentiles_text,
    rows_about_text,
    rows_off_text,
    told_from_text,
    too_few_text,
)

__all__ = [
    "AS_DRAWN",
    "BILLION",
    "IF_PRIOR",
    "IF_SAMPLE",
    "Amount",
    "Word",
    "behind_text",
    "blanked",
    "brief",
    "capital",
    "csv_text",
    "decimal_text",
    "imputed_text",
    "label",
    "number_text",
    "one_line",
    "percent",
    "percentiles_text",
    "plural",
    "printable",
    "rows_about_text",
    "rows_off_text",
    "shortened",
    "show",
    "span_text",
    "ticks",
    "told_from_text",
    "too_few_text",
    "value_text",
]
