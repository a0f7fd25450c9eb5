"""The leaves of PostgreSQL: what fails in others is asked first, and texts are compared by bytes.

It raises where others have infinity or nought, so what is divided is looked at before. Cells come
under the collation "C" (`tables/engines/postgresql.py`), which everything here keeps.
"""

from collections.abc import Sequence

from discreet.tables.cleaning.grammar import BLANKS
from discreet.tables.cleaning.leaves import Leaves, quoted

_MOST_CASES = 64
"""So many words are compared in a CASE; more are looked for in an array."""


class PostgreSQL(Leaves):
    """The leaves of PostgreSQL."""

    fence = " OFFSET 0"

    def written(self, number: str) -> str:
        """By its own cast."""
        return f'(CAST({number} AS text) COLLATE "C")'

    def contains(self, text: str, word: str) -> str:
        """By its own function."""
        return f"(position({quoted(word)} IN {text}) > 0)"

    def hashed(self, text: str) -> str:
        """By its own function, over bytes."""
        return f"encode(sha256(convert_to({text}, 'UTF8')), 'hex') COLLATE \"C\""

    def trimmed(self, text: str) -> str:
        """By a set of characters, for its own TRIM knows the space alone."""
        return f"btrim({text}, {quoted(BLANKS)})"

    def matches(self, text: str, pattern: str) -> str:
        r"""By its own engine; `\A` and `\Z` are the ends of the text, whatever lines it has."""
        return f"({text} ~ {_whole(pattern)})"

    def parsed(self, text: str) -> str:
        """Where the grammar holds its cast does not fail; CASE asks that first."""
        return f"CAST({text} AS double precision)"

    def is_nan(self, double: str) -> str:
        """NaN is equal to itself here."""
        return f"({double} = CAST('NaN' AS double precision))"

    def ratio(self, above: str, below: float) -> str:
        """A tiny numerator would raise; below a quarter of a step all are nought in the end."""
        tiny = f"({above}) < {self.double(below / 4)}"
        share = f"({above}) / {self.double(below)}"
        return f"(CASE WHEN {tiny} THEN {self.double(0.0)} ELSE {share} END)"

    def halves(self, above: str, below: int) -> str:
        """Whole numbers are divided so, towards nought."""
        return f"({above})" if below == 1 else f"(({above}) / {below})"

    def places(self, text: str, words: Sequence[str]) -> str:
        """One by one, or by an array where there are many."""
        if len(words) > _MOST_CASES:
            return f"(array_position(ARRAY[{', '.join(map(quoted, words))}], {text}) - 1)"
        cases = " ".join(f"WHEN {quoted(word)} THEN {place}" for place, word in enumerate(words))
        return f"CASE {text} {cases} END"

    def groups(self, text: str, pattern: str, many: int) -> str:
        """An array of texts, or NULL."""
        return f"regexp_match({text}, {_whole(pattern)})"

    def group(self, groups: str, place: int) -> str:
        """By its place."""
        return f"({groups})[{place}]"


def _whole(pattern: str) -> str:
    return quoted(rf"\A(?:{pattern})\Z")


POSTGRESQL_LEAVES = PostgreSQL()
