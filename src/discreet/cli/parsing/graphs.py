"""A graph of databases, from the words of a command line."""

from collections.abc import Sequence

from discreet.graphs import load_graph
from discreet.graphs.named import AnyGraph, named_graph


def graph_of(words: Sequence[str]) -> AnyGraph:
    """A family by its name and numbers, or the one file that was named."""
    return load_graph(words[0]) if _is_file(words) else named_graph(words)


def _is_file(words: Sequence[str]) -> bool:
    return len(words) == 1 and any(mark in words[0] for mark in "./\\")
