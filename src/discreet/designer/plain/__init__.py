"""The plain program: every cell a variable, for whatever no other method suits."""

from discreet.designer.plain.method import MOST_EPSILON, PLAIN

__all__ = ["MOST_EPSILON", "PLAIN"]
