r"""The leaves of Spark SQL, with ANSI on: backslashes are escapes, `$` is not the end of a text.

In its regular expressions, Java's, `$` also matches before a final line end, so `\z` is said. A
division of whole numbers is DIV. Variables written as ${…} are replaced even inside texts, so the
dollar sign is written by its number.
"""

from collections.abc import Sequence

from discreet.tables.cleaning.grammar import BLANKS
from discreet.tables.cleaning.leaves import Leaves

_PART = "|"
"""What stands between the groups of a match; in none of them."""
_MOST_CASES = 64


class Spark(Leaves):
    """The leaves of Spark SQL."""

    doubles = "DOUBLE"

    def name(self, name: str) -> str:
        """In back quotes."""
        return "`" + name.replace("`", "``") + "`"

    def text(self, word: str) -> str:
        """With all that means something escaped."""
        escaped = word.replace("\\", "\\\\").replace("'", "\\'").replace("$", "\\u0024")
        return f"'{escaped}'"

    def written(self, number: str) -> str:
        """By its own cast."""
        return f"CAST({number} AS STRING)"

    def contains(self, text: str, word: str) -> str:
        """By its own function."""
        return f"contains({text}, {self.text(word)})"

    def hashed(self, text: str) -> str:
        """By its own function."""
        return f"sha2({text}, 256)"

    def trimmed(self, text: str) -> str:
        """By a set of characters, for its own TRIM knows the space alone."""
        return f"TRIM(BOTH {self.text(BLANKS)} FROM {text})"

    def matches(self, text: str, pattern: str) -> str:
        """By Java's engine; patterns are short, and so are the texts that are asked of."""
        return f"({text} RLIKE {self._whole(pattern)})"

    def parsed(self, text: str) -> str:
        """A text that was not asked for may be parsed too, so it never raises."""
        return f"try_cast({text} AS DOUBLE)"

    def floor(self, number: str, most: int) -> str:
        """Its FLOOR is a whole number already, the largest one for what is beyond."""
        return f"LEAST(FLOOR({number}), {most})"

    def halves(self, above: str, below: int) -> str:
        """By its sign for whole numbers."""
        return f"({above})" if below == 1 else f"(({above}) DIV {below})"

    def places(self, text: str, words: Sequence[str]) -> str:
        """One by one, or by an array where there are many."""
        known = list(map(self.text, words))
        if len(words) > _MOST_CASES:
            return f"(NULLIF(array_position(array({', '.join(known)}), {text}), 0) - 1)"
        cases = " ".join(f"WHEN {word} THEN {place}" for place, word in enumerate(known))
        return f"CASE {text} {cases} END"

    def groups(self, text: str, pattern: str, many: int) -> str:
        """An array of texts, or NULL: all groups with a sign between them, cut at that."""
        groups = _PART.join(f"${place}" for place in range(1, many + 1))
        joined = f"regexp_replace({text}, {self._whole(pattern)}, {self.text(groups)})"
        return f"CASE WHEN {self.matches(text, pattern)} THEN split({joined}, '[{_PART}]', -1) END"

    def group(self, groups: str, place: int) -> str:
        """By its place, from 0."""
        return f"{groups}[{place - 1}]"

    def _whole(self, pattern: str) -> str:
        return self.text(rf"\A(?:{pattern})\z")


SPARK_LEAVES = Spark()
