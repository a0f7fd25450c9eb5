"""What each engine says in its own way: the leaves of the expressions that clean cells.

A leaf is total on what it is given, or stands inside a CASE that asks first. Where a column is
named, `cell` is SQL.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from itertools import product

from discreet.tables.cleaning.grammar import CAPITALS, SMALL


class Leaves(ABC):
    """The few functions in which engines differ; what most say alike is said here."""

    fence: str = ""
    """What ends a SELECT inside another, so that what it works out is worked out once."""
    doubles: str = "DOUBLE PRECISION"
    """The type of doubles."""

    def name(self, name: str) -> str:
        """The name of a column, as SQL has it."""
        return '"' + name.replace('"', '""') + '"'

    def text(self, word: str) -> str:
        """A text, whatever it holds, as SQL has it."""
        return quoted(word)

    @abstractmethod
    def written(self, number: str) -> str:
        """A whole number, or a truth value, as text."""

    @abstractmethod
    def contains(self, text: str, word: str) -> str:
        """Whether a text contains another."""

    @abstractmethod
    def hashed(self, text: str) -> str:
        """The SHA-256 of a text in UTF-8, in hexadecimal digits."""

    @abstractmethod
    def trimmed(self, text: str) -> str:
        """A text without the blanks around it."""

    def folded(self, text: str) -> str:
        """A text with the capital letters of ASCII made small, and no others.

        Letter by letter, for LOWER knows all letters, or depends on the locale.
        """
        return f"translate({text}, '{CAPITALS}', '{SMALL}')"

    def is_one_of(self, text: str, words: Sequence[str]) -> str:
        """Whether a text is one of few short words in small letters, once it is folded."""
        return f"({self.folded(text)} IN ({listed(words, self)}))"

    @abstractmethod
    def matches(self, text: str, pattern: str) -> str:
        """Whether the whole of a text, line ends and all, is of a pattern."""

    def replaced(self, text: str, old: str, new: str) -> str:
        """A text with every occurrence of another one replaced."""
        return f"replace({text}, {self.text(old)}, {self.text(new)})"

    @abstractmethod
    def parsed(self, text: str) -> str:
        """A text that is a number of at most two digits in the exponent, as a double."""

    def double(self, number: float) -> str:
        """A double, by its shortest text."""
        return self.as_double(f"'{number!r}'")

    def as_double(self, number: str) -> str:
        """A whole number, or the text of a constant, as a double."""
        return f"CAST({number} AS {self.doubles})"

    def is_nan(self, double: str) -> str:
        """Whether a double is no number."""
        return f"isnan({double})"

    def ratio(self, above: str, below: float) -> str:
        """A finite double divided by a constant, however small either is: nought, or infinite."""
        return f"(({above}) / {self.double(below)})"

    def whole(self, number: str) -> str:
        """A number without a fraction as one of 64 bits."""
        return f"CAST({number} AS BIGINT)"

    def floor(self, number: str, most: int) -> str:
        """A double from nought on, rounded down, or `most`: a whole number of 64 bits.

        They are compared as doubles, for what is beyond 64 bits cannot be cast.
        """
        return self.whole(f"LEAST(FLOOR({number}), {self.double(float(most))})")

    @abstractmethod
    def halves(self, above: str, below: int) -> str:
        """A whole number from nought on divided by a constant, rounded down."""

    @abstractmethod
    def places(self, text: str, words: Sequence[str]) -> str:
        """The place of a text among words, from 0; NULL where it is none of them."""

    @abstractmethod
    def groups(self, text: str, pattern: str, many: int) -> str:
        """What the groups of a pattern match in a text; to be handed to `group`."""

    @abstractmethod
    def group(self, groups: str, place: int) -> str:
        """What one of the groups matches, from 1 on; nothing, or NULL, without a match."""

    def index(self, number: str, values: int) -> str:
        """An index of a column of so many values, perhaps a gap; narrow, where rows are kept."""
        return self.whole(number)


class DuckDB(Leaves):
    """The leaves of DuckDB."""

    def written(self, number: str) -> str:
        """By its own cast."""
        return f"CAST({number} AS VARCHAR)"

    def contains(self, text: str, word: str) -> str:
        """By its own function."""
        return f"contains({text}, {quoted(word)})"

    def hashed(self, text: str) -> str:
        """By its own function."""
        return f"sha256({text})"

    def trimmed(self, text: str) -> str:
        """Its own TRIM takes the space separators of Unicode away, ten times as fast as a set."""
        return f"trim({text})"

    def folded(self, text: str) -> str:
        """Its own LOWER knows all letters, so it is asked of ASCII alone; the rest is slow."""
        slow = f"translate({text}, '{CAPITALS}', '{SMALL}')"
        return f"(CASE WHEN strlen({text}) = length({text}) THEN lower({text}) ELSE {slow} END)"

    def is_one_of(self, text: str, words: Sequence[str]) -> str:
        """Every way to write them is in one dictionary: folding takes three times as long."""
        known = ", ".join(quoted(word) for word in _cased(words))
        return f"(TRY_CAST({text} AS ENUM({known})) IS NOT NULL)"

    def matches(self, text: str, pattern: str) -> str:
        """By RE2, which takes time in proportion to the text."""
        return f"regexp_full_match({text}, {quoted(pattern)})"

    def parsed(self, text: str) -> str:
        """TRY for a text that was not asked for is parsed too, now and then."""
        return f"TRY_CAST({text} AS DOUBLE)"

    def halves(self, above: str, below: int) -> str:
        """By its sign for whole numbers."""
        return f"({above})" if below == 1 else f"(({above}) // {below})"

    def places(self, text: str, words: Sequence[str]) -> str:
        """By the dictionary of an enumeration."""
        known = ", ".join(map(quoted, words))
        return f"enum_code(TRY_CAST({text} AS ENUM({known})))"

    def groups(self, text: str, pattern: str, many: int) -> str:
        """By names, for it has groups by number one at a time only."""
        names = ", ".join(f"'g{place}'" for place in range(1, many + 1))
        return f"regexp_extract({text}, {quoted(f'^(?:{pattern})$')}, [{names}])"

    def group(self, groups: str, place: int) -> str:
        """By its name."""
        return f"{groups}['g{place}']"

    def index(self, number: str, values: int) -> str:
        """In one, two, four or eight bytes, with room for -1."""
        fits = (("TINYINT", 1 << 7), ("SMALLINT", 1 << 15), ("INTEGER", 1 << 31))
        kind = next((name for name, most in fits if values <= most), "BIGINT")
        return f"CAST({number} AS {kind})"


DUCKDB = DuckDB()


def _cased(words: Sequence[str]) -> list[str]:
    """Words of ASCII with every letter in either case."""
    letters = ([sorted({one, one.upper()}) for one in word] for word in words)
    return ["".join(letters_of_word) for word in letters for letters_of_word in product(*word)]


def quoted(word: str) -> str:
    """A text as SQL."""
    return "'" + word.replace("'", "''") + "'"


def listed(words: Sequence[str], leaves: Leaves) -> str:
    """Texts as SQL, for IN."""
    return ", ".join(map(leaves.text, words))
