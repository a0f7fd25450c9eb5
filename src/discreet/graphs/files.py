"""Graphs from files: edge lists as CSV, and GraphML."""

import csv
from collections.abc import Iterable, Iterator
from pathlib import Path
from xml.etree import ElementTree

from discreet.errors import FileError, InvalidInput
from discreet.exact import show
from discreet.graphs.database_graph import DatabaseGraph

MOST_BYTES = 32 * 2**20
_HEADINGS = (("source", "target"), ("from", "to"), ("node1", "node2"))
_GRAPHML = "{http://graphml.graphdrawing.org/xmlns}"

Pairs = list[tuple[str, str]]


def load_graph(path: str | Path) -> DatabaseGraph:
    """A graph from a file: .graphml, or an edge list with two names on each line.

    In an edge list names are separated by commas, semicolons, tabs or blanks; a first line like
    `source,target`, empty lines and lines that begin with # are passed over. Direction and weights
    are not read, for neighbours are neighbours both ways.
    """
    source = Path(path)
    text = _text(source)
    try:
        if source.suffix.lower() in (".graphml", ".xml") or text.lstrip().startswith("<"):
            nodes, edges = _from_graphml(text, source)
        else:
            edges = list(_from_lines(text, source))
            nodes = []
        return _named(nodes, edges, source)
    except InvalidInput as problem:
        if isinstance(problem, FileError):
            raise
        raise FileError(f"{show(str(path))}: {problem}") from None


def _named(nodes: Iterable[str], edges: Pairs, source: Path) -> DatabaseGraph:
    names = dict.fromkeys([*nodes, *(name for edge in edges for name in edge)])
    if not edges:
        raise FileError(f"{show(str(source))} has no edges; write two names on each line")
    ordered = sorted(names, key=_natural) if not any(True for _ in nodes) else list(names)
    place = {name: index for index, name in enumerate(ordered)}
    loops = next((one for one, other in edges if one == other), None)
    if loops is not None:
        raise FileError(
            f"{show(str(source))}: {show(loops)} is joined to itself; an edge joins two databases"
        )
    return DatabaseGraph.of(
        ordered, ((place[one], place[other]) for one, other in edges), name=source.name
    )


def _natural(name: str) -> tuple[bool, int, str]:
    """Whole numbers first and in order, then everything else."""
    whole = name.isascii() and name.isdigit() and len(name) < 19
    return (not whole, int(name) if whole else 0, name)


def _from_lines(text: str, source: Path) -> Iterator[tuple[str, str]]:
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    for number, line in enumerate(lines):
        cells = _cells(line)
        if len(cells) < 2 or not cells[0] or not cells[1]:
            raise FileError(
                f"{show(str(source))}: an edge must be two names on a line, got {show(line)}"
            )
        heading = (cells[0].lower(), cells[1].lower())
        if not (number == 0 and heading in _HEADINGS):
            yield cells[0], cells[1]


_LONGEST_LINE = 10_000


def _cells(line: str) -> list[str]:
    if len(line) > _LONGEST_LINE:
        return []
    for separator in (",", ";", "\t"):
        if separator in line:
            try:
                return [cell.strip() for cell in next(csv.reader([line], delimiter=separator))]
            except csv.Error:
                return []
    return line.split()


def _from_graphml(text: str, source: Path) -> tuple[list[str], Pairs]:
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise FileError(
            f"{show(str(source))} declares entities, which are not supported; remove them"
        )
    try:
        root = ElementTree.fromstring(text)
    except (ElementTree.ParseError, ValueError) as problem:
        raise FileError(f"{show(str(source))} is not GraphML: {problem}") from None
    graph = next((part for part in root.iter() if _tag(part) == "graph"), None)
    if _tag(root) != "graphml" or graph is None:
        raise FileError(f"{show(str(source))} is not GraphML: there is no <graph> in <graphml>")
    nodes = [_attribute(part, "id", source) for part in graph if _tag(part) == "node"]
    edges = [
        (_attribute(part, "source", source), _attribute(part, "target", source))
        for part in graph
        if _tag(part) == "edge"
    ]
    known = set(nodes)
    lost = next((name for edge in edges for name in edge if name not in known), None)
    if nodes and lost is not None:
        raise FileError(f"{show(str(source))}: an edge names {show(lost)}, which is not a node")
    return nodes, edges


def _tag(part: ElementTree.Element) -> str:
    return str(part.tag).removeprefix(_GRAPHML)


def _attribute(part: ElementTree.Element, name: str, source: Path) -> str:
    value = part.get(name)
    if not value:
        raise FileError(f"{show(str(source))}: a {_tag(part)} without {name}")
    return value


def _text(source: Path) -> str:
    try:
        if source.is_file() and source.stat().st_size > MOST_BYTES:
            raise FileError(
                f"{show(str(source))} is larger than {MOST_BYTES >> 20} MB; use a smaller graph"
            )
        return source.read_text(encoding="utf-8-sig")
    except OSError as problem:
        raise FileError(f"cannot read {show(str(source))}: {problem.strerror}") from None
    except ValueError:
        raise FileError(f"{show(str(source))} is not a text file") from None
