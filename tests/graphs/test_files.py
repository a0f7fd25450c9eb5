"""Graphs from files: what is read, and one line about what cannot be."""

import pytest
from hypothesis import given, settings

from discreet.errors import FileError
from discreet.graphs import load_graph
from graphs.strategies import connected_graphs

GRAPHML = """<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <graph id="G" edgedefault="undirected">
    <node id="x"/><node id="y"><data key="k">1</data></node><node id="z"/>
    <edge source="x" target="y"/><edge id="e" source="y" target="z"/>
  </graph>
</graphml>"""


def written(folder, name, text):
    target = folder / name
    target.write_text(text, encoding="utf-8")
    return target


@pytest.mark.parametrize(
    "text",
    [
        "a,b\nb,c\n",
        "source,target\na,b\nb,c\n",
        "Source;Target;Weight\na;b;2\nb;c;1\n",
        "a b\n\nb c\n",
        "# a walk\na\tb\nb\tc\n",
        "\ufeffa,b\r\nb,c\r\n",
        'a,b\n"b",c\nc,b\n',
    ],
)
def test_edge_lists_in_the_usual_spellings(tmp_path, text):
    graph = load_graph(written(tmp_path, "walk.csv", text))
    assert graph.space.names == ("a", "b", "c")
    assert graph.edges == ((0, 1), (1, 2))
    assert graph.name == "walk.csv"


def test_numbered_nodes_stand_in_the_order_of_their_numbers(tmp_path):
    graph = load_graph(written(tmp_path, "n.csv", "10,9\n9,2\n"))
    assert graph.space.names == ("2", "9", "10")


def test_graphml(tmp_path):
    graph = load_graph(written(tmp_path, "g.graphml", GRAPHML))
    assert graph.space.names == ("x", "y", "z")
    assert graph.edges == ((0, 1), (1, 2))
    bare = GRAPHML.replace(' xmlns="http://graphml.graphdrawing.org/xmlns"', "")
    assert load_graph(written(tmp_path, "h.xml", bare)).edges == graph.edges


@given(connected_graphs())
@settings(max_examples=20)
def test_what_is_written_is_read_back(tmp_path_factory, graph):
    folder = tmp_path_factory.mktemp("graphs")
    lines = "".join(f"{graph.label(one)},{graph.label(other)}\n" for one, other in graph.edges)
    again = load_graph(written(folder, "again.csv", lines))
    assert again.space == graph.space
    assert again.edges == graph.edges


def test_networkx_writes_what_we_read(tmp_path):
    networkx = pytest.importorskip("networkx")
    source = networkx.petersen_graph()
    networkx.write_graphml(source, tmp_path / "petersen.graphml")
    networkx.write_edgelist(source, tmp_path / "petersen.txt", data=False)
    wanted = {tuple(sorted(edge)) for edge in source.edges}
    for name in ("petersen.graphml", "petersen.txt"):
        assert set(load_graph(tmp_path / name).edges) == wanted


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("e.csv", "", "has no edges; write two names on each line"),
        ("e.csv", "source,target\n", "has no edges"),
        ("e.csv", "a\n", "an edge must be two names on a line, got 'a'"),
        ("e.csv", "a,\n", "an edge must be two names on a line"),
        ("e.csv", "x," + "y" * 200_000, "an edge must be two names on a line"),
        ("e.csv", "a,a\n", "'a' is joined to itself"),
        ("e.csv", "a,b\nc,d\n", "no path leads from 'a' to 'c'"),
        ("e.graphml", "<graphml", "is not GraphML"),
        ("e.graphml", "<html></html>", "there is no <graph> in <graphml>"),
        ("e.graphml", "<graphml><graph/></graphml>", "has no edges"),
        ("e.graphml", "<graphml><graph><edge source='a'/></graph></graphml>", "without target"),
        (
            "e.graphml",
            GRAPHML.replace('target="z"', 'target="q"'),
            "names 'q', which is not a node",
        ),
        ("e.graphml", "<!DOCTYPE x [<!ENTITY y 'z'>]><graphml/>", "declares entities"),
    ],
)
def test_files_that_hold_no_graph(tmp_path, name, text, message):
    with pytest.raises(FileError, match=message) as caught:
        load_graph(written(tmp_path, name, text))
    assert "\n" not in str(caught.value)


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(FileError, match=r"cannot read .*: No such file"):
        load_graph(tmp_path / "missing.csv")
    with pytest.raises(FileError, match=r"cannot read .*: Is a directory"):
        load_graph(tmp_path)
    binary = tmp_path / "b.csv"
    binary.write_bytes(b"\xff\xfe\x00\x01")
    with pytest.raises(FileError, match="is not a text file"):
        load_graph(binary)
