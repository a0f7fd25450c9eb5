"""An error's exit code, status and word are said by its class and by nothing else."""

import ast
import pickle
import re
from pathlib import Path

import pytest

from discreet import errors
from discreet.certifier import certify
from discreet.client import wire
from discreet.designer import design
from discreet.errors import (
    DesignError,
    DiscreetError,
    FactsChanged,
    IdTaken,
    InvalidInput,
    LedgerError,
    MissingExtra,
    NotCertified,
    OverBudget,
    PlanChanged,
)
from discreet.model import AllPairs, Grid, Labels, Mechanism, Within
from discreet.web.problems import refusal_of

SOURCE = Path(errors.__file__).parent
KINDS = [
    kind for kind in vars(errors).values()
    if isinstance(kind, type) and issubclass(kind, DiscreetError)
]  # fmt: skip


def made(kind):
    return kind("what", "extra") if kind is MissingExtra else kind("what")


@pytest.mark.parametrize("kind", KINDS)
def test_an_error_comes_back_whole_from_another_process(kind):
    error = made(kind)
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again), vars(again)) == (kind, str(error), vars(error))


def test_an_uncertified_mechanism_says_what_breaks_its_promise():
    coins = Labels.of(["no", "yes"])
    flip = Mechanism.of(coins, coins, AllPairs(), [[3, 1], [1, 3]])
    with pytest.raises(NotCertified) as refused:
        certify(flip, 1)
    assert (refused.value.output, refused.value.answers) == ("no", ("no", "yes"))
    assert refused.value.ratio == 3


def test_a_design_that_fails_says_what_was_tried():
    with pytest.raises(DesignError) as refused:
        design(Grid.between(0, 4000), Within(1), 1, requirements="all", delta="0.1")
    assert dict(refused.value.tried)


LOW_ROOMS = (
    "exact", "text", "model", "tables", "statistics", "questions", "sampling", "mechanisms",
    "measures", "certifier", "repair", "designer", "databases", "graphs", "sorting", "curator",
    "budget", "accounts",
)  # fmt: skip


def test_low_rooms_name_no_command_of_the_command_line():
    """What helps is a value of the error; the command line says which of its commands does it."""
    command = re.compile(r"\bdiscreet [a-z]{3,}|(?<![\w-])--[a-z]{2,}")
    for room in LOW_ROOMS:
        for file in (SOURCE / room).rglob("*.py"):
            for node in ast.walk(ast.parse(file.read_text())):
                raised = isinstance(node, ast.Raise) and node.exc is not None
                for inner in ast.walk(node) if raised else ():
                    told = inner.value if isinstance(inner, ast.Constant) else ""
                    assert not (isinstance(told, str) and command.search(told)), (file, told)


def test_words_tell_kinds_apart():
    assert len({kind.word for kind in KINDS}) == len(KINDS)
    assert all(re.fullmatch(r"[a-z]+(-[a-z]+)*", kind.word) for kind in KINDS)


@pytest.mark.parametrize("kind", KINDS)
def test_the_service_replies_as_the_class_says_and_the_client_raises_it_again(kind):
    refusal = refusal_of(made(kind))
    assert refusal.status == kind.status
    if kind.status != 404:  # nobody can tell what is not there from what is not theirs
        assert refusal.word == kind.word
        assert wire._KNOWN[refusal.word] is kind


def test_exit_codes_are_what_the_reference_tells():
    assert {kind: kind.exit_code for kind in KINDS if kind.exit_code != 2} == {
        NotCertified: 1, OverBudget: 3, LedgerError: 4, FactsChanged: 4,
    }  # fmt: skip


def test_no_code_of_an_error_is_told_in_a_second_place():
    """Neither beside its name, nor in the lines that follow a look at its class."""
    names = "|".join(kind.__name__ for kind in KINDS)
    code = r"(exit|Exit|status|Refusal|return)\b\W{0,3}[1-5]\d{0,2}\b"
    told = re.compile(rf"(case|isinstance\(\w+,|:) *(\w+\.)?({names})\b.*\n?.*{code}")
    for file in SOURCE.rglob("*.py"):
        if file.name != "errors.py":
            assert not told.search(file.read_text()), file


@pytest.mark.parametrize("kind", [kind for kind in KINDS if not issubclass(kind, InvalidInput)])
def test_an_error_of_no_field_has_others_that_a_program_can_use(kind):
    """What is about an argument names it; what is not says in fields what a program may need."""
    fields = set(vars(made(kind)))
    assert fields or kind is DiscreetError


def test_an_id_that_is_taken_and_a_plan_that_changed_say_which():
    taken, changed = IdTaken("no", question="a"), PlanChanged("no", shown="b", current="c")
    assert (taken.question, changed.shown, changed.current) == ("a", "b", "c")
    assert pickle.loads(pickle.dumps(changed)).current == "c"
