"""A cell of a notebook asks as Python does, for the same price, and fails in one line."""

import pytest

import discreet


class Shell:
    """As much of IPython's shell as an extension is handed."""

    def __init__(self, **names):
        self.user_ns, self.cells = names, {}

    def register_magic_function(self, function, magic_kind, magic_name):
        assert magic_kind == "cell"
        self.cells[magic_name] = function


@pytest.fixture
def cell(survey):
    shell = Shell(survey=survey, count=3)
    discreet.load_ipython_extension(shell)
    return lambda line, text: (shell.cells["discreet"](line, text), shell.user_ns)


def test_a_cell_is_asked_and_kept_under_a_name(cell, survey):
    asked = "SELECT COUNT(*) WHERE mood > 2\nGROUP BY clinic"
    answer, names = cell("survey --epsilon 0.5 --id one --to told", asked)
    assert names["told"] is answer
    assert (answer.epsilon, answer.receipt) == ("0.5", "one")
    again, _ = cell("survey --epsilon 0.5 --id one", asked)
    assert again.results == answer.results
    assert float(survey.left) == 30 - 0.5
    plan, _ = cell("survey --epsilon 1 --confidence 90%", "EXPLAIN SELECT AVG(mood)")
    assert plan.cost.total == 10**9
    assert float(survey.left) == 30 - 0.5


@pytest.mark.parametrize(
    ("line", "text", "told"),
    [
        (
            "nobody --epsilon 1",
            "SELECT COUNT(*)",
            "'nobody' is not an open dataset in this notebook",
        ),
        ("count --epsilon 1", "SELECT COUNT(*)", "'count' is not an open dataset in this notebook"),
        ("survey", "SELECT COUNT(smokes)", "epsilon"),
        ("", "SELECT COUNT(*)", "write %%discreet survey --epsilon 0.5"),
        ("survey --epsilon", "SELECT COUNT(*)", "write %%discreet survey --epsilon 0.5"),
        ("survey --id 'x", "SELECT COUNT(*)", "a quotation mark is not closed"),
        ("survey --epsilon 1", "SELECT nothing", "nothing"),
    ],
)
def test_what_goes_wrong_is_one_line_and_free(cell, survey, capsys, line, text, told):
    assert cell(line, text)[0] is None
    (said,) = capsys.readouterr().err.splitlines()
    assert said.startswith("error: ")
    assert told in said
    assert survey.left == 30
