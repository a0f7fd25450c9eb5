"""Command lines that cannot be used: exit code 2, one line of error, never a traceback."""

import json

import pytest

LONG = "9" * 5_000
EPSILONS = [
    "0", "0.0", "-1", "-0.5", "nan", "NaN", "inf", "-inf", "Infinity", "1e99", "1e-99", "1e-10",
    "100.1", "1e9999", "1e999999999", "", " ", "abc", "1/0", "0/1", "-1/2", "1/3/4", "1e", "0x1",
    "1,5", "1 2", "٣", "½", "ε", "None", "True", "log", "log()", "log 0", "log 1", "log -2",
    "log nan", "log abc", "log 1e99", "log log 3", "exp 1", LONG, "x" * 100_000, "1\n2", "\x00",
    "\x1b[31m1", "\udcff",
]  # fmt: skip
WITH_EPSILON = [
    ["mechanism", "laplace", "--range", "1", "3", "--epsilon"],
    ["compare", "laplace", "uniform", "--range", "1", "3", "--epsilon"],
    ["certify", "response.json", "--epsilon"],
    ["draw", "response.json", "1", "--epsilon"],
]

LAPLACE = ["mechanism", "laplace", "--epsilon", "1"]
ON_RANGE = [*LAPLACE, "--range", "1", "3"]
SPACES = [
    [],
    ["--range", "3", "1"],
    ["--range", "a", "b"],
    ["--range", "1", ""],
    ["--range", "1", "nan"],
    ["--range", "1", "inf"],
    ["--range", "0", "1e9"],
    ["--range", "0", "1e300"],
    ["--range", "0", "1999999"],
    ["--range", "0", "5000"],
    ["--range", "1", "2.5"],
    ["--range", "1", LONG],
    ["--range", "1"],
    ["--range"],
    ["--range", "1", "3", "--step", "0"],
    ["--range", "1", "3", "--step", "-1"],
    ["--range", "1", "3", "--step", "abc"],
    ["--range", "1", "3", "--step", "0.3"],
    ["--range", "1", "3", "--step", "1e-9"],
    ["--range", "1", "3", "--step", "inf"],
    ["--range", "1", "3", "--step", ""],
    ["--range", "1", "3", "--step", "1/0"],
    ["--range", "1", "3", "--labels", "a,b"],
    ["--range", "1", "3", "--numbers", "1,2"],
    ["--numbers", ""],
    ["--numbers", "1,1"],
    ["--numbers", "2,1"],
    ["--numbers", "1,x"],
    ["--numbers", "1,,2"],
    ["--numbers", "nan,inf"],
    ["--numbers", "1,2", "--step", "1"],
    ["--labels", "a,b"],
    ["--labels", "a,b", "--step", "1"],
    ["--range", "1", "3", "--neighbours", "0"],
    ["--range", "1", "3", "--neighbours", "-1"],
    ["--range", "1", "3", "--neighbours", "some"],
    ["--range", "1", "3", "--neighbours", "1.5"],
    ["--range", "1", "3", "--neighbours", ""],
    ["--range", "1", "3", "--neighbours", "1e3"],
    ["--range", "1", "3", "--neighbours", LONG],
    ["--range", "1", "3", "--neighbours", "²"],
    ["--range", "1", "3", "--outputs", "scaled:0"],
    ["--range", "1", "3", "--outputs", "scaled:-1"],
    ["--range", "1", "3", "--outputs", "scaled:"],
    ["--range", "1", "3", "--outputs", "scaled:x"],
    ["--range", "1", "3", "--outputs", "scaled:1/0"],
    ["--range", "1", "3", "--outputs", "scaled:1e-9"],
    ["--range", "1", "3", "--outputs", "extended:50"],
    ["--range", "1", "3", "--outputs", "extended:x"],
    ["--range", "1", "3", "--outputs", "extended:1e12"],
    ["--range", "1", "3", "--outputs", "same:1"],
    ["--range", "1", "3", "--outputs", "wider"],
    ["--range", "1", "3", "--outputs", ""],
    ["--numbers", "1,2,4", "--outputs", "scaled:2"],
]
WORDS = [
    ["--set", "gamma"],
    ["--set", "=3"],
    ["--set", "gamma="],
    ["--set", "gamma=0.5"],
    ["--set", "gamma=1", "--set", "gamma=2"],
    ["--set", LONG],
    ["--draw", "9"],
    ["--draw", "abc"],
    ["--draw", ""],
    ["--draw", "1.5"],
    ["--draw", "nan"],
    ["--draw", "1", "--times", "0"],
    ["--draw", "1", "--times", "-1"],
    ["--draw", "1", "--times", "1.5"],
    ["--draw", "1", "--times", "abc"],
    ["--draw", "1", "--times", ""],
    ["--draw", "1", "--times", "1000001"],
    ["--draw", "1", "--times", LONG],
    ["--draw", "1", "--times", "²"],
    ["--save", ""],
    ["--save", "missing/m.json"],
    ["--save", "folder"],
    ["--save", "nul\x00.json"],
    ["--save", "coins.json/m.json"],
    ["--plot", ""],
    ["--plot", "m.jpg"],
    ["--plot", "m"],
    ["--plot", "missing/m.png"],
    ["--plot", "folder"],
    ["--plot", "nul\x00.svg"],
    ["--epsilon"],
    ["--nonsense"],
    ["extra"],
]
OTHERS = [
    ["nonsense"],
    ["--nonsense"],
    ["\x1b[2J"],
    ["x" * 10_000],
    ["certify"],
    ["certify", "response.json"],
    ["certify", "response.json", "coins.json", "--epsilon", "1"],
    ["certify", "response.json", "--epsilon", "1", "--delta", "-1"],
    ["certify", "response.json", "--epsilon", "1", "--delta", "1"],
    ["certify", "response.json", "--epsilon", "1", "--delta", "nan"],
    ["certify", "response.json", "--epsilon", "1", "--delta", "abc"],
    ["certify", "response.json", "--epsilon", "1", "--delta", ""],
    ["draw", "response.json"],
    ["draw", "response.json", "1"],
    ["draw", "response.json", "7", "--epsilon", "1"],
    ["draw", "coins.json", "maybe", "--epsilon", "2"],
    ["show"],
    ["show", "response.json", "--plot", "m.gif"],
    ["measure"],
    ["measure", "response.json", "--prior", ""],
    ["measure", "response.json", "--prior", "missing.json"],
    ["measure", "response.json", "--prior", "folder"],
    ["measure", "response.json", "--prior", "binary.json"],
    ["measure", "response.json", "--prior", "words.txt"],
    ["measure", "response.json", "--prior", "coins.json"],
    ["measure", "response.json", "--prior", "0.5,0.5"],
    ["measure", "response.json", "--prior", "0.5,0.6,0.7"],
    ["measure", "response.json", "--prior", "-1,1,1"],
    ["measure", "response.json", "--prior", "a,b,c"],
    ["measure", "response.json", "--prior", "nan,0,1"],
    ["measure", "response.json", "--prior", ","],
    ["measure", "response.json", "--prior", "nul\x00"],
    ["mechanism"],
    ["mechanism", "", "--range", "1", "3", "--epsilon", "1"],
    ["mechanism", "nonsense", "--range", "1", "3", "--epsilon", "1"],
    ["mechanism", "lapalce", "--range", "1", "3", "--epsilon", "1"],
    ["mechanism", "../laplace", "--range", "1", "3", "--epsilon", "1"],
    ["mechanism", "laplace", "--range", "1", "3"],
    ["mechanism", "randomized-response", "--labels", "", "--epsilon", "1"],
    ["mechanism", "randomized-response", "--labels", ",", "--epsilon", "1"],
    ["mechanism", "randomized-response", "--labels", "a,a", "--epsilon", "1"],
    ["mechanism", "randomized-response", "--labels", "a,\x1b[0m", "--epsilon", "1"],
    ["mechanism", "randomized-response", "--labels", "a,\udcff", "--epsilon", "1"],
    ["mechanism", "randomized-response", "--labels", "a,b", "--neighbours", "1", "--epsilon", "1"],
    ["mechanism", "randomized-response", "--labels", "a,b", "--outputs", "scaled:2",
     "--epsilon", "1"],
    ["mechanism", "randomized-response", "--labels", "a,b", "--draw", "c", "--epsilon", "1"],
    ["mechanism", "staircase", "--range", "1", "3", "--epsilon", "1", "--set", "gamma=2"],
    ["mechanism", "staircase", "--range", "1", "3", "--epsilon", "1", "--set", "gamma=-1"],
    ["mechanism", "staircase", "--range", "1", "3", "--epsilon", "1", "--set", "gamma=abc"],
    ["mechanism", "staircase", "--range", "1", "3", "--epsilon", "1", "--set", "gamma=nan"],
    ["compare"],
    ["compare", "--range", "1", "3", "--epsilon", "1"],
    ["compare", "laplace", "nonsense", "--range", "1", "3", "--epsilon", "1"],
    ["compare", "laplace", "--range", "1", "3"],
    ["compare", "laplace", "--epsilon", "1"],
    ["compare", "laplace", "--labels", "a,b", "--epsilon", "1"],
    ["compare", "laplace", "missing.json", "--range", "1", "3", "--epsilon", "1"],
    ["compare", "laplace", "coins.json", "--range", "1", "3", "--epsilon", "1"],
    ["compare", "missing.json", "--epsilon", "1"],
    ["compare", "laplace", "--range", "1", "3", "--epsilon", "1", "--set", "nonsense=1"],
    ["compare", "laplace", "--range", "1", "3", "--epsilon", "1", "--prior", "0.5,0.5"],
    ["compare", "laplace", "--range", "1", "3", "--epsilon", "1", "--plot", "m.txt"],
    ["compare", "all", "--range", "3", "1", "--epsilon", "1"],
    ["demo", "extra"],
    ["mechanisms", "extra"],
]  # fmt: skip
LINES = [
    *([*start, epsilon] for start in WITH_EPSILON for epsilon in EPSILONS),
    *([*LAPLACE, *space] for space in SPACES),
    *([*ON_RANGE, *words] for words in WORDS),
    *OTHERS,
]


def _check(done, code=2):
    assert done.exit_code == code, (done.stdout, done.stderr, done.exception)
    line = done.stderr.removesuffix("\n")
    assert line.startswith("error: ")
    assert len(line) <= 620
    assert line.isprintable()
    assert "Traceback" not in done.stdout + done.stderr
    return line.removeprefix("error: ")


@pytest.fixture
def odd_files(folder):
    (folder / "folder").mkdir()
    (folder / "folder" / "kept").touch()
    (folder / "binary.json").write_bytes(bytes(range(256)))
    (folder / "words.txt").write_text("half a third")


def test_there_are_enough_of_them():
    assert len(LINES) >= 200


@pytest.mark.parametrize("words", LINES, ids=lambda words: ascii(" ".join(words))[:70])
def test_a_line_that_cannot_be_used(run, odd_files, words):
    done = run(*words)
    _check(done)
    assert done.stdout == ""


@pytest.mark.parametrize("words", LINES[::7], ids=lambda words: ascii(" ".join(words))[:70])
def test_the_same_for_programs(run, odd_files, words):
    done = run(words[0], "--json", *words[1:])
    message = _check(done)
    told = json.loads(done.stdout)
    assert told["error"] == message
    assert told["kind"]


SPOILT = {
    "empty": "",
    "not json": "{",
    "null": "null",
    "number": "3",
    "list": "[]",
    "object": "{}",
    "word": '"discreet-mechanism"',
    "deep": "[" * 50_000,
    "nan": "NaN",
    "byte order mark": "\ufeff{}",
}
CHANGES = {
    "format": "something-else",
    "version": 2,
    "total": "5",
    "digest": "0" * 64,
    "answers": {"kind": "grid", "start": "1", "step": "0", "size": 3},
    "outputs": {"kind": "grid", "start": "1", "step": "1", "size": 4},
    "neighbours": {"kind": "within", "steps": 0},
    "weights": [["2", "1", "1"], ["1", "2", "1"], ["1", "1", "3"]],
}
MORE_CHANGES = [
    ("answers", None),
    ("answers", {"kind": "labels", "names": ["a", "a", "b"]}),
    ("answers", {"kind": "grid", "start": "1", "step": "1", "size": 10**12}),
    ("answers", {"kind": "listed", "numbers": ["1", "x", "3"]}),
    ("neighbours", {"kind": "graph", "size": 2, "edges": []}),
    ("neighbours", {"kind": "graph", "size": 3, "edges": [[0, 0]]}),
    ("neighbours", "all"),
    ("weights", []),
    ("weights", "weights"),
    ("weights", [[]]),
    ("weights", [["2", "1", "1"], ["1", "2"], ["1", "1", "2"]]),
    ("weights", [["-2", "1", "1"], ["1", "2", "1"], ["1", "1", "2"]]),
    ("weights", [[0.5, 0.25, 0.25], [0.25, 0.5, 0.25], [0.25, 0.25, 0.5]]),
    ("weights", [[True, 1, 1], [1, 2, 1], [1, 1, 2]]),
    ("weights", [["0", "0", "0"]] * 3),
    ("weights", [["9" * 5_000, "1", "1"], ["1", "2", "1"], ["1", "1", "2"]]),
    ("weights", [["4", "1", "1"], ["1", "4", "1"], ["1", "1", "4"]]),
]
READERS = [
    ["certify", "spoilt.json", "--epsilon", "1"],
    ["measure", "spoilt.json"],
    ["show", "spoilt.json"],
    ["draw", "spoilt.json", "1", "--epsilon", "1"],
]


@pytest.mark.parametrize("reader", READERS, ids=lambda words: words[0])
@pytest.mark.parametrize("text", SPOILT.values(), ids=SPOILT.keys())
def test_a_file_that_holds_no_mechanism(run, folder, reader, text):
    (folder / "spoilt.json").write_text(text, encoding="utf-8")
    assert "spoilt.json" in _check(run(*reader))


@pytest.mark.parametrize(("key", "value"), [*CHANGES.items(), *MORE_CHANGES])
def test_a_file_that_was_edited(run, folder, response_facts, key, value):
    response_facts[key] = value
    (folder / "spoilt.json").write_text(json.dumps(response_facts))
    for reader in READERS:
        assert "spoilt.json" in _check(run(*reader))


@pytest.mark.parametrize(
    "key", ["format", "version", "answers", "outputs", "neighbours", "weights"]
)
def test_a_file_that_lacks_something(run, folder, response_facts, key):
    del response_facts[key]
    (folder / "spoilt.json").write_text(json.dumps(response_facts))
    for reader in READERS:
        _check(run(*reader))


@pytest.mark.parametrize("part", [0.1, 0.5, 0.9, 0.99])
def test_a_file_cut_short(run, folder, part):
    whole = (folder / "response.json").read_bytes()
    (folder / "spoilt.json").write_bytes(whole[: int(len(whole) * part)])
    for reader in READERS:
        assert "is not a JSON file" in _check(run(*reader))


@pytest.mark.parametrize("place", ["missing.json", "folder", "binary.json", "nul\x00", ""])
def test_a_place_that_holds_no_file(run, odd_files, place):
    for reader in READERS:
        words = [place if word == "spoilt.json" else word for word in reader]
        _check(run(*words))


def test_what_is_not_private_is_neither_drawn_nor_compared(run, folder):
    told = _check(run("draw", "truth.json", "1", "--epsilon", "1"), code=1)
    assert told.startswith("not private at ε = 1: output 0 is possible under 0")
    told = _check(run("compare", "truth.json", "--epsilon", "1"), code=1)
    assert told.startswith("'truth.json': not private at ε = 1")
