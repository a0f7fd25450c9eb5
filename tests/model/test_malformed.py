"""More than two hundred inputs that make no sense: each is answered by one line, in kind.

The command line has a table of its own; this is the Python door.
"""

import json
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from discreet.certifier import certify, smallest_delta
from discreet.errors import (
    EpsilonError,
    FileError,
    GoalError,
    InvalidInput,
    MechanismError,
    NeighboursError,
    SpaceError,
)
from discreet.exact import Epsilon
from discreet.measures import (
    bayes_loss,
    bayes_remap,
    error_quantile,
    expected_absolute_error,
    expected_loss,
    loss_by_answer,
    worst_error_quantile,
)
from discreet.measures import (
    testing_bounds as bounds_of_tests,
)
from discreet.model import (
    AllPairs,
    Goal,
    Graph,
    Grid,
    Guarantee,
    Labels,
    Listed,
    Loss,
    Mechanism,
    Prior,
    Requirements,
    Within,
    category_of,
    extended,
    load_mechanism,
    mechanism_from_dict,
    mechanism_to_dict,
    save_mechanism,
    scaled,
)
from discreet.model.neighbours import neighbours_from_dict
from discreet.model.spaces import space_from_dict

TWO = Grid.between(0, 1)
THREE = Grid.between(0, 2)
NAMES = Labels.of(["no", "yes"])
COIN = Mechanism.of(TWO, TWO, AllPairs(), [[3, 1], [1, 3]])
WORDS = Mechanism.of(NAMES, NAMES, AllPairs(), [[3, 1], [1, 3]])
NAN, INF = float("nan"), float("inf")
LONG = "9" * 5000


class Odd:
    def __repr__(self):
        raise RuntimeError("no picture of this")


EPSILONS = [0, -1, "-0.5", "0", "-0", "0.0", "1e-10", "0.0000000009", 101, "1e9999", 10**5000, NAN,
            INF, -INF, "nan", "inf", "", " ", "one", "1,5", "1.2.3", "1/0", "1/-2", "0x1", "1_0",
            "½", "٣", "1e", "e1", LONG, True, False, None, [], [1], {}, (1,), {1}, 1j, b"1",
            object(),
            Odd(), Decimal("NaN"), Decimal("Infinity"), Decimal("0"), Fraction(-1, 3), np.nan,
            np.float64("inf"), np.array([1.0]), "log", "log 1", "log 0", "log -2", "log x", "log()",
            "log(3", "log 3)", "log log 3", "log 1e9999", "exp 1", "1\n2", "ε",
            lambda: 1]  # fmt: skip

PLACES = [
    lambda: Grid.between("a", 1), lambda: Grid.between(0, "b"), lambda: Grid.between(0, 1, "c"),
    lambda: Grid.between(0, 1, 0), lambda: Grid.between(0, 1, -1), lambda: Grid.between(5, 1),
    lambda: Grid.between(0, 1, "0.3"), lambda: Grid.between(0, 1, 2),
    lambda: Grid.between(0, 10**7), lambda: Grid.between(0, 10**5000),
    lambda: Grid.between(0, 1, "1e-9"), lambda: Grid.between(NAN, 1), lambda: Grid.between(0, INF),
    lambda: Grid.between(None, 1), lambda: Grid.between(0, True), lambda: Grid.between([0], 1),
    lambda: Grid.between("1e101", "1e101"), lambda: Grid.between("-1e400", "-1e400"),
    lambda: Grid.between(0, "1e101", "1e101"), lambda: Grid(0, 1, 0), lambda: Grid(0, 1, -3),
    lambda: Grid(0, 1, 2.0), lambda: Grid(0, 1, "2"), lambda: Grid(0, 1, True),
    lambda: Grid(0, 1, None), lambda: Grid("x", 1, 2), lambda: Grid(0, "x", 2),
    lambda: Grid(0, 0, 2), lambda: Grid(0, NAN, 2), lambda: Grid(INF, 1, 2),
    lambda: Grid(0, 1, 10**9), lambda: Listed.of([]), lambda: Listed.of([2, 1]),
    lambda: Listed.of([1, 1]), lambda: Listed.of(["x"]), lambda: Listed.of([1, None]),
    lambda: Listed.of([NAN]), lambda: Listed.of("123"), lambda: Listed.of(5),
    lambda: Listed.of(None), lambda: Listed.of([[1], [2]]), lambda: Listed.of([True]),
    lambda: Listed.of(["1e400"]), lambda: Listed(()), lambda: Listed(("x",)),
    lambda: Listed((10**5000,)), lambda: Labels.of([]), lambda: Labels.of("ab"),
    lambda: Labels.of(["a", "a"]), lambda: Labels.of([""]), lambda: Labels.of([1]),
    lambda: Labels.of([None]), lambda: Labels.of(5), lambda: Labels.of(None),
    lambda: Labels.of(["a\nb"]), lambda: Labels.of(["a\u2028b"]), lambda: Labels.of(["\ud800"]),
    lambda: Labels.of([b"a"]), lambda: Labels.of([["a"]]), lambda: TWO.index(5),
    lambda: TWO.index("0.5"), lambda: TWO.index("x"), lambda: TWO.index(None),
    lambda: TWO.index(NAN),
    lambda: Listed.of([1]).index(2), lambda: NAMES.index("maybe"), lambda: NAMES.index(1),
    lambda: scaled(TWO, 0), lambda: scaled(TWO, -1), lambda: scaled(TWO, "x"),
    lambda: scaled(TWO, "1e-9"), lambda: scaled(NAMES, 2), lambda: scaled(Listed.of([1]), 2),
    lambda: scaled(None, 2), lambda: extended(TWO, 99), lambda: extended(TWO, "x"),
    lambda: extended(TWO, "1e9"), lambda: extended(TWO, "1e300"), lambda: extended(NAMES),
    lambda: category_of(NAMES, TWO), lambda: category_of(TWO, NAMES),
    lambda: category_of(NAMES, Labels.of(["maybe"])), lambda: space_from_dict(None),
    lambda: space_from_dict([]), lambda: space_from_dict({}),
    lambda: space_from_dict({"kind": "x"}),
    lambda: space_from_dict({"kind": "grid"}),
    lambda: space_from_dict({"kind": "grid", "start": "0", "step": "1", "size": "2"}),
    lambda: space_from_dict({"kind": "grid", "start": "0", "step": "1", "size": True}),
    lambda: space_from_dict({"kind": "grid", "start": None, "step": "1", "size": 2}),
    lambda: space_from_dict({"kind": "grid", "start": "0", "step": "0", "size": 2}),
    lambda: space_from_dict({"kind": "listed", "numbers": "12"}),
    lambda: space_from_dict({"kind": "listed", "numbers": [{}]}),
    lambda: space_from_dict({"kind": "labels", "names": [1]}),
    lambda: space_from_dict({"kind": "labels", "names": {"a": 1}}),
    *(lambda space=space: Mechanism.of(space, TWO, AllPairs(), [[1], [1]])
      for space in (None, 5, [0, 1], "ab", AllPairs())),
    *(lambda space=space: Mechanism.of(TWO, space, AllPairs(), [[1, 1]])
      for space in (None, 5, [0, 1], "ab", AllPairs())),
    lambda: expected_absolute_error(WORDS), lambda: bayes_loss(WORDS), lambda: bayes_remap(WORDS),
    lambda: error_quantile(WORDS), lambda: worst_error_quantile(WORDS),
]  # fmt: skip

RELATIONS = [
    lambda: Within(0), lambda: Within(-1), lambda: Within(1.0), lambda: Within("1"),
    lambda: Within(None), lambda: Within(True), lambda: Within(NAN), lambda: Graph.of(0, []),
    lambda: Graph.of(-1, []), lambda: Graph.of("3", []), lambda: Graph.of(None, []),
    lambda: Graph.of(True, []), lambda: Graph.of(2.0, []), lambda: Graph.of(2, None),
    lambda: Graph.of(2, 5), lambda: Graph.of(2, "01"), lambda: Graph.of(2, [0, 1]),
    lambda: Graph.of(2, [(0, 2)]), lambda: Graph.of(2, [(0, 0)]), lambda: Graph.of(2, [(-1, 0)]),
    lambda: Graph.of(2, [(0,)]), lambda: Graph.of(2, [(0, 1, 1)]), lambda: Graph.of(2, [None]),
    lambda: Graph.of(2, [("0", "1")]), lambda: Graph.of(2, [(0.0, 1.0)]),
    lambda: Graph.of(2, [(False, True)]), lambda: Graph(2, frozenset({(1, 0)})),
    lambda: Graph(2, frozenset({(0, 9)})), lambda: Graph.of(3, [(0, 1)]).pairs(2),
    lambda: Graph.of(3, [(0, 1)]).distances(2),
    lambda: Mechanism.of(TWO, TWO, Graph.of(3, []), [[1, 1], [1, 1]]),
    *(lambda relation=relation: Mechanism.of(TWO, TWO, relation, [[1, 1], [1, 1]])
      for relation in (None, 1, "all", [(0, 1)], TWO)),
    lambda: neighbours_from_dict(None), lambda: neighbours_from_dict({}),
    lambda: neighbours_from_dict({"kind": "near"}),
    lambda: neighbours_from_dict({"kind": "within"}),
    lambda: neighbours_from_dict({"kind": "within", "steps": "1"}),
    lambda: neighbours_from_dict({"kind": "within", "steps": 0}),
    lambda: neighbours_from_dict({"kind": "graph", "size": 2}),
    lambda: neighbours_from_dict({"kind": "graph", "size": 2, "edges": [[0, 2]]}),
    lambda: neighbours_from_dict({"kind": "graph", "size": 2, "edges": "01"}),
]  # fmt: skip

GOALS = [
    lambda: Loss.of("cubic"), lambda: Loss.of(""), lambda: Loss.of(None), lambda: Loss.of(1),
    lambda: Loss.of([[0, 1], [1, 0]]), lambda: Loss("absolut"), lambda: Loss.of_table([]),
    lambda: Loss.of_table([[]]), lambda: Loss.of_table([[1], [1, 2]]), lambda: Loss.of_table(5),
    lambda: Loss.of_table(None), lambda: Loss.of_table([1, 2]), lambda: Loss.of_table([["x"]]),
    lambda: Loss.of_table([[None]]), lambda: Loss.of_table([[NAN]]), lambda: Loss.of_table([[INF]]),
    lambda: Loss.of_table([[-1]]), lambda: Loss.of_table([["1e400"]]),
    lambda: Loss.of_table([[10**5000]]), lambda: Loss.of_table([[0, 1]]).matrix(TWO, TWO),
    lambda: loss_by_answer(COIN, lambda r, f: -1), lambda: loss_by_answer(COIN, lambda r, f: NAN),
    lambda: loss_by_answer(COIN, lambda r, f: None), lambda: loss_by_answer(COIN, lambda r, f: "x"),
    lambda: loss_by_answer(COIN, lambda r, f: 1j), lambda: loss_by_answer(COIN, lambda r, f: [1]),
    lambda: loss_by_answer(COIN, lambda r, f: 10**400), lambda: loss_by_answer(COIN, "best"),
    lambda: Prior.of("normal"), lambda: Prior.of(""), lambda: Prior.of([]), lambda: Prior.of(None),
    lambda: Prior.of(1), lambda: Prior.of([0.5, 0.4]), lambda: Prior.of([2, -1]),
    lambda: Prior.of([NAN, 1]), lambda: Prior.of([INF]), lambda: Prior.of(["x", 1]),
    lambda: Prior.of([None]), lambda: Prior.of([True]), lambda: Prior.of([[1]]),
    lambda: Prior.of(["1e400"]), lambda: Prior.of([10**5000]), lambda: Prior.of({"a": 1}),
    lambda: Prior.of(np.ones((2, 2)) / 4), lambda: Prior((0.5,)), lambda: Prior((2.0, -1.0)),
    lambda: Prior((NAN,)), lambda: Prior(()),
    lambda: Goal.of("absolute", [0.5, 0.5], worst_case=True), lambda: Goal.of("huge"),
    lambda: Goal.of("absolute", "x"),
    lambda: expected_loss(COIN, Goal.of("absolute", [0.2, 0.3, 0.5])),
    lambda: expected_absolute_error(COIN, [1]), lambda: bayes_loss(COIN, [0.5, 0.5], "x"),
    lambda: bayes_loss(COIN, [0.9, 0.2]), lambda: bayes_remap(COIN, "x"),
    lambda: error_quantile(COIN, 0), lambda: error_quantile(COIN, 2),
    lambda: error_quantile(COIN, "95%"), lambda: error_quantile(COIN, None),
    lambda: worst_error_quantile(COIN, NAN), lambda: Requirements.of("honest"),
    lambda: Requirements.of("fair;symmetric"), lambda: Requirements.of(["fair", "x"]),
    lambda: Requirements.of(None), lambda: Requirements.of(5), lambda: Requirements.of([1]),
    lambda: Requirements.of([None]), lambda: Requirements.of([["fair"]]),
    lambda: Requirements.of("fair\nx"),
]  # fmt: skip


def matrix(weights):
    return lambda: Mechanism.of(TWO, TWO, AllPairs(), weights)


MATRICES = [
    *map(matrix, [
        None, 5, "ab", "", [], [[]], [1, 2], [[1, 1]], [[1], [1]], [[1, 1], [1]], [[1, 1, 1]] * 2,
        [[[1], [1]], [[1], [1]]], [[1, 1], [1, None]], [[1, 1], [1, "1"]], [[1, 1], [1, 1.0]],
        [[1, 1], [1, NAN]], [[1, 1], [1, INF]], [[1, 1], [1, True]], [[1, 1], [1, 1j]],
        [[1, 1], [1, Fraction(1)]], [[1, 1], [1, Decimal(1)]], [[1, 1], [1, [1]]],
        [[2, 1], [-1, 0]], [[1, 2], [1, 1]], [[0, 0], [0, 0]], [[0, 1], [0, 1]], [[1, 0], [1, 0]],
        [[10**5000, 1], [1, 1]], [[-(10**5000), 1], [1, 1]], {"a": [1, 1]}, {1, 2}, ["12", "21"],
        b"ab", object(), np.array(5), np.ones(4, dtype=int), np.ones((2, 2)),
        np.ones((2, 2), dtype=bool), np.full((2, 2), np.nan), np.array([["1", "1"], ["1", "1"]]),
        np.ones((2, 2, 2), dtype=int), np.array([[1, 2], [3, 4]]), np.array([[1 + 0j, 1], [1, 1]]),
        np.array([[1, 1], [1, None]], dtype=object), np.zeros((0, 2), dtype=int),
        np.array([["2020-01-01"] * 2] * 2, dtype="datetime64[D]"),
    ]),
    lambda: certify(None, 1), lambda: certify("coin", 1), lambda: certify([[3, 1], [1, 3]], 1),
    lambda: certify(replace(COIN, weights=np.array([[3, 1], [1, 3]])), 5),
]  # fmt: skip

GOOD = mechanism_to_dict(COIN)


def changed(**facts):
    return lambda: mechanism_from_dict({**GOOD, **facts})


def lacking(key):
    return lambda: mechanism_from_dict({name: fact for name, fact in GOOD.items() if name != key})


CONTENTS = [
    *(lambda data=data: mechanism_from_dict(data) for data in [None, 5, "x", [], [GOOD], {}, True]),
    *map(lacking, ["format", "version", "answers", "outputs", "neighbours", "weights"]),
    *(changed(**facts) for facts in [
        {"format": "x"}, {"format": None}, {"version": 2}, {"version": "1"}, {"version": True},
        {"version": None}, {"version": [1]}, {"weights": None}, {"weights": []}, {"weights": "x"},
        {"weights": [1, 2]}, {"weights": [["3", "1"]]}, {"weights": [["3"], ["1"]]},
        {"weights": [["3", "1"], ["1"]]}, {"weights": [["3", "1"], ["1", "x"]]},
        {"weights": [["3", "1"], ["1", "-3"]]}, {"weights": [["3", "1"], ["1", "3.0"]]},
        {"weights": [["3", "1"], ["1", ""]]}, {"weights": [["3", "1"], ["1", "³"]]},
        {"weights": [["3", "1"], ["1", LONG]]}, {"weights": [["3", "1"], ["1", None]]},
        {"weights": [["3", "1"], ["1", True]]}, {"weights": [[3, 1], [1, 3.0]]},
        {"weights": [[3, 1], [1, -3]]}, {"weights": [[3, 1], [2, 3]]},
        {"weights": [[1, 1], [1, 1]]},
        {"total": "5"}, {"total": None}, {"total": [4]}, {"digest": "x"}, {"digest": None},
        {"digest": "0" * 64}, {"answers": None}, {"answers": {"kind": "grid"}},
        {"answers": {"kind": "labels", "names": ["a", "a"]}}, {"outputs": []},
        {"outputs": {"kind": "grid", "start": "0", "step": "1", "size": 3}},
        {"neighbours": None}, {"neighbours": {"kind": "graph", "size": 3, "edges": []}},
        {"neighbours": {"kind": "within", "steps": 1}},
    ]),
]  # fmt: skip

FILES = {
    "empty": b"", "blank": b" \n", "not JSON": b"{", "words": b"weights",
    "not text": b"\xff\xfe\x00",
    "a list": b"[]", "null": b"null", "a number": b"5", "NaN": b"NaN", "an object": b"{}",
    "zeros": b"\0" * 100, "deep": b"[" * 100_000,
    "long number": b'{"version": ' + b"9" * 5000 + b"}",
    "cut": json.dumps(GOOD).encode()[:-20], "twice": json.dumps(GOOD).encode() * 2,
    "other format": b'{"format": "x", "version": 1}',
    "line breaks": json.dumps({**GOOD, "format": "a\nb"}).encode(),
}  # fmt: skip

PROMISES = [
    lambda: Guarantee.of(1, -1), lambda: Guarantee.of(1, 1), lambda: Guarantee.of(1, 2),
    lambda: Guarantee.of(1, "x"), lambda: Guarantee.of(1, NAN), lambda: Guarantee.of(1, None),
    lambda: Guarantee.of(1, True), lambda: Guarantee.of(1, "1e9999"), lambda: certify(COIN, 1, -1),
    lambda: certify(COIN, 1, "x"), lambda: certify(COIN, 1, 1),
]  # fmt: skip


def table():
    for value in EPSILONS:
        yield EpsilonError, lambda value=value: Epsilon.of(value)
    for door in (lambda: certify(COIN, 0), lambda: smallest_delta(COIN, "x"),
                 lambda: bounds_of_tests(-1), lambda: Guarantee.of("x"), lambda: Epsilon(0),
                 lambda: Epsilon(1, Fraction(3))):  # fmt: skip
        yield EpsilonError, door
    for kind, doors in ((SpaceError, PLACES), (NeighboursError, RELATIONS), (GoalError, GOALS),
                        (MechanismError, MATRICES), (InvalidInput, CONTENTS),
                        (InvalidInput, PROMISES)):  # fmt: skip
        for door in doors:
            yield kind, door
    for path in (None, 5, b"x", ["x"], "", "/no/such/file", "/", "a\0b", "x" * 5000):
        yield FileError, lambda path=path: load_mechanism(path)
    for path in (None, 5, b"x", "", "/no/such/file", "/", "a\0b", "x" * 5000):
        yield FileError, lambda path=path: save_mechanism(COIN, path)


TABLE = list(table())


def answer(kind, door):
    with pytest.raises(kind) as caught:
        door()
    assert isinstance(caught.value, InvalidInput)
    text = str(caught.value)
    assert len(text.splitlines()) == 1
    assert 10 < len(text) < 300
    assert "Traceback" not in text
    return text


@pytest.mark.parametrize("case", TABLE, ids=range(len(TABLE)))
def test_one_line_in_kind(case):
    answer(*case)


@pytest.mark.parametrize("name", FILES)
def test_damaged_files(name, tmp_path):
    path = tmp_path / "mechanism.json"
    path.write_bytes(FILES[name])
    answer(FileError, lambda: load_mechanism(path))


def test_there_are_more_than_two_hundred():
    assert len(TABLE) + len(FILES) > 200
