"""What a cell stands for: words are looked up here, numbers and dates have files of their own.

Each declared word is its place; others go where the column says.
"""

from collections.abc import Sequence

from discreet.tables.cleaning import dates, numbers
from discreet.tables.cleaning.forms import ColumnForm, Kind, with_columns
from discreet.tables.cleaning.grammar import CAPITALS, GAPS, SMALL
from discreet.tables.cleaning.leaves import Leaves, listed
from discreet.tables.columns import CategoryColumn, DateColumn, NumberColumn


def cells_of(origin: str, forms: Sequence[ColumnForm]) -> str:
    """Where cells are cleaned from: a FROM with the cells, and what texts say, worked out once."""
    texts = [one for one in forms if one.kind is Kind.TEXT]
    numbered = [(one, one.column) for one in texts if isinstance(one.column, NumberColumn)]
    dated = [(one, one.column) for one in texts if isinstance(one.column, DateColumn)]
    read = [
        numbers.value_of(one, column)
        for one, column in numbered
        if not isinstance(column, DateColumn)
    ]
    matched = [piece for one, column in dated for piece in dates.matches_of(one, column)]
    pieces = [piece for one, column in dated for piece in dates.pieces_of(one, column)]
    fence = forms[0].leaves.fence if forms else ""
    said = with_columns(origin, [*read, *matched], "said", fence)
    return with_columns(said, pieces, "pieces", fence)


def clean(form: ColumnForm) -> str:
    """The index of the declared value that a cell stands for; to be selected from `cells_of`."""
    column = form.column
    if isinstance(column, DateColumn):
        return dates.index(form, column)
    if isinstance(column, CategoryColumn):
        return _word_index(form, column)
    return numbers.index(form, column)


def is_gap(form: ColumnForm) -> str:
    """Whether a cell holds nothing that could be a value: it is skipped, or goes to `missing`."""
    column = form.column
    if isinstance(column, DateColumn):
        return dates.is_gap(form, column)
    if isinstance(column, CategoryColumn):
        return _is_no_word(form, column)
    return numbers.is_gap(form)


def is_other(form: ColumnForm) -> str:
    """Whether a cell holds a word that is not declared."""
    column = form.column
    return _is_other_word(form, column) if isinstance(column, CategoryColumn) else "FALSE"


def is_outside(form: ColumnForm) -> str:
    """Whether a cell is a number, or a moment, beyond the bounds, so that it is clamped."""
    column = form.column
    if isinstance(column, DateColumn):
        return dates.is_outside(form, column)
    return numbers.is_outside(form, column) if isinstance(column, NumberColumn) else "FALSE"


_FOLDING = str.maketrans(CAPITALS, SMALL)


def _word_index(form: ColumnForm, column: CategoryColumn) -> str:
    """The index of the declared word that a cell is, or where gaps and other words go."""
    if form.kind is Kind.TEXT:
        known = [_place(form, column), _rest(form, column)]
        if form.has_bare:
            known.insert(0, form.known)
        index = f"COALESCE({', '.join(known)})"
    elif form.kind is Kind.TRUTH:
        true, false = (place_of(column, word, column.other_index) for word in ("true", "false"))
        index = f"CASE WHEN {form.cell} THEN {true} WHEN NOT {form.cell} THEN {false} ELSE "
        index += f"{column.gap_index} END"
    else:
        cases = "".join(f" WHEN {number} THEN {place}" for number, place in _numbers(column))
        index = f"CASE WHEN {form.cell} IS NULL THEN {column.gap_index} ELSE "
        index += (
            f"CASE {form.cell}{cases} ELSE {column.other_index} END END"
            if cases
            else (f"{column.other_index} END")
        )
    return form.leaves.index(index, column.size)


def _is_no_word(form: ColumnForm, column: CategoryColumn) -> str:
    """Whether a cell holds nothing that could be a word; of truth values, none of theirs."""
    if column.is_boolean:
        return _is_unknown(form, column)
    blank = is_blank(form.cell, form.leaves) if form.kind is Kind.TEXT else f"{form.cell} IS NULL"
    return f"({_is_unknown(form, column)} AND {blank})"


def _is_other_word(form: ColumnForm, column: CategoryColumn) -> str:
    """Whether a cell holds a word that is not declared."""
    if column.is_boolean:
        return "FALSE"
    blank = is_blank(form.cell, form.leaves) if form.kind is Kind.TEXT else f"{form.cell} IS NULL"
    return f"({_is_unknown(form, column)} AND NOT {blank})"


def is_blank(text: str, leaves: Leaves) -> str:
    """Whether a trimmed text says in one of the usual ways that it is nothing."""
    return f"({text} IS NULL OR {leaves.is_one_of(text, GAPS)})"


def _is_unknown(form: ColumnForm, column: CategoryColumn) -> str:
    """Whether a cell is none of the declared words."""
    if form.kind is Kind.TEXT:
        return f"({_place(form, column)}) IS NULL"
    if form.kind is Kind.WHOLE:
        known = ", ".join(str(number) for number, _ in _numbers(column))
        return f"NOT COALESCE({form.cell} IN ({known}), FALSE)" if known else "TRUE"
    words = {word: place_of(column, word, None) is None for word in ("true", "false")}
    unknown = f"CASE WHEN {form.cell} THEN {words['true']} WHEN NOT {form.cell} THEN "
    return f"({unknown}{words['false']} ELSE TRUE END)"


def _place(form: ColumnForm, column: CategoryColumn) -> str:
    """The place of the declared word that a text is; NULL for none."""
    if not column.is_boolean:
        return form.leaves.places(form.cell, column.labels.names)
    folded = form.leaves.folded(form.cell)
    cases = (
        f"WHEN {folded} IN ({listed(_spellings(words), form.leaves)}) THEN {place}"
        for place, words in enumerate(column.spellings)
    )
    return f"CASE {' '.join(cases)} END"


def _rest(form: ColumnForm, column: CategoryColumn) -> str:
    if column.other_index == column.gap_index:
        return str(column.gap_index)
    blank = is_blank(form.cell, form.leaves)
    return f"CASE WHEN {blank} THEN {column.gap_index} ELSE {column.other_index} END"


def _spellings(words: tuple[str, ...]) -> list[str]:
    """How truth values are written, folded: letters beyond ASCII in either case."""
    cases = (case for word in words for case in (word, word.lower(), word.upper(), word.title()))
    return list(dict.fromkeys(case.translate(_FOLDING) for case in cases))


def _numbers(column: CategoryColumn) -> list[tuple[int, int]]:
    """The declared words that are whole numbers of 64 bits as an engine writes them."""
    if column.is_boolean:
        words = [(word, place) for place, said in enumerate(column.spellings) for word in said]
    else:
        words = [(word, place) for place, word in enumerate(column.labels.names)]
    return [(int(word), place) for word, place in words if _is_written_so(word)]


def _is_written_so(word: str) -> bool:
    digits = word.removeprefix("-")
    plain = digits.isascii() and digits.isdigit() and len(digits) < 20
    return plain and str(int(word)) == word and -(2**63) <= int(word) < 2**63


def place_of(column: CategoryColumn, word: str, otherwise: int | None) -> int | None:
    """The place of a word of small ASCII letters that is no gap."""
    if column.is_boolean:
        said = [place for place, words in enumerate(column.spellings) if word in words]
        return said[0] if said else otherwise
    return column.labels.index(word) if word in column.labels.names else otherwise
