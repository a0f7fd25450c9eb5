"""How numbers, amounts of ε, names and shared sentences are written for people: one home each."""

from discreet.text.amounts import BILLION, Amount
from discreet.text.labels import blanked, label, one_line, printable, shortened
from discreet.text.numbers import (
    brief,
    decimal_text,
    number_text,
    percent,
    plural,
    value_text,
)
from discreet.text.quoting import show
from discreet.text.sentences import AS_DRAWN, capital, rows_off_text
from discreet.text.words import Word

__all__ = [
    "AS_DRAWN",
    "BILLION",
    "Amount",
    "Word",
    "blanked",
    "brief",
    "capital",
    "decimal_text",
    "label",
    "number_text",
    "one_line",
    "percent",
    "plural",
    "printable",
    "rows_off_text",
    "shortened",
    "show",
    "value_text",
]
