"""The plain program: every cell a variable, for whatever no other method suits."""

from discreet.designer.plain.method import MOST_ENTRIES, MOST_EPSILON, PLAIN, entries_of

__all__ = ["MOST_ENTRIES", "MOST_EPSILON", "PLAIN", "entries_of"]
